"""The console of a board: banner, prompt, Ctrl-A to Ctrl-D, resets, and what a line end is."""

import pytest
from board_samples import BOOT, PROMPT, RAW_PROMPT

from tools import image


@pytest.fixture
def loop(boards, loop_flash, consoles):
    """The console of a board whose main.py is reading it."""
    console = consoles(boards(loop_flash).pty)
    console.type("x")
    console.expect(b"<x>")
    return console


def test_reset_shows_rom_line_boot_py_and_banner_once_each(board, console):
    board.reset()
    lines = console.expect(PROMPT).split(b"\r\n")
    assert lines[0] == b"rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)"
    assert lines[1].startswith(b"virtual board:")
    assert lines[2] == b"boot.py runs"
    assert lines[3].startswith(b"MicroPython ")
    assert lines[4:] == [b'Type "help()" for more information.', PROMPT]


def test_line_ends_are_cr_lf_once(console):
    console.type("import sys; print('a'); print('b\\r\\nc'); 1/0\r")
    text = console.expect(PROMPT)
    assert b"a\r\nb\r\nc\r\nTraceback" in text
    assert b"\r\r" not in text and text.count(b"\n") == text.count(b"\r\n")


def test_bytes_written_to_the_buffer_come_out_as_they_are(console):
    console.type("import sys; n = sys.stdout.buffer.write(bytes(range(256)))\r")
    console.expect(b"\r\n")
    assert console.expect(PROMPT) == bytes(range(256)) + PROMPT


def test_text_and_bytes_keep_their_order(console):
    console.run("import sys")
    console.type("for i in range(300): print(i); n = sys.stdout.buffer.write('%d\\n' % i)\r\r")
    console.expect(b"\r\n... \r\n")
    want = b"".join(b"%d\r\n%d\n" % (i, i) for i in range(300))
    assert console.expect(PROMPT)[: -len(PROMPT)].endswith(want)


def test_ctrl_c_interrupts_a_busy_loop(console):
    console.busy()
    console.type(b"\x03")
    assert b"KeyboardInterrupt" in console.expect(PROMPT)


@pytest.mark.parametrize(
    "wait",
    ["time.sleep(60)", "sys.stdin.read(1)", "sys.stdin.buffer.read(5)", "input()", "p.poll()"],
)
def test_ctrl_c_interrupts_a_program_that_waits(console, wait):
    console.run("import select, sys, time; p = select.poll(); p.register(sys.stdin, 1)")
    console.type(f"print('wai' + 'ts'); {wait}\r")
    console.expect(b"waits\r\n")
    console.type(b"\x03")
    assert b"KeyboardInterrupt" in console.expect(PROMPT)


def test_ctrl_c_is_a_character_for_the_line_editor(console):
    console.type(b"half a line\x03")
    console.expect(b"half a line\r\n" + PROMPT)
    assert console.run("1+1") == "2\r\n"


def test_many_interrupts_in_a_row_do_no_harm(console):
    for _ in range(30):
        console.busy()
        console.type(b"\x03\x03")
        console.expect(PROMPT)
    console.prompt()


def test_ctrl_c_is_a_character_when_a_program_asks_for_it(console):
    line = "import micropython as m, sys; m.kbd_intr(-1); print('as' + 'ks'); sys.stdin.read(2)\r"
    console.type(line)
    console.expect(b"asks\r\n")
    console.type(b"\x03a")
    assert console.expect(PROMPT) == b"'\\x03a'\r\n" + PROMPT


def test_input_is_not_echoed_and_not_held_until_return(loop):
    loop.type("ab")
    assert loop.expect(b"<b>") == b"<a><b>"


def test_ctrl_c_ends_the_loop_of_main_py_and_leaves_the_repl(loop):
    loop.type(b"\x03")
    text = loop.expect(PROMPT)
    assert b"loop left\r\n" in text and b"Traceback" not in text
    assert loop.run("2*3") == "6\r\n"


def test_ctrl_d_runs_boot_py_and_main_py_again_in_new_memory(loop):
    loop.type(b"\x03")
    loop.expect(PROMPT)
    loop.run("leftover = 1")
    loop.type(b"\x04")
    loop.expect(b"MPY: soft reboot\r\nboot.py runs\r\nloop ready\r\n")
    loop.type(b"\x03")
    loop.expect(PROMPT)
    assert "NameError" in loop.run("leftover")
    assert loop.run("import machine; machine.reset_cause() == machine.SOFT_RESET") == "True\r\n"


def test_what_is_typed_during_a_soft_reset_is_not_lost(console):
    console.type(b"\x04print('a' + 'head')\r")
    console.expect(b"MPY: soft reboot\r\n")
    console.expect(b"ahead\r\n" + PROMPT)


def test_raw_repl_runs_what_ends_in_ctrl_d(console):
    console.type(b"\x01")
    console.expect(RAW_PROMPT)
    console.type(b"print(1)\nfor i in (2, 3):\n    print(i)\n\x04")
    assert console.expect(b"\x04>") == b"OK1\r\n2\r\n3\r\n\x04\x04>"
    console.type(b"1/0\x04")
    assert b"\x04Traceback" in console.expect(b"\x04>")
    console.type(b"\x02")
    console.expect(b'Type "help()" for more information.\r\n' + PROMPT)


def test_soft_reset_in_the_raw_repl_comes_back_there_without_main_py(loop):
    loop.type(b"\r\x03")
    loop.expect(PROMPT)
    loop.type(b"\x01")
    loop.expect(RAW_PROMPT)
    loop.type(b"\x04")
    text = loop.expect(RAW_PROMPT)
    assert text.startswith(b"OK\r\nMPY: soft reboot\r\nboot.py runs\r\nraw REPL")
    loop.type(b"\x02")
    loop.expect(PROMPT)
    loop.type(b"\x04")
    loop.expect(b"loop ready\r\n")


def test_machine_soft_reset_and_sys_exit_are_soft_resets(console):
    for line in ("import machine; machine.soft_reset()", "import sys; sys.exit(3)"):
        console.type(line + "\r")
        console.expect(b"MPY: soft reboot\r\nboot.py runs\r\n")
        console.expect(PROMPT)


def test_machine_reset_is_a_hard_one_from_anywhere(console):
    line = "import machine\rtry: machine.reset()\rexcept BaseException: print('caught')\r\r\r"
    console.type(line)
    assert b"caught\r\n" not in console.expect(b"rst:0xc (SW_CPU_RESET)")
    console.expect(PROMPT)
    assert console.run("import machine; machine.reset_cause() == machine.HARD_RESET") == "True\r\n"


def test_main_py_that_fails_shows_its_traceback_and_leaves_the_repl(tmp_path, boards, consoles):
    files = {"/boot.py": BOOT.encode(), "/main.py": b"import sys\n\nraise ValueError('bad')\n"}
    board = boards(image.build(tmp_path / "f.bin", files=files))
    console = consoles(board.pty)
    console.prompt()
    board.reset()
    text = console.expect(PROMPT)
    want = b'Traceback (most recent call last):\r\n  File "main.py", line 3, in <module>\r\n'
    assert b"boot.py runs\r\n" + want + b"ValueError: bad\r\nMicroPython" in text


def test_main_py_is_left_out_when_boot_py_fails(tmp_path, boards, consoles):
    files = {"/boot.py": b"1/0\n", "/main.py": b"print('main runs')\n"}
    board = boards(image.build(tmp_path / "f.bin", files=files))
    console = consoles(board.pty)
    console.prompt()
    board.reset()
    text = console.expect(PROMPT)
    assert b"ZeroDivisionError" in text and b"main runs" not in text


def test_main_py_that_exits_is_a_soft_reset(tmp_path, boards, consoles):
    program = b"import os, sys\nif 'once' not in os.listdir():\n    open('once', 'w').close()\n"
    files = {"/main.py": program + b"    sys.exit()\n"}
    board = boards(image.build(tmp_path / "f.bin", files=files))
    console = consoles(board.pty)
    console.prompt()
    console.run("import os; os.remove('once')")
    console.type(b"\x04")
    console.expect(b"MPY: soft reboot\r\nMPY: soft reboot\r\nMicroPython")


def test_globals_of_a_fresh_repl_are_those_of_a_chip(console):
    console.type(b"\x04")
    console.expect(PROMPT)
    assert console.run("sorted(globals())") == "['__file__', '__name__']\r\n"
    assert console.run("__file__, __name__") == "('boot.py', '__main__')\r\n"
    assert console.run("import sys; sys.path, sys.argv") == "(['', '.frozen', '/lib'], [])\r\n"
