"""JSON-RPC 2.0 as MCP uses it: messages as pieces of bytes, and what comes back. Sends nothing.

b"".join(request(1, "tools/call", ((b"name", b'"echo"'), (b"arguments", b"{}"))))

Members of params are (name, JSON) in bytes, copied through: what is JSON already is not parsed.
"""

import json

from micropython import const

from net.errors import Error
from net.jsonscan import Scanner
from net.jsontext import loads, whole

METHOD_NOT_FOUND = const(-32601)
INVALID_PARAMS = const(-32602)
HEADER_MISMATCH = const(-32020)
UNSUPPORTED_VERSION = const(-32022)
URL_NEEDED = const(-32042)

_MOST = const(8388608)  # bytes of a message; more is no answer for a board
_BATCHED = const(65536)
_WORDS = const(300)  # characters of an error that are shown
_MESSAGE = (("id",), ("method",), ("params",), ("error",))


def request(id, method, members=()):
    """Yields a request; id None makes a notification of it."""
    yield b'{"jsonrpc":"2.0",'
    if id is not None:
        yield b'"id":%d,' % id
    yield b'"method":"%s"' % method.encode()
    separator = b',"params":{"'
    for name, value in members:
        yield separator + name + b'":'
        yield value
        separator = b',"'
    yield b"}}" if members else b"}"


def result(id, value):
    """The pieces of the answer to a request; id and value as JSON."""
    return (b'{"jsonrpc":"2.0","id":', id, b',"result":', value, b"}")


def refusal(id, code, message):
    """The pieces of the error that answers a request; id as JSON."""
    words = dump({"code": code, "message": message})
    return (b'{"jsonrpc":"2.0","id":', id, b',"error":', words, b"}")


def dump(value):
    """A value as JSON, in bytes that are UTF-8 whatever the text came from."""
    return whole(json.dumps(value)).encode()


class Incoming:
    """The messages of one body or one event, scanned as they come.

    path  where the array stands whose elements are wanted one by one; None: none
    want  paths of the values to keep, besides those that every message has
    caps  most bytes of an element, and of a value that is kept
    trim  what shortens the bytes before they are looked at (mcp.trim), or None

    feed(chunk) yields elements; after close() `messages` has the values of each message. Peers
    of 2025-03-26 may send an array of messages.
    """

    def __init__(self, path, want, caps, trim=None):
        self.messages = []
        self._plan = (path, _MESSAGE + want) + caps
        self._trim = trim
        self._scanner = None
        self._batch = False
        self._size = 0

    def feed(self, chunk):
        """Take bytes; yields the elements that end in them."""
        self._size += len(chunk)
        if self._size > _MOST:
            raise Error("protocol", "a message of more than %d bytes" % _MOST)
        if self._trim:
            chunk = self._trim.feed(chunk)
        if self._scanner is None:
            chunk = chunk.lstrip()
            if not chunk:
                return
            self._batch = chunk[0] == 91
            self._scanner = Scanner((), (), _BATCHED) if self._batch else Scanner(*self._plan)
        for element in self._scanner.feed(chunk):
            if self._batch:
                yield from self._inner(element)
            else:
                yield element

    def close(self):
        """The end of the body or event. Error "protocol" if it is cut."""
        if self._scanner is None:
            return
        self._scanner.close()
        if not self._batch:
            self.messages.append(self._scanner.values)

    def _inner(self, message):
        scanner = Scanner(*self._plan)
        yield from scanner.feed(message)
        scanner.close()
        self.messages.append(scanner.values)


def value_of(values, *path):
    """A value that was kept, decoded; None if it is absent. Error "protocol" if it is garbled."""
    raw = values.get(path)
    if raw is None:
        return None
    try:
        return loads(raw)
    except (ValueError, RuntimeError):  # RuntimeError: nested too deep
        raise Error("protocol", "this is not JSON: %r" % raw[:20])


def failure(values, who):
    """The Error for what a peer answered, with `code` and `data`; None if it is no error."""
    found = value_of(values, "error")
    if found is None:
        return None
    if not isinstance(found, dict):
        found = {"message": found}
    code = found.get("code")
    data = found.get("data")
    words = " ".join(str(found.get("message") or "error %s" % code).split())[:_WORDS]
    if code == URL_NEEDED:
        words += ", open " + _urls(data)
    return coded("%s: %s" % (who, words), code if isinstance(code, int) else 0, data)


def coded(message, code, data=None):
    """An Error that has a JSON-RPC code."""
    error = Error("request", message)
    error.code = code
    error.data = data
    return error


def code_of(error):
    """The JSON-RPC code of an Error, 0 if it has none."""
    return getattr(error, "code", 0)


def _urls(data):
    asked = data.get("elicitations") if isinstance(data, dict) else None
    return " and ".join(str(one.get("url")) for one in asked or () if isinstance(one, dict))
