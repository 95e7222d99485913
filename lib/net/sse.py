"""Server-sent events (WHATWG HTML, section 9.2.6); the data as bytes. Opens nothing.

for name, data, id, retry in sse.events(response): ...

`source` is anything with readinto(buf). An event has name "" when it is a plain message; id and
retry (ms) are None when it has none. Without data it is given only for its id or its retry.
"""

from micropython import const

from net.errors import Error

_BUFFER = const(512)
_CAP = const(65536)
_FIELD_MAX = const(1024)
_RETRY_DIGITS = const(9)
_UNKNOWN = "\ufffd"
_BOM = b"\xef\xbb\xbf"


def events(source, cap=_CAP):
    """Yields (name, data, id, retry). Error "protocol" for an event of more than `cap` bytes."""
    data = b""
    for piece in pieces(source):
        if piece[0] == "data":
            data = _joined(data, piece[1], cap)
            continue
        _, name, id, retry = piece
        whole, data = bytes(data), b""
        if whole or id is not None or retry is not None:
            yield name, whole, id, retry


# One block that grows: pieces of a byte each would take forty times as much in a list.
def _joined(data, piece, cap):
    if len(data) + len(piece) > cap:
        raise Error("protocol", "an event has more than %d bytes" % cap)
    if not data:
        return piece
    data = data if isinstance(data, bytearray) else bytearray(data)
    data.extend(piece)
    return data


def pieces(source):
    """Events of any size: yields ("data", bytes) for their data as it comes, then
    ("event", name, id, retry) at the end of each. The data of an event that never ends comes
    without an ("event", ...): it is to be forgotten."""
    name = ""
    id = retry = None
    lines = 0
    for field, value, first in _fields(source):
        if field == b"data":
            if first:
                lines += 1
                if lines > 1:
                    yield "data", b"\n"
            if value:
                yield "data", value
        elif field is None:
            if lines or id is not None or retry is not None:
                yield "event", name, id, retry
            name = ""
            id = retry = None
            lines = 0
        elif field == b"event":
            name = "" if value == b"message" else _text(field, value, _UNKNOWN)
        elif field == b"id" and b"\0" not in value:
            id = _text(field, value, id)
        elif field == b"retry" and value.isdigit() and len(value) <= _RETRY_DIGITS:
            retry = int(value)


# Yields (field, value, whether its line starts here); (None, b"", True) for an empty line. The
# value of a data field comes in pieces, of others whole, up to a byte more than they may have.
def _fields(source):
    head = b""
    field = None
    start = True
    for piece, ended in _lines(source):
        first = field is None
        if first:
            head = head + piece if head else piece
            if not ended and not _is_known(head):
                continue
            if start and head.startswith(_BOM):
                head = head[3:]
            start = False
            if not head:
                yield None, b"", True
                continue
            field, piece = _split(head)
            head = b""
        if field == b"data":
            if piece or first:
                yield field, piece, first
        elif ended:
            yield field, (head + piece)[: _FIELD_MAX + 1], True
        else:
            head = (head + piece)[: _FIELD_MAX + 1]
        if ended:
            field = None
            head = b""


# A name or an id that is cut would be another one; one that is no text is not worth a stream.
def _text(field, value, otherwise):
    if len(value) > _FIELD_MAX:
        words = "the %s of an event has more than %d bytes" % (str(field, "utf-8"), _FIELD_MAX)
        raise Error("protocol", words)
    try:
        return str(value, "utf-8")
    except UnicodeError:
        return otherwise


# Whether the field is known from what came of a line: the space after the colon goes with it.
def _is_known(head):
    colon = head.find(b":")
    return len(head) > colon + 1 if colon >= 0 else len(head) >= _FIELD_MAX


def _split(line):
    field, _, value = line.partition(b":")
    return field, value[1:] if value.startswith(b" ") else value


# Yields (piece of a line, whether the line ends with it). CR, LF and CRLF end a line.
def _lines(source):
    buf = bytearray(_BUFFER)
    view = memoryview(buf)
    after_cr = False
    while True:
        n = source.readinto(buf)
        if not n:
            return
        at = 1 if after_cr and buf[0] == 10 else 0
        after_cr = False
        while at < n:
            end, width = _line_end(buf, at, n)
            yield bytes(view[at:end]), width > 0
            at = end + width
            after_cr = width == 1 and at == n and buf[end] == 13


# (where the line ends, how many bytes end it; 0 if it goes on after n)
def _line_end(buf, at, n):
    lf = buf.find(b"\n", at, n)
    cr = buf.find(b"\r", at, n if lf < 0 else lf)
    if cr >= 0:
        return cr, 2 if cr + 1 == lf else 1
    return (n, 0) if lf < 0 else (lf, 1)
