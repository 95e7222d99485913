"""One connection: a socket that never blocks, with deadlines, and one buffer. Not HTTP.

conn = Connection("http", "10.0.0.2", 80, deadlines); conn.send((b"...",)); conn.line(1024)

Everything waits in slices, so Ctrl-C works at any point, also inside a TLS handshake.
"""

import gc
import select
import socket
import time

from micropython import const

from net import url, wifi
from net.errors import Error
from net.words import BUSY, GONE, explain, late

_SLICE_MS = const(100)
_BUFFER = const(1024)
_IN = const(1)
_OUT = const(4)
_TCP = const(6)  # the numbers of Linux and lwIP; MicroPython has no names for them
_NODELAY = const(1)
_CONNECTING = "does not answer"


class Connection:
    """A socket to one host. Any Error closes it.

    sent      whether bytes went out: with TLS, that the handshake is through
    received  whether bytes came in since the last `send` began
    reset     whether the peer broke off instead of ending
    """

    def __init__(self, scheme, host, port, deadlines):
        self.origin = (scheme, host, port)
        self.name = url.authority(scheme, host, port)
        self.deadlines = deadlines
        self.sent = self.received = self.reset = False
        self._buffer = bytearray(_BUFFER)
        self._view = memoryview(self._buffer)
        self._start = self._end = 0
        self._sock = self._recv = self._into = None
        self._since = time.ticks_ms()
        self._poll = select.poll()
        try:
            self._open(scheme, host, port)
        except OSError as error:
            raise self.fail(error)
        except BaseException:
            self.close()
            raise

    def close(self):
        """Close the socket; twice is once."""
        sock, self._sock = self._sock, None
        self._recv = self._into = None
        if sock:
            self._poll.unregister(sock)
            sock.close()

    def is_stale(self):
        """Whether an idle connection is of no use: closed, or with bytes nobody asked for."""
        if self._sock is None or self.reset or self._end > self._start:
            return True
        return self._ready(_IN, 0)

    def send(self, pieces):
        """Send an iterable of bytes, gathered in the buffer to few packets.

        A peer may answer and hang up before it has all: what it said is there to be read.
        """
        self.received = False
        self._start = self._end = 0
        filled = 0
        for piece in pieces:
            size = len(piece)
            at = 0
            while at < size and not self.reset:
                n = min(size - at, _BUFFER - filled)
                part = piece if n == size else memoryview(piece)[at : at + n]
                self._buffer[filled : filled + n] = part
                filled += n
                at += n
                if filled == _BUFFER:
                    self._write(filled)
                    filled = 0
            if self.reset:
                return
        self._write(filled)

    def readinto(self, buf, most=None):
        """Some bytes into buf, as soon as there are any; 0 when the peer has ended.

        most   how many are known to be meant for buf; None if that is not known
        """
        if self._start == self._end:
            if most is not None:
                buf = buf if len(buf) <= most else memoryview(buf)[:most]
                return self._receive(self._into, buf)
            if not self._fill():
                return 0
        n = min(len(buf), self._end - self._start)
        n = n if most is None else min(n, most)
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
                self.close()
                raise Error("protocol", "%s sent a line of more than %d bytes" % (self.name, cap))
            self._start = end if found < 0 else found + 1
            if found >= 0:
                line = b"".join(pieces)
                return line[:-1] if line.endswith(b"\r") else line

    def fail(self, error):
        """The Error that stands for what a socket raised; closes this one."""
        self.close()
        return explain(error, self.name)

    # The addresses of a host one after the other: a name may stand for ::1 where only 127.0.0.1
    # is served.
    def _open(self, scheme, host, port):
        found = _resolve(host, port)
        limit = self.deadlines.connect
        share = None if limit is None else limit // len(found)
        for i, (family, kind, proto, _, address) in enumerate(found):
            try:
                self._sock = socket.socket(family, kind, proto)
                self._sock.setblocking(False)
                _hurry(self._sock)
                self._poll.register(self._sock, _IN | _OUT)
                self._connect(address, share)
                break
            except (OSError, Error) as error:
                self.close()
                if i + 1 == len(found) or self.deadlines.over():
                    raise error
        if scheme == "https":
            self._secure(host)
        # recv gives what one packet brought. readinto reads on, and an error there costs the
        # bytes before it; so it is for bytes that are sure to come. Not every build has recv.
        self._recv = getattr(self._sock, "recv", self._sock.read)
        self._into = self._sock.readinto

    def _connect(self, address, limit):
        try:
            self._sock.connect(address)
        except OSError as error:
            if error.errno not in BUSY:
                raise
        self._wait(_OUT, limit, _CONNECTING, time.ticks_ms())
        # What became of it is told by a read: there is no SO_ERROR to ask for.
        try:
            self._sock.recv(0)
        except OSError as error:
            if error.errno not in BUSY:
                raise

    # The handshake runs with the first write.
    def _secure(self, host):
        from net import tls  # lazy: most boards talk to one server, often a local one

        plain = self._sock
        self._sock = tls.wrap(plain, host)
        self._poll.unregister(plain)
        self._poll.register(self._sock, _IN | _OUT)

    def _fill(self):
        self._start = self._end = 0
        data = self._receive(self._recv, _BUFFER) or b""
        self._buffer[: len(data)] = data
        self._end = len(data)
        return self._end

    # call(what) until it has bytes, or a number of them; falsy when the peer has ended.
    def _receive(self, call, what):
        while self._sock:
            if self.deadlines.over():
                raise self._late("", None)
            try:
                got = call(what)
            except (OSError, ValueError) as error:
                got = self._failed(error)
            if got is not None:
                self.received = self.received or bool(got)
                return got
            self._wait(_IN, self.deadlines.idle, "sent nothing", time.ticks_ms())
        return 0

    # None to go on waiting, 0 if it is the end of a reply; else raises.
    def _failed(self, error):
        if isinstance(error, OSError):
            if error.errno in BUSY:
                return None
            if error.errno in GONE and self.received:
                self.reset = True
                return 0
        raise self.fail(error)

    def _write(self, size):
        sent = 0
        while sent < size:
            try:
                n = self._sock.write(
                    self._view[sent:size] if sent or size < _BUFFER else self._view
                )
            except (OSError, ValueError) as error:
                n = self._unsent(error)
            if n is None and self.reset:
                return
            if n is not None:
                self.sent = True
                sent += n
            elif self.sent:
                self._wait(_OUT, self.deadlines.idle, "took nothing", time.ticks_ms())
            else:
                self._wait(_OUT, self.deadlines.connect, _CONNECTING, self._since)

    # None to go on: to wait, or with `reset` to read what the peer said before it hung up.
    def _unsent(self, error):
        if isinstance(error, OSError):
            if error.errno in BUSY:
                return None
            if error.errno in GONE and self.sent:
                self.reset = True
                return None
        raise self.fail(error)

    def _wait(self, mask, limit, what, since):
        while True:
            left = self.deadlines.left(limit, since)
            if left is not None and left <= 0:
                raise self._late(what, limit)
            if self._ready(mask, _SLICE_MS if left is None else min(left, _SLICE_MS)):
                return

    def _late(self, what, limit):
        self.close()
        total = self.deadlines.total if self.deadlines.over() else None
        return late(self.name, what, limit, total)

    def _ready(self, mask, ms):
        self._poll.modify(self._sock, mask)
        for _ in self._poll.ipoll(ms):
            return True
        return False


# The last packet of a request waits for the answer to those before it otherwise (RFC 896), on a
# kept connection for 40 ms and more: what is sent is gathered to packets here already.
def _hurry(sock):
    try:
        sock.setsockopt(_TCP, _NODELAY, 1)
    except (OSError, ValueError, AttributeError):
        pass  # not every port knows it


def _resolve(host, port):
    wifi.check()
    try:
        found = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)
    except OSError:
        found = None
    if not found:
        raise Error(
            "net", "cannot resolve %s" % host, "check the name, and that Wi-Fi has internet"
        )
    gc.collect()
    return found
