"""The virtual board: real MicroPython on a flash image, behind a serial line.

`Board` is its Python face, `python -m tools.board` its command. README.md says what of it is
real and what is a stand-in.
"""

from tools.board.board import HEAP, Board
from tools.board.core import BoardError

__all__ = ["HEAP", "Board", "BoardError"]
