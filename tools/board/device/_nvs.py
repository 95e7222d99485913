# NVS for the esp32 stand-in: keys and values in the nvs partition, safe against power cuts.
#
# Not the format of ESP-IDF. The partition is two banks; each starts with a magic word and a
# number, and records are appended: crc, kind, length of name, length of value, name, value.
# The last record of a name counts. A full bank is rewritten into the other one, whose head is
# written last, so that at any moment one bank is whole. A record whose crc is wrong was cut
# off by a loss of power, and ends its bank.

import struct
from binascii import crc32

from micropython import const

_HEAD = "<4sI"
_MAGIC = b"kv01"
_RECORD = "<IBBH"
_START = const(8)
_FIXED = const(8)

_GONE = const(0)
_I32 = const(1)
_BLOB = const(2)

_NOT_FOUND = const(-0x1102)
_NO_SPACE = const(-0x1105)
_TOO_LONG = const(-0x1109)


class _Store:
    def __init__(self, part):
        self._part = part
        self._size = part.info()[3] // 2
        numbers = [self._number(0), self._number(1)]
        self._bank = 1 if numbers[1] > numbers[0] else 0
        self._seq = numbers[self._bank]
        self._end = self._start(self._bank)
        if self._seq:
            for record in self._records():
                self._end = record[3]
        else:
            self._begin(1 - self._bank, {})

    def _start(self, bank):
        return bank * self._size + _START

    def _read(self, at, size):
        buf = bytearray(size)
        self._part.readblocks(0, buf, at)
        return buf

    def _number(self, bank):
        magic, seq = struct.unpack(_HEAD, self._read(bank * self._size, _START))
        return seq if magic == _MAGIC else 0

    # (name, kind, value, where it ends) of every whole record.
    def _records(self):
        at = self._start(self._bank)
        limit = (self._bank + 1) * self._size
        while at + _FIXED <= limit:
            crc, kind, klen, vlen = struct.unpack(_RECORD, self._read(at, _FIXED))
            if kind > _BLOB or at + _FIXED + klen + vlen > limit:
                return
            body = self._read(at + 4, 4 + klen + vlen)
            if crc32(body) != crc:
                return
            at += _FIXED + klen + vlen
            yield bytes(body[4 : 4 + klen]), kind, body[4 + klen :], at

    def _write(self, bank, at, name, kind, value):
        body = struct.pack("<BBH", kind, len(name), len(value)) + name + value
        record = struct.pack("<I", crc32(body)) + body
        if at + len(record) > (bank + 1) * self._size:
            raise OSError(_NO_SPACE, "ESP_ERR_NVS_NOT_ENOUGH_SPACE")
        self._part.writeblocks(0, record, at)
        return at + len(record)

    # Make `bank` the one in use, with these values; its head is written last.
    def _begin(self, bank, values):
        first = bank * self._size // 4096
        for block in range(first, first + self._size // 4096):
            self._part.ioctl(6, block)
        at = self._start(bank)
        for name, (kind, value) in values.items():
            at = self._write(bank, at, name, kind, value)
        self._part.writeblocks(0, struct.pack(_HEAD, _MAGIC, self._seq + 1), bank * self._size)
        self._bank, self._seq, self._end = bank, self._seq + 1, at

    # Nothing half-written may lie behind the last record: appending there would not be read.
    def _clean(self):
        size = min(16, (self._bank + 1) * self._size - self._end)
        return self._read(self._end, size) == b"\xff" * size

    def put(self, name, kind, value):
        if self._clean():
            try:
                self._end = self._write(self._bank, self._end, name, kind, value)
                return
            except OSError:
                pass
        values = {n: (k, v) for n, k, v, _ in self._records()}
        values[name] = (kind, value)
        self._begin(1 - self._bank, {n: kv for n, kv in values.items() if kv[0] != _GONE})

    def get(self, name, kind):
        found = None
        for n, k, value, _ in self._records():
            if n == name:
                found = (k, value)
        if found is None or found[0] != kind:
            raise OSError(_NOT_FOUND, "ESP_ERR_NVS_NOT_FOUND")
        return found[1]


# The one store that all NVS objects write to.
_store = []


class NVS:
    def __init__(self, namespace):
        import esp32

        if len(namespace) > 15:
            raise OSError(_TOO_LONG, "ESP_ERR_NVS_KEY_TOO_LONG")
        if not _store:
            _store.append(_Store(esp32.Partition("nvs")))
        self._store = _store[0]
        self._space = namespace

    def _name(self, key):
        if len(key) > 15:
            raise OSError(_TOO_LONG, "ESP_ERR_NVS_KEY_TOO_LONG")
        return (self._space + "\0" + key).encode()

    def set_i32(self, key, value):
        self._store.put(self._name(key), _I32, struct.pack("<i", value))

    def get_i32(self, key):
        return struct.unpack("<i", self._store.get(self._name(key), _I32))[0]

    def set_blob(self, key, value):
        self._store.put(self._name(key), _BLOB, bytes(value))

    # Fills the buffer and returns the length, as on the chip.
    def get_blob(self, key, buf):
        value = self._store.get(self._name(key), _BLOB)
        buf[: len(value)] = value
        return len(value)

    def erase_key(self, key):
        name = self._name(key)
        for kind in (_I32, _BLOB):
            try:
                self._store.get(name, kind)
            except OSError:
                continue
            return self._store.put(name, _GONE, b"")
        raise OSError(_NOT_FOUND, "ESP_ERR_NVS_NOT_FOUND")

    # Every set is in flash when it returns.
    def commit(self):
        pass
