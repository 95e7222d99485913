"""Shortens the texts inside of a JSON document while it passes. Knows JSON strings, no more.

trim = Trim(8192); small = trim.feed(chunk)      # valid JSON again, however long it was

A string of more than the limit keeps its start and says what was cut: "...[cut: 8192 of 1048576
bytes]". All strings together keep what `total` allows. So a result of any size fits.
"""

from micropython import const

_LEAST = const(48)
_BINARY_MAX = const(512)  # base64 is of no use to a model: only its size is told
_KEY_MAX = const(16)
_NEXT = const(-1)  # the byte after a backslash tells how long the escape is
_MARK = "[cut: "
_BINARY = (b"data", b"blob")
_WHOLE = (b"requestState",)  # goes back as it came


class Trim:
    """A push filter; see the module."""

    def __init__(self, limit, total=None):
        self._limit = limit
        self._left = 2 * limit if total is None else total
        self._in_string = False
        self._passes = 0  # bytes of an escape that are to come; it is kept or dropped whole
        self._size = 0
        self._most = 0
        self._kept = 0
        self._last = b""  # the start of the last string
        self._key = b""  # the last string, if a colon followed

    def feed(self, chunk):
        """Take bytes; returns the bytes that are left of them."""
        out = []
        at = 0
        while at < len(chunk):
            at = self._inside(chunk, at, out) if self._in_string else self._outside(chunk, at, out)
        return out[0] if len(out) == 1 else b"".join(out)

    def _outside(self, chunk, at, out):
        quote = chunk.find(b'"', at)
        end = len(chunk) if quote < 0 else quote + 1
        if chunk.find(b":", at, end) >= 0:
            self._key = self._last
        out.append(chunk[at:end])
        if quote >= 0:
            self._begin()
        return end

    def _begin(self):
        self._in_string = True
        self._size = self._kept = self._passes = 0
        self._most = max(_LEAST, min(self._limit, self._left))
        if self._key in _BINARY:
            self._most = min(self._most, _BINARY_MAX)
        elif self._key in _WHOLE:
            self._most = 1 << 29
        self._last = b""
        self._key = b""

    def _inside(self, chunk, at, out):
        if self._passes:
            return self._escape(chunk, at, out)
        byte = chunk[at]
        if byte == 92:
            self._passes = _NEXT
            self._keep(chunk, at, at + 1, self._kept == self._size < self._most, out)
            return at + 1
        if byte == 34:
            self._end(out)
            return at + 1
        return self._plain(chunk, at, out)

    # Bytes up to a quote or a backslash. Whole characters are kept: those that go on (10xxxxxx)
    # are taken along.
    def _plain(self, chunk, at, out):
        quote = chunk.find(b'"', at)
        end = len(chunk) if quote < 0 else quote
        slash = chunk.find(b"\\", at, end)
        if slash >= 0:
            end = slash
        keep = at
        if self._kept == self._size:
            keep = min(end, at + max(0, self._most - self._size))
            while keep < end and chunk[keep] & 0xC0 == 0x80:
                keep += 1
        self._keep(chunk, at, keep, True, out)
        self._size += end - keep
        return end

    def _escape(self, chunk, at, out):
        if self._passes == _NEXT:
            end = at + 1
            self._passes = 4 if chunk[at] == 117 else 0
        else:
            end = min(len(chunk), at + self._passes)
            self._passes -= end - at
        self._keep(chunk, at, end, self._kept == self._size, out)
        return end

    def _keep(self, chunk, at, end, kept, out):
        if kept and end > at:
            out.append(chunk[at:end])
            self._kept += end - at
            if len(self._last) < _KEY_MAX:
                self._last += chunk[at : min(end, at + _KEY_MAX)]
        self._size += end - at

    def _end(self, out):
        self._in_string = False
        self._left -= self._kept
        if self._kept < self._size:
            words = "\\n" + _MARK + "%d of %d bytes]" % (self._kept, self._size)
            out.append(words.encode())
        out.append(b'"')


def size_of(text):
    """How many bytes a text had before it was shortened."""
    at = text.rfind(_MARK)
    if at < 0 or not text.endswith(" bytes]"):
        return len(text)
    return int(text[at:].split(" ")[3])
