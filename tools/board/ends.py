"""The ends of the serial line outside the board: a pty, TCP sockets, RFC 2217 sockets.

Every end gets all output and may send input. An end nobody reads must not stop the board for
long: like a UART, which waits for nobody, it loses what is not taken in time.
"""

import array
import fcntl
import os
import pty
import socket
import termios
import time
import tty

from serial import rfc2217

LIMIT = 64 << 10  # pending bytes at which the board's output has to wait
_PTY_ROOM = 4000  # the kernel's queue has 4096


class End:
    """What all ends have: a queue of bytes to go out, and a clock of the last progress."""

    patience = 1.0
    polled = False  # True: nothing tells when it takes more; it is tried every few ms

    def __init__(self):
        self.pending = bytearray()
        self.progress = time.monotonic()
        self.closed = False

    def put(self, data: bytes):
        """Queue output and send what can be sent now."""
        if not self.pending:
            self.progress = time.monotonic()
        self.pending += data
        self.flush()

    def flush(self):
        """Send what can be sent; give up on an end that took nothing for too long."""
        sent = self._send() if self.pending else 0
        if sent:
            del self.pending[:sent]
            self.progress = time.monotonic()
        elif self.pending and time.monotonic() - self.progress > self.patience:
            self.give_up()


class PtyEnd(End):
    """A pseudo-terminal, raw in both directions, and a path that links to it.

    The slave side is held open, so clients may come and go. With no client the kernel keeps
    the last lines; the next client reads them first.
    """

    polled = True

    def __init__(self, link: str | None):
        super().__init__()
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.device = os.ttyname(self._slave)
        self.path = link or self.device
        self._link = link
        self._left = None  # what the queue held when nobody was reading
        if link:
            self._make_link()

    def fileno(self) -> int:
        return self._master

    def receive(self) -> bytes:
        """What a client typed."""
        try:
            return os.read(self._master, 4096)
        except OSError:
            return b""

    def _send(self) -> int:
        unread = self._unread()
        if self._left is not None:
            if unread >= self._left:
                self._keep_latest()
                return len(self.pending)
            self._left = None  # somebody reads again
        return self._write(self.pending[: max(0, _PTY_ROOM - unread)])

    def give_up(self):
        """Nobody reads: from now on only the latest lines are kept, until somebody does."""
        self._left = 0
        self.flush()

    def _keep_latest(self):
        if self._unread() + len(self.pending) > _PTY_ROOM:
            termios.tcflush(self._slave, termios.TCIFLUSH)
        self._write(self.pending[-_PTY_ROOM:])
        self._left = self._unread()

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0

    def _unread(self) -> int:
        count = array.array("i", [0])
        fcntl.ioctl(self._slave, termios.FIONREAD, count)
        return count[0]

    def _make_link(self):
        if os.path.lexists(self._link) and not os.path.islink(self._link):
            raise OSError(f"{self._link} exists and is not a link to a console")
        part = f"{self._link}.{os.getpid()}"
        os.symlink(self.device, part)
        os.replace(part, self._link)

    def close(self):
        """Take the path away, hang up."""
        if self._link and os.path.islink(self._link):
            if os.readlink(self._link) == self.device:
                os.unlink(self._link)
        os.close(self._master)
        os.close(self._slave)


class SocketEnd(End):
    """A client of the TCP port: the bytes of the line, nothing else."""

    patience = 10.0

    def __init__(self, sock: socket.socket, **_):
        super().__init__()
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = sock

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self) -> bytes:
        """What the client sent; b"" also when it is gone (then `closed` is set)."""
        try:
            data = self._socket.recv(4096)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        self.closed = not data
        return data

    def _send(self) -> int:
        try:
            return self._socket.send(self.pending)
        except BlockingIOError:
            return 0
        except OSError:
            self.closed = True
            return len(self.pending)

    def give_up(self):
        """A client that takes nothing for so long is cut off."""
        self.closed = True
        self.pending.clear()

    def close(self):
        self._socket.close()


class _Port:
    # What rfc2217.PortManager drives. Only DTR and RTS mean anything; the rest is remembered.
    cts = dsr = cd = True
    ri = False
    xonxoff = rtscts = break_condition = False
    baudrate, bytesize, parity, stopbits = 115200, 8, "N", 1

    def __init__(self, lines):
        self._lines = lines

    dtr = property(fset=lambda self, on: self._lines(dtr=on))
    rts = property(fset=lambda self, on: self._lines(rts=on))

    def reset_input_buffer(self):
        pass

    reset_output_buffer = reset_input_buffer


class Rfc2217End(SocketEnd):
    """A client that speaks RFC 2217; `lines(dtr=, rts=)` is called when it moves them."""

    def __init__(self, sock: socket.socket, lines):
        super().__init__(sock)
        self._lines = lines
        self._moved = False
        self._manager = rfc2217.PortManager(_Port(self._move), self)

    def _move(self, **lines):
        self._moved = True
        self._lines(**lines)

    def write(self, data: bytes):
        """For the manager: protocol bytes, which are not escaped."""
        super().put(data)

    def put(self, data: bytes):
        super().put(data.replace(rfc2217.IAC, rfc2217.IAC_DOUBLED))

    def receive(self) -> bytes:
        return b"".join(self._manager.filter(super().receive()))

    def close(self):
        """A cable that is pulled out holds no line down."""
        if self._moved:
            self._lines(dtr=False, rts=False)
        super().close()


def listen(port: int) -> socket.socket:
    """A listening socket on 127.0.0.1; port 0 takes a free one."""
    sock = socket.create_server(("127.0.0.1", port))
    sock.setblocking(False)
    return sock
