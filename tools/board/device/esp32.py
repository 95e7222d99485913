# Stand-in for the esp32 module: Partition and NVS on the flash image, and the heap figures.

import struct

import _hw
from _nvs import NVS  # noqa: F401
from micropython import const

_TABLE = const(0x8000)
_ROW = "<2sBBII16s"

HEAP_DATA = const(4)
HEAP_EXEC = const(1)


class Partition:
    BOOT = const(0)
    RUNNING = const(1)
    TYPE_APP = const(0)
    TYPE_DATA = const(1)

    def __init__(self, name, block_size=_hw.BLOCK):
        row = next(_rows("factory" if name in (0, 1) else name), None)
        if row is None:
            raise OSError(2)
        self._info = row
        self._block = block_size

    # `type` shadows the built-in because that is the chip's keyword.
    @staticmethod
    def find(type=TYPE_APP, subtype=0xFF, label=None, block_size=_hw.BLOCK):
        rows = _rows(label)
        return [
            Partition(r[4], block_size) for r in rows if r[0] == type and subtype in (0xFF, r[1])
        ]

    def info(self):
        return self._info

    # Moves to a place in it, from where `size` bytes must still belong to it.
    def _seek(self, block, offset, size):
        at = block * self._block + offset
        if not 0 <= at <= self._info[3] - size:
            raise OSError(22)
        _hw.FLASH.seek(self._info[2] + at)

    def readblocks(self, block, buf, offset=0):
        self._seek(block, offset, len(buf))
        _hw.FLASH.readinto(buf)

    # Without an offset the chip erases first, which writing whole blocks amounts to.
    def writeblocks(self, block, buf, offset=0):
        self._seek(block, offset, len(buf))
        _hw.FLASH.write(buf)

    def ioctl(self, op, arg):
        if op == 4:
            return self._info[3] // self._block
        if op == 5:
            return self._block
        if op == 6:
            for i in range(0, self._block, _hw.BLOCK):
                self._seek(arg, i, _hw.BLOCK)
                _hw.FLASH.write(_hw.ERASED)
        return 0

    def __repr__(self):
        text = "<Partition type={}, subtype={}, address={}, size={}, label={}>"
        return text.format(*self._info)


# The rows of the partition table: (type, subtype, address, size, label, encrypted).
def _rows(label):
    row = bytearray(32)
    for at in range(_TABLE, _TABLE + 0xC00, 32):
        _hw.FLASH.seek(at)
        _hw.FLASH.readinto(row)
        magic, kind, sub, addr, size, name = struct.unpack(_ROW, row)
        if magic != b"\xaa\x50":
            return
        name = name.rstrip(b"\0").decode()
        if label is None or label == name:
            yield (kind, sub, addr, size, name, False)


def idf_heap_info(capabilities):
    import gc

    free = gc.mem_free()
    return [(free + gc.mem_alloc(), free, free, free)]
