"""Builds the flash image of a board and reads and writes files in one.

The image has the ESP32 partition layout and a LittleFS2 with /boot.py, /main.py and the
compiled lib/ in /lib. No program lies in the app partition: it is there to be run by the
virtual board (tools/board), which brings MicroPython along, and to be looked into. It does
not start a chip.

    build("build/antos.bin")              a new image of this source tree
    refresh("build/antos.bin")            its /lib brought up to date, the rest untouched
    read_file(path, "/main.py")           while no board runs from it
"""

import hashlib
import os
from pathlib import Path

from tools.image import flash, partitions
from tools.image.compile import ROOT, CompileError, compile_file, compile_tree

__all__ = [
    "CompileError",
    "SIZES",
    "build",
    "compile_file",
    "compile_tree",
    "list_files",
    "project_files",
    "read_file",
    "refresh",
    "remove_file",
    "write_file",
]

SIZES = {"4M": 4 << 20, "8M": 8 << 20}
_SCRIPTS = ("boot.py", "main.py")
# Lists what this tool put into /lib, so that a refresh leaves what the user installed there.
_LIST = "/lib/.built"


def project_files(root: Path = ROOT) -> dict:
    """What a new board of a source tree has: {"/boot.py": bytes, "/lib/ai/chat.mpy": ...}."""
    files = compile_tree(root / "lib", "/lib/")
    files[_LIST] = _built(files)
    for name in _SCRIPTS:
        if (root / name).exists():
            files["/" + name] = (root / name).read_bytes()
    return files


def build(path, size: int = SIZES["4M"], files: dict | None = None) -> Path:
    """Write a new image; `files` is what it holds, by default what the source tree gives."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Complete or not there at all: a board may be about to start from this path.
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        _blank(part, size)
        with flash.open_fs(part, format=True) as fs:
            for name, data in sorted((project_files() if files is None else files).items()):
                flash.put(fs, name, data)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def refresh(path, root: Path = ROOT) -> list:
    """Bring /lib of an image up to the source tree; returns the names that changed.

    /boot.py and /main.py belong to the user: they are written only where absent. All else,
    packages the user installed into /lib included, stays as it is; but a source file beside one
    of our modules goes, for MicroPython would run it in its place.
    """
    files = project_files(root)
    with flash.open_fs(path) as fs:
        old = _parse(flash.get(fs, _LIST)) if flash.exists(fs, _LIST) else {}
        new = _parse(files[_LIST])
        sources = [name[:-4] + ".py" for name in new if name.endswith(".mpy")]
        gone = [n for n in [*old, *sources] if n not in new and flash.exists(fs, n)]
        changed = [name for name in new if old.get(name) != new[name]]
        missing = ["/" + n for n in _SCRIPTS if "/" + n in files and not flash.exists(fs, "/" + n)]
        for name in gone:
            fs.remove(name)
        for name in changed + missing:
            flash.put(fs, name, files[name])
        if gone or changed or not old:
            flash.put(fs, _LIST, files[_LIST])
    return sorted(gone + changed + missing)


def read_file(path, name: str) -> bytes:
    """The content of one file in an image."""
    with flash.open_fs(path) as fs:
        return flash.get(fs, name)


def write_file(path, name: str, data: bytes):
    """Write one file in an image, with the directories it needs."""
    with flash.open_fs(path) as fs:
        flash.put(fs, name, data)


def remove_file(path, name: str):
    """Remove one file from an image."""
    with flash.open_fs(path) as fs:
        fs.remove(name)


def list_files(path) -> list:
    """The full names of all files in an image, sorted."""
    with flash.open_fs(path) as fs:
        return flash.walk(fs)


def _blank(path: Path, size: int):
    with open(path, "wb") as file:
        file.write(b"\xff" * size)
        file.seek(partitions.TABLE)
        file.write(partitions.pack(partitions.layout(size)))


def _built(files: dict) -> bytes:
    rows = (f"{hashlib.sha256(data).hexdigest()[:16]} {name}\n" for name, data in files.items())
    return "".join(sorted(rows)).encode()


def _parse(listing: bytes) -> dict:
    rows = (line.split(" ", 1) for line in listing.decode().splitlines())
    return {name: digest for digest, name in rows}
