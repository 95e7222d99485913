"""Splits http and https addresses. Resolves nothing, opens nothing.

split("http://10.0.0.2:8765/mcp?x=1") -> ("http", "10.0.0.2", 8765, "/mcp?x=1")
"""

from net.errors import Error

_PORTS = (("http", 80), ("https", 443))
# RFC 3986: what may stand in a path or a query as it is, and the percent sign.
_PLAIN = "!#$%&'()*+,/:;=?@[]-._~"


def split(url):
    """(scheme, host, port, target) of an address; Error "config" if it is none."""
    scheme, mark, rest = url.partition("://")
    scheme = scheme.lower()
    if not mark or scheme not in ("http", "https"):
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
    if "://" in location.partition("?")[0]:
        return location
    scheme, host, port, target = split(base)
    if location.startswith("//"):
        return scheme + ":" + location
    if not location.startswith("/"):
        path = target.partition("?")[0]
        location = path[: path.rindex("/") + 1] + location
    return scheme + "://" + authority(scheme, host, port) + location


def _authority(text, url):
    if not text or "@" in text:  # a password in an address ends up in logs
        raise _bad(url)
    if text[0] == "[":
        host, mark, rest = text[1:].partition("]")
        port = rest[1:] if rest.startswith(":") else rest
    else:
        host, mark, port = text.partition(":")
    if not host or (port and not port.isdigit()) or any(c <= " " for c in host):
        raise _bad(url)
    return host.lower(), int(port) if port else 0


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
