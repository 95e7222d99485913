"""What MicroPython's json does not do for text: surrogate pairs, and long strings in pieces.

json.loads makes two lone surrogates of an escaped pair, which re-encode as invalid UTF-8
(https://github.com/micropython/micropython/issues/4397); every function here mends that.
"""

import json

from micropython import const

_PIECE = const(256)
_REPLACEMENT = b"\xef\xbf\xbd"
_ESCAPES = ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n"), (b"\r", b"\\r"), (b"\t", b"\\t"))


def loads(data):
    """json.loads of bytes or str, with whole characters. ValueError if it is not JSON."""
    value = json.loads(data)
    if isinstance(data, str):
        suspicious = "\\u" in data
    else:
        suspicious = data.find(b"\\u") >= 0
    return _mend(value) if suspicious else value


def whole(text):
    """The text with surrogate pairs joined to characters, and lone surrogates replaced."""
    raw = text.encode()
    at = raw.find(b"\xed")
    if at < 0:
        return text
    pieces = []
    start = 0
    while at >= 0:
        if raw[at + 1] >= 0xA0:  # U+D800 and above; below it are Hangul
            pieces.append(raw[start:at])
            piece, start = _character(raw, at)
            pieces.append(piece)
        at = raw.find(b"\xed", max(start, at + 1))
    pieces.append(raw[start:])
    return str(b"".join(pieces), "utf-8")


def quote(text):
    """Yields a str as a JSON string, in pieces of bytes; never a copy of the whole."""
    view = memoryview(text)  # its UTF-8 bytes
    yield b'"'
    at = 0
    while at < len(view):
        end = _cut(view, min(at + _PIECE, len(view)))
        yield escape(bytes(view[at:end]))
        at = end
    yield b'"'


# From `end` on to where a piece can end: not inside of a character, nor between the halves of a
# pair, of which the second begins with ED B0 to ED BF.
def _cut(view, end):
    while end < len(view) and view[end] & 0xC0 == 0x80:
        end += 1
    if end + 1 < len(view) and view[end] == 0xED and view[end + 1] >= 0xB0:
        end += 3
    return end


def escape(raw):
    """UTF-8 bytes as they stand inside of a JSON string."""
    if raw.find(b"\xed") >= 0:
        raw = whole(str(raw, "utf-8")).encode()
    for plain, escaped in _ESCAPES:
        if raw.find(plain) >= 0:
            raw = raw.replace(plain, escaped)
    if min(raw) < 32:
        raw = b"".join(b"\\u%04x" % byte if byte < 32 else bytes((byte,)) for byte in raw)
    return raw


# The character that starts with this surrogate, and where the next one starts.
def _character(raw, at):
    high = (raw[at + 1] & 0x1F) << 6 | raw[at + 2] & 0x3F
    if high < 0x400 and raw[at + 3 : at + 4] == b"\xed" and raw[at + 4] >= 0xB0:
        low = (raw[at + 4] & 0x0F) << 6 | raw[at + 5] & 0x3F
        return chr(0x10000 + (high << 10) + low).encode(), at + 6
    return _REPLACEMENT, at + 3


def _mend(value):
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        for i in range(len(value)):
            value[i] = _mend(value[i])
    elif isinstance(value, dict):
        for key in list(value):
            value[key] = _mend(value[key])
    return value
