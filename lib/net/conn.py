"""One connection: a socket that never blocks, with deadlines, and one buffer. Not HTTP.

conn = Connection("http", "10.0.0.2", 80, deadlines); conn.send(b"..."); conn.line(1024)

Everything waits in slices, so Ctrl-C works at any point, also inside a TLS handshake.
"""

import gc
import select
import socket
import time

from micropython import const

from net.errors import Error
from net import url, wifi

_SLICE_MS = const(100)
_BUFFER = const(1024)
_IN = const(1)
_OUT = const(4)
_FAILED = const(8 | 16)  # POLLERR, POLLHUP
# EAGAIN EALREADY EISCONN EINPROGRESS, as the unix port and lwIP number them.
_BUSY = (11, 114, 115, 119, 120, 127)
_NO_MEMORY = (12, 16, -0x4290, -17040)
_NO_NAME = "cannot resolve %s"

# What an errno means; the rest is shown as a number.
_WORDS = (
    ((104, 103, 32, -0x7280, 128), "%s closed the connection"),
    ((111,), "nothing listens at %s"),
    ((113, 118), "no way to %s"),
    ((101,), "no network to reach %s"),
    ((110, 116), "%s does not answer"),
)


class Deadlines:
    """How long things may take, in ms; None for no limit. `total` starts now."""

    def __init__(self, connect=10000, idle=60000, total=None):
        self.connect = connect
        self.idle = idle
        self._total = total
        self._end = None if total is None else time.ticks_add(time.ticks_ms(), total)

    def left(self, limit):
        """(ms until the next deadline, what passes then); negative ms: it has passed."""
        if self._end is None:
            return limit, None
        rest = time.ticks_diff(self._end, time.ticks_ms())
        return (rest, self._total) if limit is None or rest < limit else (limit, None)


class Connection:
    """A socket to one host. Any Error closes it."""

    def __init__(self, scheme, host, port, deadlines):
        self.origin = (scheme, host, port)
        self.name = url.authority(scheme, host, port)
        self.deadlines = deadlines
        self.received = False
        self._buffer = bytearray(_BUFFER)
        self._view = memoryview(self._buffer)
        self._start = self._end = 0
        self._sock = None
        self._poll = select.poll()
        try:
            self._open(scheme, host, port)
        except BaseException:
            self.close()
            raise

    def close(self):
        """Close the socket; twice is once."""
        sock, self._sock = self._sock, None
        if sock:
            self._poll.unregister(sock)
            sock.close()

    def is_stale(self):
        """Whether an idle connection is of no use: closed, or with bytes nobody asked for."""
        return self._sock is None or self._end > self._start or self._ready(_IN, 0)

    def send(self, pieces):
        """Send an iterable of bytes, gathered in the buffer to few packets."""
        filled = 0
        for piece in pieces:
            at = 0
            while at < len(piece):
                n = min(len(piece) - at, _BUFFER - filled)
                self._buffer[filled : filled + n] = piece[at : at + n] if n < len(piece) else piece
                filled += n
                at += n
                if filled == _BUFFER:
                    self._write(filled)
                    filled = 0
        self._write(filled)
        self._start = self._end = 0
        self.received = False

    def readinto(self, buf, most):
        """At most `most` bytes into buf, as soon as there are some; 0 when the peer has ended."""
        most = min(most, len(buf))
        if self._start == self._end:
            return self._receive(memoryview(buf)[:most])
        n = min(most, self._end - self._start)
        buf[:n] = self._view[self._start : self._start + n]
        self._start += n
        return n

    def line(self, cap):
        """The next line without its end; None when the peer has ended before it did."""
        pieces = []
        size = 0
        while True:
            if self._start == self._end and not self._fill():
                return None
            found = self._buffer.find(b"\n", self._start, self._end)
            end = self._end if found < 0 else found
            pieces.append(bytes(self._view[self._start : end]))
            size += end - self._start
            if size > cap:
                raise Error("protocol", "%s sent a line of more than %d bytes" % (self.name, cap))
            self._start = end if found < 0 else found + 1
            if found >= 0:
                line = b"".join(pieces)
                return line[:-1] if line.endswith(b"\r") else line

    def fail(self, error):
        """The Error that stands for an OSError of this connection; closes it."""
        self.close()
        return explain(error, self.name)

    def _fill(self):
        self._start = 0
        self._end = 0
        self._end = self._receive(self._view)
        return self._end

    def _open(self, scheme, host, port):
        family, kind, proto, _, address = _resolve(host, port)
        try:
            self._sock = socket.socket(family, kind, proto)
            self._sock.setblocking(False)
            self._poll.register(self._sock, _IN | _OUT)
            self._connect(address)
            if scheme == "https":
                self._secure(host)
        except OSError as error:
            raise self.fail(error)

    def _connect(self, address):
        try:
            self._sock.connect(address)
        except OSError as error:
            if error.errno not in _BUSY:
                raise
        self._wait(_OUT, self.deadlines.connect, "connect")
        # What became of it is told by the first read: there is no SO_ERROR to ask for.
        try:
            self._sock.recv(0)
        except OSError as error:
            if error.errno not in _BUSY:
                raise

    def _secure(self, host):
        from net import tls  # lazy: most boards talk to one server, often a local one

        plain = self._sock
        self._sock = tls.wrap(plain, host)
        self._poll.unregister(plain)
        self._poll.register(self._sock, _IN | _OUT)

    def _receive(self, view):
        if not len(view) or not self._sock:
            return 0
        while True:
            try:
                n = self._sock.readinto(view)
            except OSError as error:
                if error.errno in _BUSY:
                    n = None
                elif self._is_end(error):
                    return 0
                else:
                    raise self.fail(error)
            except ValueError as error:  # mbedTLS: a certificate that does not hold
                raise self.fail(error)
            if n is not None:
                self.received = self.received or n > 0
                return n
            self._wait(_IN, self.deadlines.idle, "idle")

    # Some servers leave without saying so in TLS; a body that lacks bytes is noticed above.
    def _is_end(self, error):
        return error.errno in (-0x7280, 104) and self.received

    def _write(self, size):
        sent = 0
        while sent < size:
            try:
                n = self._sock.write(self._view[sent:size])
            except OSError as error:
                if error.errno not in _BUSY:
                    raise self.fail(error)
                n = None
            except ValueError as error:
                raise self.fail(error)
            if n is None:
                self._wait(_OUT, self.deadlines.idle, "idle")
            else:
                sent += n

    def _wait(self, mask, limit, what):
        start = time.ticks_ms()
        while True:
            passed = time.ticks_diff(time.ticks_ms(), start)
            left, total = self.deadlines.left(None if limit is None else limit - passed)
            if left is not None and left <= 0:
                self.close()
                raise _late(self.name, what, limit if total is None else total, total)
            if self._ready(mask, _SLICE_MS if left is None else min(left, _SLICE_MS)):
                return

    def _ready(self, mask, ms):
        self._poll.modify(self._sock, mask)
        return bool(self._poll.poll(ms))


def explain(error, name):
    """An OSError (or a ValueError of mbedTLS) as an Error in words."""
    if isinstance(error, ValueError):
        hint = "check the clock and the certificate of the server"
        return Error("net", "%s cannot be trusted: %s" % (name, error), hint)
    if error.errno in _NO_MEMORY:
        return Error(
            "memory", "not enough memory for a connection to %s" % name, "reboot the board"
        )
    for numbers, words in _WORDS:
        if error.errno in numbers:
            return Error("net", words % name, "check the address and that the server runs")
    return Error("net", "%s: connection failed (%s)" % (name, error), "check the address")


def _late(name, what, limit, total):
    if total is not None:
        words = "%s took more than %g s in all" % (name, limit / 1000)
    elif what == "connect":
        words = "%s does not answer (%g s)" % (name, limit / 1000)
    else:
        words = "%s sent nothing for %g s" % (name, limit / 1000)
    return Error("timeout", words, "the same again, or a longer timeout")


def _resolve(host, port):
    wifi.check()
    try:
        found = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)
    except OSError:
        found = None
    if not found:
        raise Error("net", _NO_NAME % host, "check the name, and that Wi-Fi has internet")
    gc.collect()
    return found[0]
