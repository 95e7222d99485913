"""The body of a reply in its three framings (RFC 9112, section 6.3): chunked, with a length, or
until the connection ends.

Body(connection, framing, empty).readinto(buf) -> how many bytes, 0 at the end
"""

from micropython import const

from net.errors import Error

_LINE_MAX = const(4096)
_CHUNK_DIGITS = const(8)
_LENGTH_DIGITS = const(15)
_TRAILERS = const(64)
_DRAIN = const(1024)


class Body:
    """Bytes of a body, as they come.

    done      whether its end was reached
    bounded   whether it says where it ends, so that the connection can be used again
    """

    def __init__(self, connection, framing, empty):
        self._connection = connection
        self._got = 0
        self._size = 0 if empty else None
        self._chunked = False
        self._in_chunk = False
        if not empty:
            self._frame(framing)
        self._left = self._size or 0
        self.done = self._size == 0
        self.bounded = self._chunked or self._size is not None

    def readinto(self, buf):
        """Some bytes as soon as there are any. Error "net" if it ends before it should."""
        if self.done or not len(buf):
            return 0
        if self._chunked and not self._left and not self._next_chunk():
            return 0
        n = self._connection.readinto(buf, self._left if self.bounded else None)
        self._got += n
        if not n:
            return self._ended()
        if self.bounded:
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
        if not self.done and self.bounded:
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

    def _ended(self):
        reset = self._connection.reset
        self._connection.close()
        if not self.bounded and not reset:
            self.done = True
            return 0
        of = "" if self._size is None else " of %d" % self._size
        name = self._connection.name
        raise Error("net", "%s closed after %d%s bytes" % (name, self._got, of), "the same again")

    # To the start of the next chunk; False at the last one, its trailers read.
    def _next_chunk(self):
        if self._in_chunk and self._line():
            raise self._garbled("a chunk longer than it said")
        digits = self._line().partition(b";")[0].strip()
        if len(digits) > _CHUNK_DIGITS:
            raise self._garbled("a chunk size of more than %d digits" % _CHUNK_DIGITS)
        if not digits or any(c not in b"0123456789abcdefABCDEF" for c in digits):
            raise self._garbled("a chunk without a size")
        self._left = int(digits, 16)
        self._in_chunk = True
        if self._left:
            return True
        for _ in range(_TRAILERS):
            if not self._line():
                self.done = True
                return False
        raise self._garbled("more than %d trailers" % _TRAILERS)

    def _line(self):
        line = self._connection.line(_LINE_MAX)
        if line is None:
            self._ended()
        return line

    def _frame(self, framing):
        coding = framing.get("transfer-encoding", "").lower()
        if coding not in ("", "identity", "chunked"):
            raise self._garbled("a body coded as %r" % coding)
        self._chunked = coding == "chunked"
        if not self._chunked and "content-length" in framing:
            self._size = self._length(framing["content-length"])

    # Said twice is said once, if it is the same.
    def _length(self, text):
        parts = [part.strip() for part in text.split(",")]
        if not parts[0].isdigit() or any(part != parts[0] for part in parts):
            raise self._garbled("a Content-Length of %r" % text[:40])
        if len(parts[0]) > _LENGTH_DIGITS:
            raise self._garbled("a Content-Length of more than %d digits" % _LENGTH_DIGITS)
        return int(parts[0])

    def _garbled(self, what):
        self._connection.close()
        return Error("protocol", "%s sent %s" % (self._connection.name, what), "check the address")
