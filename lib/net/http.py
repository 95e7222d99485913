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

from net import url as urls
from net.conn import Connection, Deadlines
from net.errors import Error
from net.response import Response

_REDIRECTS = const(5)
_IDLE_MAX = const(2)
_IDLE_MS = const(4000)  # uvicorn and node hang up after five seconds
# Headers that never go to another origin.
_SECRETS = ("authorization", "x-api-key", "x-goog-api-key", "mcp-session-id", "cookie")

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
    headers        a dict, or pairs
    auth           (user, password) for Basic
    timeout        seconds without a byte (idle_ms), and to connect at most
    parse_headers  a tuple of names: only these are kept
    stream         ignored: every reply is a stream
    """
    if timeout is not None:
        idle_ms = int(timeout * 1000)
        connect_ms = min(connect_ms, idle_ms)
    deadlines = Deadlines(connect_ms, idle_ms, total_ms)
    fields = _fields(headers, auth)
    body = _body(data, json, fields)
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
    connection = _connect(scheme, host, port, deadlines)
    return _talk(method, connection, head, body, keep_headers)


def _talk(method, connection, head, body, keep_headers):
    try:
        connection.send(_message(head, body))
        while True:
            response = Response(method, connection, keep_headers, _keep_idle)
            if response.status_code >= 200:
                return response
    except Error as error:
        connection.close()
        if error.kind == "net" and not connection.received:
            error.wait = 0  # nothing came: it may be tried again (net.retry)
        raise
    except BaseException:
        connection.close()
        raise


def _connect(scheme, host, port, deadlines):
    try:
        return Connection(scheme, host, port, deadlines)
    except Error as error:
        if error.kind != "memory":
            raise
    close_idle()
    gc.collect()
    return Connection(scheme, host, port, deadlines)


def _message(head, body):
    yield head
    if body is not None:
        for piece in body():
            yield piece


def _head(method, target, authority, fields):
    lines = ["%s %s HTTP/1.1" % (method, target), "Host: " + authority]
    for name, value in fields:
        lines.append(name + ": " + value)
    lines.append("\r\n")
    return "\r\n".join(lines).encode()


def _fields(headers, auth):
    fields = [
        (n, str(v)) for n, v in (headers.items() if hasattr(headers, "items") else headers or ())
    ]
    for name, value in fields:
        # A line end would start a header of somebody else's (CWE-93).
        if not name or any(c in name + value for c in "\r\n\0") or ":" in name or " " in name:
            raise Error("config", "not a header: %r" % name, "a header like NAME: VALUE")
    if auth:
        import binascii

        pair = binascii.b2a_base64(("%s:%s" % auth).encode()).decode().strip()
        fields.append(("Authorization", "Basic " + pair))
    if not any(name.lower() == "accept-encoding" for name, _ in fields):
        fields.append(("Accept-Encoding", "identity"))
    return fields


# A callable that returns the pieces; adds the fields that a body needs.
def _body(data, json, fields):
    if json is not None:
        import json as codec

        data = codec.dumps(json)
        if not any(name.lower() == "content-type" for name, _ in fields):
            fields.append(("Content-Type", "application/json"))
    if data is None:
        return None
    if isinstance(data, str):
        data = data.encode()
    if isinstance(data, (bytes, bytearray)):
        pieces = (data,)
        data = pieces
    body = data if callable(data) else lambda: iter(data)
    fields.append(("Content-Length", str(sum(len(piece) for piece in body()))))
    return body


def _redirect(method, url, response):
    status = response.status_code
    location = response.headers.get("location")
    if not location or status not in (301, 302, 303, 307, 308):
        return None
    if status < 307 and method not in ("GET", "HEAD"):
        return None
    target = urls.join(url, location)
    if url.startswith("https:") and not target.startswith("https:"):
        response.close()
        raise Error(
            "protocol", "%s redirects to an address without TLS" % url, "check the address"
        )
    return target


def _without_secrets(fields, url, target):
    if urls.split(url)[:3] == urls.split(target)[:3]:
        return fields
    return [pair for pair in fields if pair[0].lower() not in _SECRETS]


def _keep_idle(connection):
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
