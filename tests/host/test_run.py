"""make run: the console of a virtual board in a terminal."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pexpect
import pytest
from device import ROOT

PROMPT = "antos> "
# The raw REPL that a tool talks to is seen in every terminal, and is not all text.
CODEC = {"encoding": "utf-8", "codec_errors": "replace"}


@pytest.fixture
def terminal(tmp_path):
    """make run in a terminal of its own, with a build folder of its own."""
    (tmp_path / "Makefile").symlink_to(ROOT / "Makefile")
    for name in (".venv", "tools", "lib", "boot.py", "main.py", "requirements.lock"):
        (tmp_path / name).symlink_to(ROOT / name)
    made = []

    def start(*arguments):
        child = pexpect.spawn("make", ["run", *arguments], cwd=str(tmp_path), timeout=60, **CODEC)
        made.append(child)
        return child

    yield start
    for child in made:
        child.close(force=True)


def leave(child):
    child.send("\x1d")
    child.expect("all stopped")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0


@pytest.mark.skipif(not shutil.which("make"), reason="no make here")
def test_it_shows_the_tour_attaches_the_console_and_leaves_on_ctrl_right_bracket(terminal):
    child = terminal()
    child.expect("Try this")
    child.expect_exact(PROMPT)
    child.send("6 * 7\r")
    child.expect(r"42\r\n")
    leave(child)


@pytest.mark.skipif(not shutil.which("make"), reason="no make here")
def test_another_terminal_can_use_the_board_and_a_second_run_cannot(terminal, tmp_path):
    child = terminal()
    child.expect_exact(PROMPT)
    line = [ROOT / ".venv" / "bin" / "mpremote", "connect", tmp_path / "build" / "console"]
    done = subprocess.run(
        [*line, "exec", "print(6 * 7)"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout.strip()) == (0, "42"), done
    second = terminal()
    second.expect("in use by a board")
    second.expect("try: end the other one")
    second.expect(pexpect.EOF)
    child.sendline("")
    leave(child)


def test_what_the_board_was_told_is_there_the_next_time_and_gone_when_fresh(terminal):
    child = terminal()
    child.expect_exact(PROMPT)
    child.send("config note.of mine\r")
    child.expect_exact(PROMPT)
    leave(child)
    child = terminal()
    child.expect_exact(PROMPT)
    child.send("config note.of\r")
    child.expect("mine")
    leave(child)
    child = terminal("FRESH=1")
    child.expect_exact(PROMPT)
    child.send("config note.of\r")
    child.expect("try:")
    leave(child)


def test_a_terminal_that_hangs_up_takes_everything_with_it(terminal):
    child = terminal()
    child.expect_exact(PROMPT)
    session = os.getpgid(child.pid)
    child.kill(signal.SIGHUP)
    child.close()
    end = time.monotonic() + 20
    while (rows := processes(session)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not rows


def processes(session) -> list:
    listed = subprocess.run(["ps", "-eo", "sid,args"], capture_output=True, text=True).stdout
    return [row for row in listed.splitlines() if row.split(None, 1)[0] == str(session)]


def test_without_a_terminal_it_says_what_to_do_instead():
    done = subprocess.run(
        [sys.executable, "-m", "tools.run"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "run: this needs a terminal\ntry: make demo    (plays the tour without one)\n"
    )
