"""Supply, flash and processes: what survives what, and what is left behind (nothing)."""

import os
import signal
import subprocess
import sys
import time

import pytest
from board_samples import PROMPT

from tools import image
from tools.board import Board, BoardError

# Writes the file "file" over and over, each time anew.
WRITER = """\
import os
open("file", "w").close()
n = 0
while True:
    n += 1
    with open("new", "w") as f:
        _ = f.write("%d " % n * 800)
    os.rename("new", "file")
    print("n", n)
"""

# How much memory 200 more calls of the device under the file system take.
MEASURE = """\
import gc, _hw
d = _hw.Disk(0x200000, 0x1000)
b = bytearray(128)
def taken(times, function, args):
    before = gc.mem_alloc()
    for i in range(times):
        function(*args)
    return gc.mem_alloc() - before
def more(function, *args):
    return taken(400, function, args) - taken(200, function, args)
_ = gc.collect()
gc.disable()
read, write, control = d.readblocks, d.writeblocks, d.ioctl
print(more(read, 0, b, 0), more(write, 256, b, 0), more(control, 6, 256), more(control, 3, 0))
"""


def chips(pid: int) -> set:
    """The chips that a process has running."""
    if os.path.isdir("/proc/self"):
        folders = (f"/proc/{name}" for name in os.listdir("/proc") if name.isdigit())
        rows = (proc_row(folder) for folder in folders)
    else:
        ps = subprocess.run(["ps", "-A", "-o", "ppid=,pid=,args="], capture_output=True, text=True)
        rows = (line.split(None, 2) for line in ps.stdout.splitlines())
    return {int(row[1]) for row in rows if int(row[0]) == pid and "chip.py" in row[2]}


def proc_row(folder: str) -> tuple:
    """Parent, number and command of a process; of one that ends just now, nothing."""
    try:
        with open(folder + "/stat") as stat, open(folder + "/cmdline") as command:
            state, parent = stat.read().rpartition(")")[2].split()[:2]
            return (0 if state == "Z" else parent), os.path.basename(folder), command.read()
    except OSError:
        return 0, 0, ""


def wait_gone(pid: int, seconds: float = 5):
    """Wait until a process that is no child of ours has ended; fails when it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        # Nobody may be there to collect it: then it is gone as a zombie.
        if os.path.isdir("/proc/self") and proc_row(f"/proc/{pid}")[0] == 0:
            return
        time.sleep(0.01)
    raise AssertionError(f"process {pid} is still there")


def test_power_cut_keeps_what_was_closed_and_loses_what_was_not(board, console):
    console.run("f = open('kept', 'w'); n = f.write('whole'); f.close()")
    console.run("g = open('lost', 'w'); n = g.write('x' * 9000)")
    board.power_cut()
    assert not board.on and board.pid is None
    board.start()
    console.prompt()
    assert console.run("open('kept').read()") == "'whole'\r\n"
    assert console.run("import os; 'lost' in os.listdir() and os.stat('lost')[6]") in (
        "0\r\n",
        "False\r\n",
    )


def test_power_cut_during_writes_leaves_the_old_or_the_new(board, console):
    for round in range(5):
        console.paste(WRITER)
        console.expect(b"n %d\r\n" % (3 + round))
        board.power_cut()
        board.start()
        console.prompt()
        assert console.run("d = open('file').read().split(); len(d)") == "800\r\n"
        assert console.run("len(set(d)), int(d[0]) >= 3") == "(1, True)\r\n"


def test_ctrl_c_in_the_middle_of_the_file_system_leaves_it_whole(console):
    for round in range(20):
        console.paste(WRITER)
        console.expect(b"n %d\r\n" % (1 + round % 5))
        console.type(b"\x03")
        assert b"KeyboardInterrupt" in console.expect(PROMPT)
        assert console.run("len(set(open('file').read().split()))") == "1\r\n"


def test_files_that_nobody_closed_are_collected_without_harm(console):
    console.paste(WRITER.replace("    with open", "    _ = open('file').read()\n    with open"))
    console.expect(b"n 300\r\n", 10)
    console.type(b"\x03")
    assert b"KeyboardInterrupt" in console.expect(PROMPT)


def test_device_under_the_file_system_takes_no_memory(console):
    console.paste(MEASURE)
    assert console.expect(PROMPT) == b"0 0 0 0\r\n" + PROMPT


def test_file_is_in_the_image_when_the_board_is_off(board, console):
    console.run("f = open('note', 'wb'); n = f.write(b'hello'); f.close()")
    board.stop()
    assert image.read_file(board.flash, "/note") == b"hello"


def test_empty_file_system_is_formatted_as_on_the_first_start_of_a_chip(flash, boards, consoles):
    with open(flash, "r+b") as file:
        file.seek(0x200000)
        file.write(b"\xff" * 0x200000)
    console = consoles(boards(flash).pty)
    console.prompt()
    assert console.run("import os; os.listdir(), os.statvfs('/')[2]") == "([], 512)\r\n"


def test_boards_run_side_by_side_each_on_its_own(tmp_path, boards, consoles):
    made = []
    for name in ("one", "two", "three"):
        board = boards(image.build(tmp_path / name, files={"/who": name.encode()}))
        made.append((name, board, consoles(board.pty)))
    for name, _, console in made:
        console.prompt()
        assert console.run("open('who').read()") == f"'{name}'\r\n"
    made[0][1].power_cut()
    assert made[1][2].run("1") == "1\r\n"
    ids = {console.run("import machine; machine.unique_id()") for _, _, console in made[1:]}
    assert len(ids) == 2


def test_flash_of_a_board_that_is_on_serves_no_second_one(board):
    with pytest.raises(OSError, match="in use"):
        Board(board.flash).start()
    board.power_cut()
    with Board(board.flash) as second:
        assert second.on


def test_boot_py_that_does_not_end_is_a_timeout_that_leaves_nothing(tmp_path):
    path = image.build(tmp_path / "f.bin", files={"/boot.py": b"while True: pass\n"})
    board = Board(path)
    with pytest.raises(TimeoutError):
        board.start(timeout=0.5)
    assert not board.on and not chips(os.getpid())


def test_heap_too_small_to_start_is_an_error_that_says_so(flash):
    with pytest.raises(BoardError, match="MemoryError"):
        Board(flash, heap=10_000).start()
    assert not chips(os.getpid())


def test_board_can_be_started_again_after_stop(board):
    board.stop()
    board.stop()
    board.start()
    assert board.on and board.pid


@pytest.fixture
def command(flash, tmp_path):
    """`python -m tools.board` in the foreground of its own process, its console there."""
    link = tmp_path / "console"
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.board", "--flash", str(flash), "--pty", str(link)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == f"console: {link}\n"
    yield process, link
    process.kill()
    process.wait()
    process.stdout.close()


def leave(console):
    """From the console of the project, which the command starts, to the REPL."""
    console.type("\r")
    console.expect(b"antos> ")
    console.type("\x03")
    console.expect(PROMPT)
    console.prompt()


def test_command_answers_on_its_console(command, consoles):
    console = consoles(str(command[1]))
    leave(console)
    assert console.run("6*7") == "42\r\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_command_ends_cleanly_on_a_signal(command, number):
    process, link = command
    (chip,) = chips(process.pid)
    process.send_signal(number)
    assert process.wait(5) == 0
    wait_gone(chip)
    assert not link.is_symlink()
    assert process.stdout.read() == ""


def test_chip_ends_when_the_command_is_killed_even_in_a_busy_loop(command, consoles):
    process, link = command
    console = consoles(str(link))
    leave(console)
    console.busy()
    (chip,) = chips(process.pid)
    process.kill()
    wait_gone(chip)


def test_chip_ends_when_the_command_is_killed_while_it_starts(flash, tmp_path):
    process = subprocess.Popen([sys.executable, "-m", "tools.board", "--flash", str(flash)])
    end = time.monotonic() + 5
    while not chips(process.pid):
        assert time.monotonic() < end
    (chip,) = chips(process.pid)
    process.kill()
    process.wait()
    wait_gone(chip)


def test_command_takes_over_a_link_that_was_left_behind(command, flash, tmp_path):
    process, link = command
    process.kill()
    process.wait()
    assert link.is_symlink()
    with Board(flash, pty=link) as board:
        assert board.pty == str(link) and link.exists()
    assert not link.is_symlink()


def test_command_does_not_overwrite_a_file_with_its_link(flash, tmp_path):
    (tmp_path / "file").write_text("precious")
    arguments = ["--flash", str(flash), "--pty", str(tmp_path / "file")]
    done = subprocess.run(
        [sys.executable, "-m", "tools.board", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr.startswith("board: ")
    assert (tmp_path / "file").read_text() == "precious"


def test_fresh_forgets_the_flash_and_without_it_the_flash_persists(tmp_path, consoles):
    path, link = tmp_path / "f.bin", tmp_path / "console"
    image.build(path, files={"/mine": b"x"})
    for fresh, there in ((False, True), (True, False)):
        command = [sys.executable, "-m", "tools.board", "--flash", str(path), "--pty", str(link)]
        command += ["--fresh"] if fresh else []
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        process.stdout.readline()
        process.terminate()
        assert process.wait(5) == 0
        process.stdout.close()
        assert ("/mine" in image.list_files(path)) is there


def test_prompt_comes_back_after_a_crash_of_the_interpreter(board, console):
    os.kill(board.pid, signal.SIGSEGV)
    console.expect(b"rst:0xc (SW_CPU_RESET)")
    console.expect(PROMPT)
