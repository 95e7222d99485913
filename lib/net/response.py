"""A reply: its head in memory, its body as a stream. Sends nothing.

Response("GET", connection, True, give_back).readinto(buf)
"""

from micropython import const

from net.body import Body
from net.errors import Error

_LINE_MAX = const(8192)
_HEAD_MAX = const(32768)
_DRAIN_MS = const(100)
_PIECE = const(512)
_FRAMING = ("transfer-encoding", "content-length", "content-encoding", "connection")


class Response:
    """A reply. Its body is read once: by readinto, read, or content, text and json()."""

    def __init__(self, method, connection, keep_headers, give_back):
        self.encoding = "utf-8"
        self._content = None
        self._connection = connection
        self._give_back = give_back
        version, self.status_code, self.reason = _status(connection)
        self.headers, framing = _headers(connection, keep_headers)
        bodyless = method == "HEAD" or self.status_code in (204, 304)
        self.raw = Body(connection, framing, bodyless)
        coding = framing.get("content-encoding", "identity").lower()
        if coding != "identity" and not bodyless:
            from net import inflate  # lazy: nobody asked for a compression

            self.raw = inflate.wrap(self.raw, coding, connection.name)
        asked = framing.get("connection", "keep-alive" if version else "close").lower()
        self._keep = "close" not in asked and self.raw.bounded

    def __enter__(self):
        return self

    # A reader that was torn out (Ctrl-C) may have left half a line behind: what follows could
    # not be told from a reply. One that has read enough leaves by return, break or close().
    def __exit__(self, kind, *_):
        if kind not in (None, GeneratorExit):
            self._keep = False
        self.close()

    def readinto(self, buf):
        """Fill some of buf as soon as there are bytes; returns how many, 0 at the end."""
        return self.raw.readinto(buf)

    def read(self, size=-1):
        """At most `size` bytes, b"" at the end; all that is left if size is negative.

        Error "memory" if that is more than there is room for.
        """
        if size < 0:
            return self._rest()
        buf = bytearray(size)
        return bytes(memoryview(buf)[: self.readinto(buf)])

    @property
    def content(self):
        """The whole body. For replies that are known to be small."""
        if self._content is None:
            self._content = self.read()
            self.close()
        return self._content

    @property
    def text(self):
        """The whole body as str."""
        return str(self.content, self.encoding)

    def json(self):
        """The whole body, decoded. ValueError if it is not JSON."""
        from net.jsontext import loads  # lazy: most bodies are streams

        return loads(self.content)

    def extend(self, ms):
        """Give the exchange `ms` more in all: time that nobody waited for the peer."""
        if self._connection:
            self._connection.deadlines.extend(ms)

    def close(self):
        """Give the connection back, or close it if the body is not at its end. Twice is once."""
        connection, self._connection = self._connection, None
        if not connection:
            return
        if self._keep and self.raw.drain(_DRAIN_MS):
            self._give_back(connection)
        else:
            connection.close()

    def _rest(self):
        pieces = []
        size = 0
        try:
            while True:
                piece = self.read(_PIECE)
                if not piece:
                    return b"".join(pieces)
                size += len(piece)
                pieces.append(piece)
        except MemoryError:
            pieces = None  # room for the words
        self._keep = False
        name = self._connection.name
        self.close()
        raise Error("memory", "%s sent more than the %d bytes there is room for" % (name, size))


def _status(connection):
    line = connection.line(_LINE_MAX)
    if line is None:
        connection.close()
        raise Error(
            "net", "%s closed the connection without a reply" % connection.name, "the same again"
        )
    parts = _text(line).split(None, 2) if line.startswith(b"HTTP/1.") else ()
    if len(parts) < 2 or len(parts[1]) != 3 or not parts[1].isdigit():
        raise Error("protocol", "%s does not speak HTTP" % connection.name, "check the address")
    return parts[0] != "HTTP/1.0", int(parts[1]), parts[2] if len(parts) > 2 else ""


# (what the caller wants to have, what the framing of the body needs)
def _headers(connection, keep):
    headers = {}
    framing = {}
    size = 0
    while True:
        line = connection.line(_LINE_MAX)
        if line is None:
            raise Error("net", "%s closed in the middle of a header" % connection.name)
        if not line:
            return headers, framing
        size += len(line)
        if size > _HEAD_MAX:
            raise Error(
                "protocol", "%s sent more than %d bytes of headers" % (connection.name, _HEAD_MAX)
            )
        name, colon, value = line.partition(b":")
        if not colon or line[0] in b" \t":
            continue  # seen in the field; nothing follows from it
        name = _text(name).strip().lower()
        value = _text(value).strip()
        if name in _FRAMING:
            _add(framing, name, value)
        if keep is True or keep and name in keep or name == "location":
            _add(headers, name, value)


def _add(headers, name, value):
    headers[name] = headers[name] + ", " + value if name in headers else value


def _text(data):
    try:
        return str(data, "utf-8")
    except UnicodeError:
        return "".join(chr(byte) for byte in data)  # ISO-8859-1, as of old
