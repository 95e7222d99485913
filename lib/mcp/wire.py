"""MCP's streamable HTTP: messages out, messages in, whatever the framing. Knows no method.

link = Link("http://10.0.0.2:8765/mcp", headers, 60000, 300000)
with link.post(pieces, fields) as response:
    for kind, what in messages(response, plan, seen): ...
"""

from micropython import const

from mcp import headers, jsonrpc
from mcp.trim import Trim
from net import http, sse
from net.errors import Error

KEPT = ("content-type", "mcp-session-id", "www-authenticate", "retry-after")
_ACCEPT = "application/json, text/event-stream"
_BUFFER = const(512)
_REFUSAL_MAX = const(4096)
_QUICK_MS = const(3000)
_CHALLENGE = ("error", "error_description", "scope", "resource_metadata")


class Link:
    """Where a server is, what goes with every request, and how long it may take.

    url, headers (pairs), idle_ms, total_ms; `name` stands for it in messages to a person.
    """

    def __init__(self, url, headers, idle_ms, total_ms, name=None):
        self.url = url
        self.idle_ms = idle_ms
        self.total_ms = total_ms
        self.label = name
        self.name = name or url.partition("://")[2].partition("/")[0]
        self._headers = headers

    def post(self, body, fields, total_ms=None):
        """POST a message, pieces of bytes that can be walked again; returns the Response."""
        content = (("Content-Type", "application/json"), ("Accept", _ACCEPT))
        return self._request("POST", content, fields, total_ms or self.total_ms, data=body)

    def resume(self, fields, last_id, total_ms):
        """GET the rest of a stream (2025-11-25, Resumability and Redelivery)."""
        content = (("Accept", "text/event-stream"), ("Last-Event-ID", last_id))
        return self._request("GET", content, fields, total_ms)

    def listen(self, fields, idle_ms):
        """GET the stream of what belongs to no request."""
        content = (("Accept", "text/event-stream"),)
        return self._request("GET", content, fields, None, None, idle_ms)

    def end(self, fields):
        """DELETE the session; it is over whatever comes back."""
        self._quick("DELETE", (), fields)

    def tell(self, body, fields):
        """POST a message whose fate is not worth waiting for."""
        self._quick(
            "POST", (("Content-Type", "application/json"), ("Accept", _ACCEPT)), fields, body
        )

    def _request(self, method, content, fields, total_ms, data=None, idle_ms=None):
        pairs = content + tuple(self._headers) + tuple(fields)
        idle_ms = idle_ms or self.idle_ms
        return http.request(
            method,
            self.url,
            data=data,
            headers=pairs,
            parse_headers=KEPT,
            connect_ms=min(10000, idle_ms),
            idle_ms=idle_ms,
            total_ms=total_ms,
        )

    def _quick(self, method, content, fields, body=None):
        try:
            self._request(method, content, fields, _QUICK_MS, body, _QUICK_MS).close()
        except Error:
            pass


def messages(response, plan, seen):
    """What a reply brings: ("element", JSON) for each element of the plan's array as it ends, and
    ("message", values) after each message.

    plan  (path, want, caps, limit of mcp.trim or 0), see jsonrpc.Incoming
    seen  takes "id" and "retry" of the events
    """
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        yield from events(response, plan, seen)
    elif kind in ("application/json", ""):
        yield from _whole(response, plan)
    elif response.status_code == 200:
        raise Error("protocol", "this is not MCP but %s" % kind, "check the address")


def refused(link, response):
    """The Error for a reply that is no success, from what it says. `code` is its JSON-RPC code,
    `challenge` what a 401 or 403 asks for."""
    status = response.status_code
    error = None
    try:
        plan = (None, (), (_REFUSAL_MAX, _REFUSAL_MAX), _REFUSAL_MAX)
        for kind, values in messages(response, plan, {}):
            error = kind == "message" and jsonrpc.failure(values, link.name) or error
    except Error:
        pass  # words for a browser, or none: the status says enough
    if status in (401, 403):
        error = _auth(link, status, response.headers.get("www-authenticate", ""), error)
    elif error is None:
        error = Error("request", "%s answers HTTP %d" % (link.url, status), _hint(status))
    if status == 429:
        error.kind = "rate"
    elif status >= 500:
        error.kind = "overload"
    error.status = status
    after = response.headers.get("retry-after", "")
    error.wait = int(after) if after.isdigit() else None
    return error


def events(source, plan, seen):
    """The same for a stream of events; source is anything with readinto."""
    incoming = broken = None
    lost = 0
    for kind, *rest in sse.pieces(source):
        if kind == "data":
            try:
                incoming = incoming or _incoming(plan)
                for element in incoming.feed(b"" if broken else rest[0]):
                    yield "element", element
            except Error as error:
                broken = error
            # It may be an event of another kind, which is told at its end.
            lost += len(rest[0]) if broken else 0
            if lost > _REFUSAL_MAX:
                raise broken
            continue
        name, id, retry = rest
        if id is not None:
            seen["id"] = id
        if retry is not None:
            seen["retry"] = retry
        # Other events than messages are not for us; one without data is there for its id.
        if incoming and not name:
            if broken:
                raise broken
            incoming.close()
            for values in incoming.messages:
                yield "message", values
        incoming = broken = None
        lost = 0


def _whole(response, plan):
    incoming = _incoming(plan)
    buf = bytearray(_BUFFER)
    view = memoryview(buf)
    while True:
        n = response.readinto(buf)
        if not n:
            break
        for element in incoming.feed(bytes(view[:n])):
            yield "element", element
    incoming.close()
    for values in incoming.messages:
        yield "message", values


def _incoming(plan):
    path, want, caps, limit = plan
    return jsonrpc.Incoming(path, want, caps, Trim(limit) if limit else None)


def _auth(link, status, header, said):
    challenge = headers.challenge(header)
    words = ["%s %s" % (name, challenge[name]) for name in _CHALLENGE if name in challenge]
    if not words and said:
        words.append(str(said))
    what = "wants another token" if status == 401 else "does not allow this"
    message = "%s %s (HTTP %d%s)" % (link.name, what, status, "".join(", " + w for w in words))
    hint = "mcp add %s %s --token TOKEN" % (link.label or "NAME", link.url)
    error = Error("auth", message, hint)
    error.challenge = challenge
    return error


def _hint(status):
    if status in (404, 405, 406):
        return "check the address: most end in /mcp"
    return "the same again, later" if status == 429 or status >= 500 else "check the address"
