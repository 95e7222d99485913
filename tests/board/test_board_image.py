"""The flash image: what lies where, and files in it while no board runs from it."""

import hashlib
import struct
import subprocess
import sys

import pytest

from tools import image
from tools.board import Board
from tools.image import partitions

LIB = {"ai/__init__.py": "", "ai/chat.py": "def turn():\n    raise ValueError('no')\n"}


@pytest.fixture
def tree(tmp_path):
    """A source tree like this project's, small."""
    for name, text in {**LIB, "../boot.py": "", "../main.py": "print('tree main')\n"}.items():
        path = tmp_path / "tree" / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


def test_partition_table_is_the_one_of_the_official_firmware(flash):
    data = flash.read_bytes()
    table = data[0x8000:0x8C00]
    rows = [struct.unpack("<HBBII16sI", table[i : i + 32]) for i in range(0, 128, 32)]
    assert [(r[0], r[1], r[2], r[3], r[4], r[5].rstrip(b"\0")) for r in rows] == [
        (0x50AA, 1, 2, 0x9000, 0x6000, b"nvs"),
        (0x50AA, 1, 1, 0xF000, 0x1000, b"phy_init"),
        (0x50AA, 0, 0, 0x10000, 0x1F0000, b"factory"),
        (0x50AA, 1, 0x81, 0x200000, 0x200000, b"vfs"),
    ]
    assert table[128:160] == b"\xeb\xeb" + b"\xff" * 14 + hashlib.md5(table[:128]).digest()
    assert set(table[160:]) == {0xFF}
    assert len(data) == 4 << 20


def test_app_area_is_empty(flash):
    assert set(flash.read_bytes()[0x10000:0x200000]) == {0xFF}


def test_file_system_fills_a_larger_flash(tmp_path):
    path = image.build(tmp_path / "big.bin", image.SIZES["8M"], {})
    entry = partitions.find(path.read_bytes(), "vfs")
    assert (entry.offset, entry.size) == (0x200000, 0x600000)
    with Board(path) as board:
        assert board.on


def test_file_system_is_littlefs_2_0(flash):
    superblock = flash.read_bytes()[0x200000:0x201000]
    at = superblock.index(b"littlefs")
    version, block_size, count = struct.unpack_from("<III", superblock, at + 12)
    assert (version, block_size, count) == (0x00020000, 4096, 512)


def test_damaged_partition_table_is_refused(flash):
    data = bytearray(flash.read_bytes())
    data[0x8004] ^= 1
    with pytest.raises(ValueError, match="MD5"):
        partitions.find(data, "vfs")


def test_files_can_be_written_read_listed_and_removed(flash):
    image.write_file(flash, "/data/deep/note.txt", b"\x00\xff")
    assert image.read_file(flash, "/data/deep/note.txt") == b"\x00\xff"
    assert image.list_files(flash) == ["/boot.py", "/data/deep/note.txt"]
    image.remove_file(flash, "/data/deep/note.txt")
    assert image.list_files(flash) == ["/boot.py"]
    with pytest.raises(FileNotFoundError):
        image.read_file(flash, "/data/deep/note.txt")


def test_image_of_a_running_board_cannot_be_edited(board):
    with pytest.raises(OSError, match="in use"):
        image.write_file(board.flash, "/x", b"")


def test_tree_becomes_scripts_and_compiled_packages(tree):
    files = image.project_files(tree)
    scripts = {name: data for name, data in files.items() if name.endswith(".py")}
    assert scripts == {"/boot.py": b"", "/main.py": b"print('tree main')\n"}
    assert files["/lib/ai/chat.mpy"][:2] == b"M\x06"
    assert b"ai/chat.py" in files["/lib/ai/chat.mpy"]


def test_traceback_names_the_file_as_it_is_called_in_lib(tree, tmp_path, boards, consoles):
    path = image.build(tmp_path / "t.bin", files=image.project_files(tree))
    console = consoles(boards(path).pty)
    console.prompt()
    assert 'File "ai/chat.py", line 2, in turn' in console.run("import ai.chat; ai.chat.turn()")


def test_refresh_renews_lib_and_nothing_of_the_user(tree, tmp_path):
    path = image.build(tmp_path / "t.bin", files=image.project_files(tree))
    image.write_file(path, "/main.py", b"# mine\n")
    image.write_file(path, "/data/x", b"mine")
    image.write_file(path, "/lib/installed.mpy", b"mine")
    assert image.refresh(path, tree) == []
    # MicroPython would run the source in place of the module: mpremote fs cp -r lib : brings it.
    image.write_file(path, "/lib/ai/chat.py", b"SHADOW = 1\n")
    image.write_file(path, "/lib/own.py", b"mine")
    assert image.refresh(path, tree) == ["/lib/ai/chat.py"]
    assert image.read_file(path, "/lib/own.py") == b"mine"

    (tree / "lib/ai/chat.py").write_text("CHANGED = 1\n")
    (tree / "lib/ai/reply.py").write_text("")
    (tree / "lib/ai/__init__.py").unlink()
    changed = ["/lib/ai/__init__.mpy", "/lib/ai/chat.mpy", "/lib/ai/reply.mpy"]
    assert image.refresh(path, tree) == changed
    assert b"CHANGED" in image.read_file(path, "/lib/ai/chat.mpy")
    assert "/lib/ai/__init__.mpy" not in image.list_files(path)
    assert image.read_file(path, "/main.py") == b"# mine\n"
    assert image.read_file(path, "/data/x") == b"mine"
    assert image.read_file(path, "/lib/installed.mpy") == b"mine"


def test_refresh_writes_scripts_only_where_absent(tree, tmp_path):
    path = image.build(tmp_path / "t.bin", files={})
    assert {"/boot.py", "/main.py"} <= set(image.refresh(path, tree))
    assert image.read_file(path, "/main.py") == b"print('tree main')\n"


def test_error_of_the_compiler_names_the_file(tree):
    (tree / "lib/ai/chat.py").write_text("def broken(:\n")
    with pytest.raises(image.CompileError, match='ai/chat.py", line 1'):
        image.project_files(tree)


def test_command_builds_an_image_with_data(tmp_path):
    out = tmp_path / "c.bin"
    command = [sys.executable, "-m", "tools.image", "--out", str(out)]
    done = subprocess.run([*command, "--data", "a/b=c=d"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert image.read_file(out, "/data/a/b") == b"c=d"
    wrong = subprocess.run([*command, "--data", "nothing"], capture_output=True, text=True)
    assert wrong.returncode != 0 and "KEY=VALUE" in wrong.stderr
