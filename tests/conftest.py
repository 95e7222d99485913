"""Unit tests of device code: files in tests/unit, run by MicroPython, one process a file,
in a directory of its own."""

import ast
import subprocess
import tempfile

import pytest
from device import ROOT, command

UNIT = ROOT / "tests" / "unit"


def pytest_pycollect_makemodule(module_path, parent):
    """tests/unit/test_*.py belongs to MicroPython, not to this Python."""
    if module_path.parent == UNIT:
        return UnitFile.from_parent(parent, path=module_path)


class UnitFile(pytest.File):
    """A file of device tests; all its functions run in one MicroPython."""

    def collect(self):
        for node in ast.parse(self.path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield UnitItem.from_parent(self, name=node.name, line=node.lineno)

    def outcomes(self, names: list) -> dict:
        """{test: "ok" or its traceback} of these tests; those that did not run are absent."""
        places = str(ROOT / "lib"), str(UNIT)
        with tempfile.TemporaryDirectory() as folder:
            out = _output(
                command(512, str(UNIT / "runner.py"), *places, self.path.stem, *names), folder
            )
        blocks = out.split("\x1e")
        found = dict(block.split("\x1f", 1) for block in blocks[1:] if "\x1f" in block)
        found[""] = out[-2000:]
        return found


def _output(arguments, folder) -> str:
    with subprocess.Popen(
        arguments,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            return process.communicate(timeout=60)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            out = process.communicate()[0].decode(errors="replace")
            return out + "\n(more than 60 s)"


class UnitItem(pytest.Item):
    """One function of such a file."""

    def __init__(self, *, line, **more):
        super().__init__(**more)
        self._line = line
        self.funcargs = {}  # pytest-embedded looks into it for its dut

    def runtest(self):
        file = self.parent
        chosen = [item.name for item in self.session.items if item.parent is file]
        if not hasattr(file, "found"):
            file.found = file.outcomes(chosen)
        outcome = file.found.get(self.name)
        if outcome is None:
            raise UnitFailed("did not run:\n" + file.found[""])
        if outcome.startswith("skip "):
            pytest.skip(outcome[5:])
        if not outcome.startswith("ok"):
            raise UnitFailed(outcome)

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, UnitFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, self._line - 1, f"{self.path.stem}::{self.name}"


class UnitFailed(Exception):
    """What MicroPython printed about a test."""
