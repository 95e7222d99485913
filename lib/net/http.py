"""HTTP/1.1 as streams: `request` takes and returns what micropython-lib's requests.request does.

with http.request("POST", url, json={"a": 1}, timeout=30) as r:
    r.status_code, r.headers["content-type"], r.readinto(buf)

Beyond it: bodies of any size in constant memory (`data` may be a callable that returns an
iterator of bytes; it is walked twice, once for Content-Length), chunked replies, deadlines,
keep-alive, redirects that keep secrets at home. An HTTP status is no error here; a connection
that fails is (`Error`, kinds net, timeout, protocol, memory, config).
"""

import gc
import time

from micropython import const

from net import words
from net import url as urls
from net.conn import Connection
from net.deadlines import Deadlines
from net.errors import Error
from net.response import Response

_REDIRECTS = const(5)
_IDLE_MAX = const(2)
_IDLE_MS = const(4000)  # uvicorn and node hang up after five seconds
# Interim replies (1xx) to one request.
_INTERIM = const(8)
# Methods whose request has a body by nature: an empty one is said (RFC 9110, section 8.6).
_WITH_BODY = ("POST", "PUT", "PATCH")
# What this module says itself. A second, other one would let a request end elsewhere.
_OWN = ("content-length", "transfer-encoding")
# The beginnings of the headers that go to another origin as well. Any other may be a secret.
_OPEN = ("accept", "content-", "user-agent", "mcp-protocol-", "mcp-method", "mcp-name")

_idle = []  # (connection, ticks since when), the oldest first


def request(
    method,
    url,
    data=None,
    json=None,
    headers=None,
    stream=None,
    auth=None,
    timeout=None,
    parse_headers=True,
    *,
    connect_ms=10000,
    idle_ms=60000,
    total_ms=None,
):
    """Send a request and read the head of the reply; returns a Response.

    data           bytes, str, an iterable of bytes that can be walked again, or a callable that
                   returns one
    json           a value to send as JSON
    headers        a dict, or pairs; Content-Length and Transfer-Encoding are not taken
    auth           (user, password) for Basic
    timeout        seconds without a byte (idle_ms), and to connect at most
    parse_headers  a tuple of names: only these are kept
    stream         ignored: every reply is a stream
    """
    if timeout is not None:
        idle_ms = int(timeout * 1000)
        connect_ms = min(connect_ms, idle_ms)
    if not method or any(c <= " " or c >= "\x7f" for c in method):
        raise Error("config", "not a method: %r" % method, "GET or POST")
    deadlines = Deadlines(connect_ms, idle_ms, total_ms)
    fields = _fields(headers, auth)
    body = _body(method, data, json, fields)
    for _ in range(_REDIRECTS + 1):
        response = _exchange(method, url, fields, body, deadlines, parse_headers)
        target = _redirect(method, url, response)
        if target is None:
            return response
        response.close()
        fields = _without_secrets(fields, url, target)
        url = target
    raise Error("protocol", "%s redirects in a ring" % url, "check the address")


def get(url, **more):
    """request("GET", ...)."""
    return request("GET", url, **more)


def post(url, **more):
    """request("POST", ...)."""
    return request("POST", url, **more)


def delete(url, **more):
    """request("DELETE", ...)."""
    return request("DELETE", url, **more)


def close_idle():
    """Close the connections that are kept for the next request."""
    while _idle:
        _idle.pop()[0].close()


# One request on one connection; on a kept one that turns out to be dead, once more on a new one
# (RFC 9112, section 9.3.1: it may be closed at any time).
def _exchange(method, url, fields, body, deadlines, keep_headers):
    scheme, host, port, target = urls.split(url)
    head = _head(method, target, urls.authority(scheme, host, port), fields)
    connection = _take_idle((scheme, host, port), deadlines)
    if connection:
        try:
            return _talk(method, connection, head, body, keep_headers)
        except Error as error:
            if error.kind != "net" or connection.received:
                raise
    if scheme == "https":
        close_idle()  # there is room for one TLS session, seldom for two
    for last in (False, True):
        connection = None
        try:
            connection = Connection(scheme, host, port, deadlines)
            return _talk(method, connection, head, body, keep_headers)
        except (Error, MemoryError) as error:
            if isinstance(error, MemoryError):
                error = words.no_memory(host)
            if last or error.kind != "memory" or connection and connection.sent:
                raise error
        # Nothing was sent, so that it can be done again, with all the room there is.
        close_idle()
        gc.collect()


def _talk(method, connection, head, body, keep_headers):
    try:
        connection.send(_message(head, body))
        for _ in range(_INTERIM):
            response = Response(method, connection, keep_headers, _keep_idle)
            if response.status_code >= 200:
                return response
        raise Error("protocol", "%s never comes to its reply" % connection.name)
    except Error as error:
        connection.close()
        if error.kind == "net" and not connection.received:
            error.wait = 0  # nothing came: it may be tried again (net.retry)
        raise
    except BaseException:
        connection.close()
        raise


def _message(head, body):
    yield head
    if body:
        pieces, left = body
        for piece in pieces():
            left -= len(piece)
            if left < 0:
                break
            yield piece
        if left:
            raise Error("request", "the body of the request changed on the way", "the same again")


def _head(method, target, authority, fields):
    lines = ["%s %s HTTP/1.1" % (method, target)]
    if not _has(fields, "host"):
        lines.append("Host: " + authority)
    for name, value in fields:
        lines.append(name + ": " + value)
    lines.append("\r\n")
    return "\r\n".join(lines).encode()


def _fields(headers, auth):
    fields = []
    for name, value in headers.items() if hasattr(headers, "items") else headers or ():
        value = str(value, "utf-8") if isinstance(value, bytes) else str(value)
        # A line end would start a header of somebody else's (CWE-93).
        if not name or any(c in "\r\n\0" for c in name + value) or ":" in name or " " in name:
            raise Error("config", "not a header: %r" % name, "a header like NAME: VALUE")
        if name.lower() not in _OWN:
            fields.append((name, value))
    if auth:
        import binascii

        pair = binascii.b2a_base64(("%s:%s" % auth).encode()).decode().strip()
        fields.append(("Authorization", "Basic " + pair))
    if not _has(fields, "accept-encoding"):
        fields.append(("Accept-Encoding", "identity"))
    return fields


# (a callable that returns the pieces, how many bytes they are), or None; adds the fields that a
# body needs.
def _body(method, data, json, fields):
    if json is not None:
        import json as codec

        data = codec.dumps(json)
        if not _has(fields, "content-type"):
            fields.append(("Content-Type", "application/json"))
    if data is None:
        if method in _WITH_BODY:
            fields.append(("Content-Length", "0"))
        return None
    pieces = _walk(data)
    size = sum(len(piece) for piece in pieces())
    fields.append(("Content-Length", str(size)))
    return pieces, size


def _walk(data):
    if isinstance(data, str):
        data = data.encode()
    if isinstance(data, (bytes, bytearray, memoryview)):
        return lambda: iter((data,))
    if not callable(data) and iter(data) is data:
        raise Error(
            "config",
            "a body is read twice, and this can be read once",
            "data=lambda: PIECES, which makes it anew",
        )
    return lambda: map(_encoded, data() if callable(data) else data)


def _encoded(piece):
    return piece.encode() if isinstance(piece, str) else piece


def _has(fields, name):
    return any(pair[0].lower() == name for pair in fields)


def _redirect(method, url, response):
    status = response.status_code
    location = response.headers.get("location")
    if not location or status not in (301, 302, 303, 307, 308):
        return None
    if status < 307 and method not in ("GET", "HEAD"):
        return None
    try:
        target = urls.join(url, location)
        secure = urls.split(target)[0] == "https"
    except Error:
        response.close()
        what = "%s redirects to %r" % (urls.split(url)[1], location)
        raise Error("protocol", what, "check the address")
    if url.lower().startswith("https:") and not secure:
        response.close()
        what = "%s redirects to an address without TLS" % urls.split(url)[1]
        raise Error("protocol", what, "check the address")
    return target


def _without_secrets(fields, url, target):
    if urls.split(url)[:3] == urls.split(target)[:3]:
        return fields
    return [pair for pair in fields if any(pair[0].lower().startswith(begin) for begin in _OPEN)]


def _keep_idle(connection):
    if connection.reset:
        connection.close()
        return
    if len(_idle) == _IDLE_MAX:
        _idle.pop(0)[0].close()
    _idle.append((connection, time.ticks_ms()))


def _take_idle(origin, deadlines):
    for i in range(len(_idle) - 1, -1, -1):
        connection, since = _idle[i]
        old = time.ticks_diff(time.ticks_ms(), since) > _IDLE_MS
        if not old and connection.origin != origin:
            continue
        _idle.pop(i)
        if old or connection.is_stale():
            connection.close()
        else:
            connection.deadlines = deadlines
            return connection
    return None
