"""The body of a reply in its three framings (RFC 9112, section 6.3): chunked, with a length, or
until the connection ends.

Body(connection, framing, empty).readinto(buf) -> how many bytes, 0 at the end
"""

from micropython import const

from net.errors import Error

_LINE_MAX = const(4096)
_CHUNK_DIGITS = const(8)
_TRAILERS = const(64)
_DRAIN = const(1024)


class Body:
    """Bytes of a body, as they come."""

    def __init__(self, connection, framing, empty):
        self._connection = connection
        self._got = 0
        self._size = None
        self._chunked = framing.get("transfer-encoding", "").lower().endswith("chunked")
        if empty:
            self._chunked, self._size = False, 0
        elif not self._chunked and "content-length" in framing:
            self._size = self._length(framing["content-length"])
        self._left = self._size or 0
        self.done = self._size == 0

    def readinto(self, buf):
        """Some bytes as soon as there are any. Error "net" if it ends before it should."""
        if self.done:
            return 0
        if self._chunked and not self._left and not self._next_chunk():
            return 0
        until_end = self._size is None and not self._chunked
        n = self._connection.readinto(buf, len(buf) if until_end else min(self._left, len(buf)))
        self._got += n
        if not n:
            return self._ended(until_end)
        if not until_end:
            self._left -= n
            self.done = not self._left and not self._chunked
        return n

    def close(self):
        """Close the connection."""
        self._connection.close()

    def drain(self, ms):
        """Read what little is left, if it comes within ms; returns whether the end was reached.

        So a connection can be used again although the reader stopped at the last event.
        """
        if not self.done and (self._chunked or self._size is not None):
            deadlines = self._connection.deadlines
            before, deadlines.idle = deadlines.idle, ms
            try:
                self._skip()
            except Error:
                pass
            deadlines.idle = before
        return self.done

    def _skip(self):
        buf = bytearray(128)
        most = self._got + _DRAIN
        while self._got < most and self.readinto(buf):
            pass

    def _ended(self, until_end):
        self._connection.close()
        if until_end:
            self.done = True
            return 0
        of = "" if self._size is None else " of %d" % self._size
        name = self._connection.name
        raise Error("net", "%s closed after %d%s bytes" % (name, self._got, of), "the same again")

    # To the start of the next chunk; False at the last one, its trailers read.
    def _next_chunk(self):
        line = self._line()
        if not line and self._got:  # the line end that follows a chunk's bytes
            line = self._line()
        digits = line.partition(b";")[0].strip()
        if not digits or len(digits) > _CHUNK_DIGITS:
            raise self._garbled("a chunk")
        try:
            self._left = int(digits, 16)
        except ValueError:
            raise self._garbled("a chunk")
        if self._left < 0:
            raise self._garbled("a chunk")
        if self._left:
            return True
        for _ in range(_TRAILERS):
            if not self._line():
                self.done = True
                return False
        raise self._garbled("trailers")

    def _line(self):
        line = self._connection.line(_LINE_MAX)
        if line is None:
            self._ended(False)
        return line

    def _length(self, text):
        parts = [part.strip() for part in text.split(",")]
        if not parts[0].isdigit() or any(part != parts[0] for part in parts):
            raise self._garbled("Content-Length")
        return int(parts[0])

    def _garbled(self, what):
        self._connection.close()
        return Error("protocol", "%s sent %s that makes no sense" % (self._connection.name, what))
