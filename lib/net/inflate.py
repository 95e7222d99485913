"""A compressed body, read as what it was. Nobody here asks for one; some proxies send it anyway.

wrap(body, "gzip", "10.0.0.2") -> the same readinto, drain and done

It takes 32 KB of the heap, and gives text later than it comes: better than no reply.
"""

import io

from micropython import const

from net.errors import Error

_BUFFER = const(128)
_CODINGS = ("gzip", "x-gzip", "deflate")


def wrap(body, coding, name):
    """The body behind a Content-Encoding. Error "protocol" for one that cannot be read here."""
    words = "%s sent a body coded as %r" % (name, coding)
    if coding not in _CODINGS:
        raise Error("protocol", words, "check the address")
    try:
        import deflate
    except ImportError:
        raise Error("protocol", words + ", which this firmware cannot read")
    return Inflated(body, deflate.DeflateIO(_Source(body), deflate.AUTO), words)


class Inflated:
    """The bytes of a body, inflated."""

    def __init__(self, body, stream, words):
        self._body = body
        self._stream = stream
        self._words = words

    def readinto(self, buf):
        """Bytes into buf; 0 at the end."""
        try:
            return self._stream.readinto(buf)
        except (OSError, EOFError):
            self._body.close()
            raise Error("protocol", self._words + " that does not hold", "the same again")

    def drain(self, ms):
        """Whether the end of the body was reached; see net.body."""
        return self._body.drain(ms)

    def close(self):
        """Close the connection."""
        self._body.close()

    @property
    def bounded(self):
        """Whether the body says where it ends."""
        return self._body.bounded


# DeflateIO asks for single bytes.
class _Source(io.IOBase):
    def __init__(self, body):
        self._body = body
        self._buffer = bytearray(_BUFFER)
        self._at = self._end = 0

    def readinto(self, buf):
        if self._at == self._end:
            self._at = 0
            self._end = self._body.readinto(self._buffer)
        n = min(len(buf), self._end - self._at)
        buf[:n] = self._buffer[self._at : self._at + n]
        self._at += n
        return n
