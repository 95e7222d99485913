"""Unmodified mpremote against a board whose console is in use."""

import subprocess
import sys
import time

import pytest
import serial


@pytest.fixture
def mpremote(port, board, tmp_path):
    """Runs mpremote on the console's port; returns what it printed."""

    def run(*arguments):
        command = [sys.executable, "-m", "mpremote", "connect", port, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=30)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.decode().replace("\r\n", "\n")

    return run


@pytest.fixture
def typist(virtual, port):
    """Types on the console without reading it to the end; returns when `answer` came."""
    with serial.Serial(port, timeout=0.01) as line:

        def type(text, answer):
            line.write(text)
            seen, end = b"", time.monotonic() + 10
            while answer not in seen:
                assert time.monotonic() < end, seen
                seen += line.read(4096)

        yield type


def test_exec_works_while_the_console_waits(mpremote):
    assert mpremote("exec", "print('hello', 6 * 7)") == "hello 42\n"
    assert mpremote("eval", "6 * 7") == "42\n"


def test_exec_works_when_a_line_is_half_typed_and_leaves_it_unrun(mpremote, typist):
    typist(b"\ropen('made', 'w').close()", b"close()")
    assert "made" not in mpremote("exec", "import os; print(os.listdir())")


def test_exec_works_while_a_program_runs(mpremote, typist):
    typist(b"\rprint('la' + 'st')\rwhile True: pass\r\r", b"last\r\n")
    assert mpremote("exec", "print(6 * 7)") == "42\n"


def test_files_are_copied_and_survive_a_power_cut(mpremote, virtual, tmp_path):
    data = bytes(range(256)) * 4
    (tmp_path / "there").write_bytes(data)
    mpremote("fs", "cp", "there", ":there")
    virtual.power_cut()
    virtual.start()
    mpremote("fs", "cp", ":there", "back")
    assert (tmp_path / "back").read_bytes() == data


def test_a_mounted_folder_can_be_imported(mpremote, tmp_path):
    folder = tmp_path / "mounted"
    folder.mkdir()
    (folder / "script.py").write_text("print('from the host')\n")
    assert mpremote("mount", str(folder), "exec", "import script").endswith("from the host\n")


def test_the_console_is_back_after_a_reset(mpremote, virtual, typist):
    mpremote("exec", "pass")
    virtual.reset()
    typist(b"\r6 * 7\r", b"\n42\r\nantos> ")
