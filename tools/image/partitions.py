"""The ESP32 partition table: written, and read back, in its binary format.

The layout is the one MicroPython's official 4 MB firmware has; on a larger flash the file
system grows. Nobody else may assume where a partition is: `find` reads the table.

    entry = find(flash_bytes, "vfs")      # Entry(label="vfs", offset=0x200000, size=...)
"""

import hashlib
import struct
from collections import namedtuple

TABLE = 0x8000
TABLE_SIZE = 0xC00

Entry = namedtuple("Entry", "label type subtype offset size")

_ROW = struct.Struct("<2sBBII16sI")
_MAGIC = b"\xaa\x50"
_MD5_MAGIC = b"\xeb\xeb" + b"\xff" * 14


def layout(flash_size: int) -> list:
    """The partitions of a flash of that size."""
    return [
        Entry("nvs", 1, 0x02, 0x9000, 0x6000),
        Entry("phy_init", 1, 0x01, 0xF000, 0x1000),
        Entry("factory", 0, 0x00, 0x10000, 0x1F0000),
        Entry("vfs", 1, 0x81, 0x200000, flash_size - 0x200000),
    ]


def pack(entries: list) -> bytes:
    """The table as it lies at 0x8000, with the MD5 row the boot loader checks."""
    rows = b"".join(
        _ROW.pack(_MAGIC, e.type, e.subtype, e.offset, e.size, e.label.encode(), 0)
        for e in entries
    )
    rows += _MD5_MAGIC + hashlib.md5(rows).digest()
    return rows.ljust(TABLE_SIZE, b"\xff")


def unpack(table: bytes) -> list:
    """The entries of a table; ValueError when it is none, or its MD5 is wrong."""
    entries = []
    for at in range(0, len(table), _ROW.size):
        row = table[at : at + _ROW.size]
        if row.startswith(_MD5_MAGIC):
            if row[16:] != hashlib.md5(table[:at]).digest():
                raise ValueError("the MD5 of the partition table is wrong")
            return entries
        if row[:2] != _MAGIC:
            break
        _, kind, subtype, offset, size, label, _ = _ROW.unpack(row)
        entries.append(Entry(label.rstrip(b"\0").decode(), kind, subtype, offset, size))
    raise ValueError("there is no partition table at 0x8000")


def find(flash: bytes, label: str) -> Entry:
    """The partition of that label, by the table in a flash (bytes or a mapping of it)."""
    for entry in unpack(bytes(flash[TABLE : TABLE + TABLE_SIZE])):
        if entry.label == label:
            return entry
    raise ValueError(f"the partition table has no {label!r}")
