"""Every command in README.md is run, and there is none that is not."""

import io
import re
import subprocess
import sys

import pytest
import readme
import serial
from device import ROOT

from tools import image
from tools.board import Board
from tools.demo import play
from tools.run import stage

# What is run elsewhere: the pattern of a command, and the test that runs it.
_ELSEWHERE = (
    (r"make run( FRESH=1)?", "test_run.py"),
    (r"make demo", "test_demo.py"),
    (r"make test", "the run that this is part of"),
)
_HERE = (r"mpremote connect PORT .*", r"config \S+ \S+", r"(ai|mcp|\?|help)( .*)?")


def mpremote(port, line):
    arguments = line.replace("PORT", port).split()[1:]
    return subprocess.run(
        [sys.executable, "-m", "mpremote", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """A board with nothing on it, as after flashing MicroPython."""
    flash = image.build(tmp_path_factory.mktemp("readme") / "empty.bin", files={})
    with Board(flash) as board:
        yield board


@pytest.mark.parametrize("section", readme.sections())
def test_there_is_no_command_that_no_test_runs(section):
    patterns = [*_HERE, *(pattern for pattern, _ in _ELSEWHERE)]
    for command in readme.commands(section):
        assert any(re.fullmatch(pattern, command) for pattern in patterns), command


def test_the_flash_section_puts_a_console_onto_an_empty_board(board):
    for line in readme.commands("Flash"):
        done = mpremote(board.pty, line)
        assert done.returncode == 0, line + "\n" + done.stdout + done.stderr
    board.wait()
    with serial.Serial(board.pty, timeout=20) as port:
        port.write(b"\r")
        assert b"antos> " in port.read_until(b"antos> ")


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """A board with a model and a weather server, and what a person has typed in the README."""
    flash = tmp_path_factory.mktemp("readme") / "scene.bin"
    with stage(flash, output=subprocess.DEVNULL) as scene:
        yield scene


def test_the_script_runs_on_the_board(scene, tmp_path):
    script = readme.script().replace("http://192.168.1.2:8765/mcp", scene.weather.url)
    (tmp_path / "script.py").write_text(script)
    done = mpremote(scene.board.pty, f"mpremote connect PORT run {tmp_path / 'script.py'}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Leeds" in done.stdout and "error" not in done.stdout


def test_the_lines_for_the_console_are_understood(scene):
    flash = image.build(scene.board.flash.with_name("config.bin"))
    lines = readme.commands("Run")[1:] + ["help", "? how do I add a server", "ai hello", "config"]
    with Board(flash) as board:
        shown = play(board, lines, io.StringIO())
    assert "ai: no command '" not in shown and "usage:" not in shown
    assert "ai.general.key" in shown and "KEY" not in shown.split("config\n")[-1]
