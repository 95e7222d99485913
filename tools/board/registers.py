"""The registers: one page of memory that the board and the world outside share.

It is a mapping of a nameless file, so it outlives a soft reset (the program starts anew in the
same chip) and is fresh after every hard one. The device side reads and writes the same bytes
by the same numbers (device/_hw.py has them too: it cannot import from here).

    0  STATE    OFF, BOOT (boot.py runs), MAIN (main.py), REPL
    1  CAUSE    why the chip started, as machine.reset_cause() says it
    2  AIR      1 while the access point can be heard; written from outside
    3  NET      the station's state, kept by device/network.py (3..7, name of the network 64..96)
    8  EVENT    number of the file descriptor that takes the chip's requests about itself
    9  FLASH    number of the file descriptor of the flash image
   16  MAC      six bytes
    page 2      all 0xFF: what an erased block looks like
"""

import mmap
import tempfile

STATE, CAUSE, AIR, MAC = 0, 1, 2, 16
OFF, BOOT, MAIN, REPL = range(4)
PWRON, HARD, SOFT = 1, 2, 5

PAGE = 4096
SIZE = 2 * PAGE


class Registers:
    """The page, and the file a child process maps to see the same one."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()
        self.file.truncate(SIZE)
        self._map = mmap.mmap(self.file.fileno(), SIZE)
        self._map[PAGE:] = b"\xff" * PAGE

    def __getitem__(self, index: int) -> int:
        return self._map[index]

    def __setitem__(self, index: int, value: int):
        self._map[index] = value

    def clear(self, cause: int, air: bool, mac: bytes):
        """What they are when the supply comes up, or the reset pin is let go."""
        self._map[:PAGE] = bytes(PAGE)
        self._map[CAUSE], self._map[AIR] = cause, air
        self._map[MAC : MAC + 6] = mac

    def close(self):
        self._map.close()
        self.file.close()
