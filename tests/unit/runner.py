"""Runs in MicroPython: runner.py LIB TESTS MODULE TEST... runs the named functions of a module.

Prints a record for each: its name, then "ok", "skip WHY" or the traceback.
"""

import gc
import io
import sys

_RECORD = "\x1e%s\x1f%s\n"


class Skip(Exception):
    """Raised by a test that cannot run here."""


def _one(function):
    try:
        function()
    except Skip as error:
        return "skip " + str(error)
    except Exception as error:
        text = io.StringIO()
        sys.print_exception(error, text)
        return text.getvalue()
    return "ok"


def _run(lib, folder, module, names):
    sys.path[:] = ["", ".frozen", lib, folder]
    tests = __import__(module)
    for name in names:
        gc.collect()
        print(_RECORD % (name, _one(getattr(tests, name))), end="")


if __name__ == "__main__":
    _run(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
