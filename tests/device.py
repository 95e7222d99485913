"""Device code under test, in the MicroPython that the virtual board runs.

run("import ai; result = ai.providers()")           -> the value of `result`
run("result = f(url)", url=server.url, heap=64)     names go in as JSON, heap in KB

Each call is a process of its own, with lib/ as source on the path and the current directory a
fresh temporary one. What the snippet prints is in the error when it fails.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MICROPYTHON = [sys.executable, "-c", "import sys, micropython; sys.exit(micropython.main())"]
_MARK = "\x1eresult "

_PROLOGUE = """\
import json as _json, sys
sys.path[:] = ["", ".frozen", {lib!r}]
with open({names!r}) as _file:
    globals().update(_json.load(_file))
result = None
"""
_EPILOGUE = """
print({mark!r} + _json.dumps(result))
"""


class Failed(AssertionError):
    """The snippet raised, or did not end in time."""


def command(heap: int = 512, *arguments) -> list:
    """The command line of a MicroPython with `heap` KB."""
    return [*MICROPYTHON, "-X", f"heapsize={heap * 1024}", *arguments]


def run(code: str, timeout: float = 30, heap: int = 512, **names):
    """Run a snippet; returns what it left in `result`, passed as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        values = path / ".names.json"
        # As characters: MicroPython would make lone surrogates of escaped ones.
        values.write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8")
        script = path / ".snippet.py"
        prologue = _PROLOGUE.format(lib=str(ROOT / "lib"), names=str(values))
        script.write_text(prologue + code + _EPILOGUE.format(mark=_MARK))
        done = subprocess.run(
            command(heap, str(script)),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
        )
    out = done.stdout.decode(errors="replace")
    before, mark, value = out.rpartition(_MARK)
    if done.returncode or not mark:
        raise Failed(f"exit {done.returncode}\n{out[-3000:]}\n{done.stderr.decode()[-1000:]}")
    return json.loads(value)
