"""Fixtures for the tests of the virtual board: an image, boards from it, consoles to them."""

import os

import pytest
from board_samples import BOOT, LOOP, Console

from tools import image
from tools.board import Board


@pytest.fixture
def flash(tmp_path):
    """An image with the sample boot.py and no main.py."""
    return image.build(tmp_path / "flash.bin", files={"/boot.py": BOOT.encode()})


@pytest.fixture
def loop_flash(tmp_path):
    """An image whose main.py reads the console."""
    files = {"/boot.py": BOOT.encode(), "/main.py": LOOP.encode()}
    return image.build(tmp_path / "loop.bin", files=files)


@pytest.fixture
def boards():
    """Makes boards, switches them on, and looks afterwards that each is gone."""
    made = []

    def make(flash, **options):
        board = Board(flash, **options).start()
        made.append((board, board.pid))
        return board

    yield make
    for board, _ in made:
        board.stop()
    for _, pid in made:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.fixture
def consoles():
    """Opens consoles and closes them."""
    made = []

    def make(url):
        made.append(Console(url))
        return made[-1]

    yield make
    for console in made:
        console.close()


@pytest.fixture
def board(boards, flash):
    """A board at the prompt of the REPL."""
    return boards(flash)


@pytest.fixture
def console(board, consoles):
    """Its console, at a fresh prompt."""
    console = consoles(board.pty)
    console.prompt()
    return console
