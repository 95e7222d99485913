"""Unmodified host tools against a board whose main.py is reading the console."""

import os
import subprocess
import sys

import pexpect
import pytest
from board_samples import PROMPT

BINARY = bytes(range(256)) * 8 + b"\x03\x04\x01\x02\x05\r\n\n\r\x03"


@pytest.fixture
def board(boards, loop_flash):
    """A board whose console is in use by main.py."""
    return boards(loop_flash, tcp=0)


@pytest.fixture
def mpremote(board, tmp_path):
    """Runs mpremote on the board's console, in a directory of its own."""

    def run(*arguments, port=board.pty, status=0):
        command = [sys.executable, "-m", "mpremote", "connect", port, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=20)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout.replace(b"\r\n", b"\n").decode()

    return run


def test_mpremote_exec_and_eval(mpremote):
    assert mpremote("exec", "print('hello', 6*7)") == "hello 42\n"
    assert mpremote("eval", "6*7") == "42\n"
    mpremote("exec", "1/0", status=1)


def test_mpremote_works_over_tcp(mpremote, board):
    assert mpremote("eval", "6*7", port=f"socket://localhost:{board.tcp_port}") == "42\n"


def test_mpremote_resume_keeps_the_variables(mpremote):
    mpremote("exec", "x = 5")
    assert mpremote("resume", "eval", "x") == "5\n"


def test_mpremote_copies_both_ways_byte_for_byte(mpremote, tmp_path):
    (tmp_path / "there").write_bytes(BINARY)
    mpremote("fs", "cp", "there", ":there")
    mpremote("fs", "cp", ":there", "back")
    assert (tmp_path / "back").read_bytes() == BINARY


def test_mpremote_lists_shows_makes_and_removes(mpremote):
    assert "boot.py" in mpremote("fs", "ls")
    assert mpremote("fs", "cat", ":boot.py") == 'print("boot.py runs")\n'
    mpremote("fs", "mkdir", ":folder", "+", "fs", "rm", ":boot.py")
    listing = mpremote("fs", "ls")
    assert "folder/" in listing and "boot.py" not in listing


def test_mpremote_soft_reset_leaves_the_raw_repl_ready(mpremote):
    mpremote("exec", "x = 5")
    mpremote("soft-reset", "exec", "assert 'x' not in globals()")


def test_mpremote_mount_runs_reads_and_writes_host_files(mpremote, tmp_path):
    folder = tmp_path / "mounted"
    folder.mkdir()
    (folder / "script.py").write_text("print('from the host')\n")
    (folder / "data").write_bytes(BINARY)
    code = "import script; d = open('data', 'rb').read(); f = open('copy', 'wb'); f.write(d); "
    text = mpremote("mount", str(folder), "exec", code + "f.close(); print(len(d))")
    assert text.endswith(f"from the host\n{len(BINARY)}\n")
    assert (folder / "copy").read_bytes() == BINARY


def test_mpremote_repl_reaches_main_py_and_the_prompt(board):
    child = pexpect.spawn(
        sys.executable, ["-m", "mpremote", "connect", board.pty, "repl"], timeout=5
    )
    try:
        child.expect("Use Ctrl-]")
        child.send("q")
        child.expect("<q>")
        child.send("\x03")
        child.expect("loop left")
        child.expect(">>> ")
        child.send("6*7\r")
        child.expect("\n42\r")
        child.send("\x04")
        child.expect("soft reboot.*boot.py runs.*loop ready")
        child.send("\x1d")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)


def test_mpremote_works_while_a_terminal_is_attached(mpremote, board, consoles):
    terminal = consoles(f"socket://localhost:{board.tcp_port}")
    assert mpremote("eval", "6*7") == "42\n"
    terminal.expect(b"42\r\n")


def test_copied_file_survives_a_power_cut(mpremote, board, tmp_path):
    (tmp_path / "there").write_bytes(BINARY)
    mpremote("fs", "cp", "there", ":there")
    board.power_cut()
    board.start()
    assert mpremote("eval", "len(open('there', 'rb').read())") == f"{len(BINARY)}\n"


EMBEDDED = """\
def test_console(dut):
    dut.write(b"\\x03")
    dut.expect_exact(">>> ")
    dut.write(b"\\x04")
    dut.expect_exact("MPY: soft reboot")
    dut.expect("loop ready")
    dut.write(b"k")
    dut.expect(r"<(k)>")
"""


def test_pytest_embedded_serial_drives_the_console(board, tmp_path):
    (tmp_path / "test_it.py").write_text(EMBEDDED)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    command += ["--embedded-services", "serial", "--port", board.pty]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=40
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_prompt_of_the_repl_is_there_after_the_host_tool(mpremote, board, consoles):
    mpremote("exec", "pass")
    console = consoles(board.pty)
    console.type("\r")
    console.expect(PROMPT)
