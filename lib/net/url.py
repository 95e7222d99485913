"""Splits http and https addresses. Resolves nothing, opens nothing.

split("http://10.0.0.2:8765/mcp?x=1") -> ("http", "10.0.0.2", 8765, "/mcp?x=1")
"""

from micropython import const

from net.errors import Error

_PORT_MAX = const(65535)
_PORTS = (("http", 80), ("https", 443))
# RFC 3986: what may stand in a path or a query as it is, and the percent sign.
_PLAIN = "!#$%&'()*+,/:;=?@[]-._~"


def split(url):
    """(scheme, host, port, target) of an address; Error "config" if it is none."""
    scheme, mark, rest = url.partition("://")
    scheme = scheme.lower()
    if not mark or scheme not in ("http", "https") or any(c in url for c in "\r\n\0"):
        raise _bad(url)
    end = min(_find(rest, "/"), _find(rest, "?"), _find(rest, "#"))
    host, port = _authority(rest[:end], url)
    target = rest[end:].partition("#")[0]
    if not target.startswith("/"):
        target = "/" + target
    return scheme, host, port or dict(_PORTS)[scheme], _quote(target)


def authority(scheme, host, port):
    """What belongs into the Host header: the port too, unless it is the scheme's own."""
    if ":" in host:
        host = "[" + host + "]"
    return host if (scheme, port) in _PORTS else "%s:%d" % (host, port)


def join(base, location):
    """The address that a Location header means, seen from `base` (RFC 3986, section 5.2)."""
    if _has_scheme(location):
        return location
    scheme, host, port, target = split(base)
    if location.startswith("//"):
        return scheme + ":" + location
    path = target.partition("?")[0]
    if location[0] in "?#":
        location = path + location
    elif location[0] != "/":
        location = path[: path.rindex("/") + 1] + location
    return scheme + "://" + authority(scheme, host, port) + _without_dots(location)


# "mailto:x" and "http://h" have one, "a/b:c" and "?u=http://h" have none.
def _has_scheme(location):
    name, mark, _ = location.partition(":")
    return bool(mark) and name[:1].isalpha() and all(c not in name for c in "/?#")


# RFC 3986, section 5.2.4.
def _without_dots(target):
    end = min(_find(target, "?"), _find(target, "#"))
    kept = []
    parts = target[:end].split("/")
    for part in parts:
        if part == ".." and len(kept) > 1:
            kept.pop()
        elif part not in (".", ".."):
            kept.append(part)
    if parts[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept) + target[end:]


def _authority(text, url):
    if "@" in text:
        words = "no user and no password in an address: they would end up in logs"
        raise Error("config", words, "an address like http://HOST:PORT/path")
    if text[:1] == "[":
        host, mark, rest = text[1:].partition("]")
        colon, port = rest[:1], rest[1:]
        good = mark and colon in ("", ":") and ":" in host
    else:
        host, _, port = text.partition(":")
        good = all(c > " " and c not in '\\"<>^`{|}' for c in host)
    if not host or not good or (port and not port.isdigit()) or int(port or 0) > _PORT_MAX:
        raise _bad(url)
    return host.lower(), int(port or 0)


def _find(text, char):
    place = text.find(char)
    return len(text) if place < 0 else place


def _quote(target):
    if all(c.isalpha() and c < "\x80" or c.isdigit() or c in _PLAIN for c in target):
        return target
    pieces = []
    for byte in target.encode():
        char = chr(byte)
        plain = byte < 128 and (char.isalpha() or char.isdigit() or char in _PLAIN)
        pieces.append(char if plain else "%%%02X" % byte)
    return "".join(pieces)


def _bad(url):
    return Error("config", "not an address: " + repr(url), "an address like http://HOST:PORT/path")
