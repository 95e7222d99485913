"""The source keeps the rules of lib/README.md, and compiles for the device."""

import ast
import re
import subprocess
import sys

import pytest
from device import ROOT

from tools import image

LIB = ROOT / "lib"
FILES = sorted(LIB.rglob("*.py"))
MODULES = {path: ".".join(path.relative_to(LIB).with_suffix("").parts) for path in FILES}
OURS = ("ai", "mcp", "net", "store", "console")
CHIP = ("machine", "network", "esp32")

# A module belongs to the first row that matches; it may import what the row allows. `X.*` stands
# for all below X, and a package name alone for its face.
LAYERS = (
    ("net.errors", ()),
    ("net.__init__", ()),
    ("ai.styles.__init__", ("net.errors", "ai.styles.*")),
    ("ai.styles.*", ("ai.styles.common", "net.errors", "net.jsonscan", "net.jsontext")),
    ("ai.reply", ("net.errors", "net.jsonscan", "net.jsontext")),
    ("mcp.jsonrpc", ("net.errors", "net.jsonscan", "net.jsontext")),
    ("net.sse", ("net.errors",)),
    ("net.jsonscan", ("net.errors", "net.jsontext")),
    ("net.jsontext", ()),
    ("net.*", ("net.errors", "net.*", "!net.sse", "!net.jsonscan", "store.config")),
    ("store.*", ("net.errors", "store.*")),
    ("ai.tools", ("net.errors", "net.jsonscan", "net.jsontext", "store.*")),
    ("ai.history", ("net.errors", "net.jsonscan", "net.jsontext", "store.*")),
    ("ai.catalogue", ("net.errors", "net.jsonscan", "net.jsontext", "store.*")),
    ("ai.usetypes", ("net.errors", "store.*", "ai.catalogue")),
    ("ai.*", ("ai.*", "net.*", "store.*")),
    ("mcp.*", ("mcp.*", "net.*", "store.*")),
    (
        "console.*",
        ("ai", "ai.*", "mcp", "mcp.*", "net.wifi", "net.errors", "store.*", "console.*"),
    ),
)


def _matches(module, pattern):
    return module == pattern or pattern.endswith(".*") and module.startswith(pattern[:-1])


def _allowed(module, name):
    if name.split(".")[0] not in OURS:
        return (
            name not in CHIP
            or module.startswith("console.")
            or module
            in (
                "net.wifi",
                "store.secrets",
            )
        )
    allowed = next(row[1] for row in LAYERS if _matches(module, row[0]))
    if any(_matches(name, item[1:]) for item in allowed if item.startswith("!")):
        return False
    return any(_matches(name, item) for item in allowed)


def _exists(name):
    path = LIB / name.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def imports(path):
    """The full names that a file imports: module, or package.module for `from x import y`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _exists(inner) else node.module


@pytest.mark.parametrize("path", FILES, ids=MODULES.get)
def test_a_module_imports_only_from_layers_below_it(path):
    module = MODULES[path]
    bad = [name for name in imports(path) if not _allowed(module, name)]
    assert not bad, f"{module} may not import {bad}"


@pytest.mark.parametrize("path", FILES, ids=MODULES.get)
def test_only_the_console_prints(path):
    calls = (n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call))
    names = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
    assert "print" not in names or MODULES[path].startswith("console.")


@pytest.mark.parametrize(
    "path", [*FILES, ROOT / "boot.py", ROOT / "main.py"], ids=lambda p: p.name
)
def test_mpy_cross_compiles_the_file(path):
    assert image.compile_file(path, path.name).read_bytes()[:2] == b"M\x06"


@pytest.mark.parametrize("path", FILES, ids=MODULES.get)
def test_device_code_keeps_to_what_micropython_has(path):
    text = path.read_text()
    for pattern, why in (
        (r"raise .* from ", "no exception chaining"),
        (r"\bremoveprefix\(|\bremovesuffix\(|\bformat_map\(", "not in MicroPython's str"),
        (r"__doc__", "functions have none"),
        (r"^\s*except:", "hides syntax errors and Ctrl-C"),
        (r"^\s*match .*:$", "no match statement"),
        (r"^(import|from) (typing|contextlib|dataclasses|pathlib|threading)\b", "not there"),
    ):
        assert not re.search(pattern, text, re.M), f"{path.name}: {why}"


def test_a_wrong_import_is_seen():
    assert not _allowed("net.http", "ai.chat")
    assert not _allowed("ai.styles.openai", "net.http")
    assert not _allowed("mcp.client", "ai.tools")
    assert not _allowed("ai.chat", "machine")
    assert _allowed("ai.chat", "net.http")
    assert _allowed("ai.chat", "socket")


def test_modules_are_one_room():
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in ("lib", "tools")
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 300
    }
    assert not long


def test_ruff_finds_nothing():
    for arguments in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--no-cache", "."],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout
