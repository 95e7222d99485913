"""A network in memory: net.conn with sockets that give what a test says, cut where it says.

with Net([reply]) as net: http.request("GET", "http://h/"); net.sockets[0].closed

A list of replies; each is the pieces that one connection brings: bytes arrive by themselves, WAIT
says once that there is nothing yet, an OSError is raised. At their end the peer has closed.
"""

from net import conn, http

WAIT = None


class Socket:
    """What a non-blocking socket of MicroPython does, its readinto included: an error that
    follows bytes costs the bytes (py/stream.c, mp_stream_rw)."""

    def __init__(self, pieces):
        self.pieces = list(pieces)
        self.sent = b""
        self.closed = 0
        self.options = []

    def setblocking(self, flag):
        assert not flag

    def setsockopt(self, *option):
        self.options.append(option)
        if isinstance(Socket.refuses, Exception):
            raise Socket.refuses

    refuses = None

    def connect(self, address):
        if self.pieces and isinstance(self.pieces[0], OSError):
            raise self.pieces.pop(0)

    def write(self, data):
        self.sent += bytes(data)
        return len(data)

    def recv(self, size):
        if not size or not self.pieces:
            return b""
        piece = self.pieces.pop(0)
        if piece is WAIT:
            raise OSError(11)
        if isinstance(piece, OSError):
            raise piece
        if len(piece) > size:
            self.pieces.insert(0, piece[size:])
        return piece[:size]

    def read(self, size):
        raise AssertionError("recv is there")

    def readinto(self, buf):
        n = 0
        while n < len(buf) and self.pieces:
            if self.pieces[0] is WAIT:
                self.pieces.pop(0)
                return n or None
            data = self.recv(len(buf) - n)
            buf[n : n + len(data)] = data
            n += len(data)
        return n

    def close(self):
        self.closed += 1


class Poll:
    """Everything is ready at once; `modify` knows the socket."""

    def __init__(self):
        self.sock = None

    def register(self, sock, mask):
        pass

    def unregister(self, sock):
        pass

    def modify(self, sock, mask):
        self.sock = sock

    def ipoll(self, ms):
        # An idle connection is asked with 0: it is stale if there is something to read.
        if ms or not self.sock.pieces:
            yield self.sock, 1


class IdlePoll(Poll):
    """The same, but the peer keeps idle connections open."""

    def ipoll(self, ms):
        if ms:
            yield self.sock, 1


class Net:
    """The network, in place of the modules socket and select; see the module."""

    SOCK_STREAM = 1

    def __init__(self, replies, addresses=1, poll=Poll):
        self.replies = list(replies)
        self.addresses = addresses
        self.poll = poll
        self.sockets = []

    def getaddrinfo(self, host, port, family, kind):
        if isinstance(self.addresses, OSError):
            raise self.addresses
        return [(2, 1, 0, "", (host, port + i)) for i in range(self.addresses)]

    def socket(self, *_):
        self.sockets.append(Socket(self.replies.pop(0)))
        return self.sockets[-1]

    def __enter__(self):
        self._before = conn.socket, conn.select
        conn.socket = conn.select = self
        return self

    def __exit__(self, *_):
        http.close_idle()
        conn.socket, conn.select = self._before

    def open(self):
        """How many sockets are not closed; twice closed is an error."""
        assert all(sock.closed < 2 for sock in self.sockets)
        return sum(not sock.closed for sock in self.sockets)
