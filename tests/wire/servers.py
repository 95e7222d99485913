"""A loopback server that sends exactly the bytes a test gives it.

with Script([reply(b"hello"), reply(b"", "404 Not Found")]) as server:
    server.url; server.requests[0].body

One item answers one request: bytes, a list of pieces (each sent by itself), or a callable of the
Request that returns one of them. CLOSE in a list closes the connection there. After the last item
a request is answered by closing.
"""

import socket
import threading
from dataclasses import dataclass

CLOSE = object()


@dataclass
class Request:
    """What a client sent."""

    line: str
    headers: list
    body: bytes
    connection: int

    def header(self, name: str) -> str | None:
        """The value of a header, None if it is not there."""
        return next((v for n, v in self.headers if n.lower() == name.lower()), None)


def reply(body: bytes = b"", status: str = "200 OK", *headers: str, length: bool = True) -> bytes:
    """A reply with Content-Length."""
    lines = [f"HTTP/1.1 {status}", *headers]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def json_reply(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """A reply of JSON."""
    return reply(body, status, "Content-Type: application/json", *headers)


def chunked(*pieces: bytes) -> bytes:
    """A body in chunks."""
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def stream(*events: bytes) -> bytes:
    """A reply of server-sent events, chunked."""
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    return head + chunked(*(b"data: %s\n\n" % event for event in events))


class Script:
    """The server; see the module."""

    def __init__(self, replies, wrap=None):
        self._replies = list(replies)
        self._wrap = wrap
        self.requests = []
        self.connections = 0
        self._open = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"{'https' if wrap else 'http'}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        # shutdown wakes a thread that waits in accept; close alone does not, on Linux
        for sock in (self._listener, *self._open):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            sock.close()
        self._thread.join(5)

    def _accept(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(sock)
            number = self.connections
            threading.Thread(target=self._serve, args=(sock, number), daemon=True).start()

    def _serve(self, sock, number):
        try:
            sock = self._wrap(sock) if self._wrap else sock
            self._open.append(sock)
            with sock, sock.makefile("rb") as file:
                while request := _read(file, number):
                    self.requests.append(request)
                    if not self._replies or not self._answer(sock, request):
                        return
        except OSError:
            pass

    def _answer(self, sock, request) -> bool:
        item = self._replies.pop(0)
        item = item(request) if callable(item) else item
        for piece in [item] if isinstance(item, bytes) else item:
            if piece is CLOSE:
                return False
            sock.sendall(piece)
        return True


def _read(file, number):
    line = file.readline().decode().rstrip("\r\n")
    if not line:
        return None
    headers = []
    while text := file.readline().decode().rstrip("\r\n"):
        name, _, value = text.partition(": ")
        headers.append((name, value))
    length = next((int(v) for n, v in headers if n.lower() == "content-length"), 0)
    return Request(line, headers, file.read(length), number)
