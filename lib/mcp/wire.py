"""MCP's streamable HTTP: a message out, messages in, whatever the framing. Knows no method.

for kind, *rest in chunks(response): ...
"""

import json

from micropython import const

from net import http, sse
from net.errors import Error

_BUFFER = const(512)
KEPT = ("content-type", "mcp-session-id", "www-authenticate", "retry-after", "allow")
_ACCEPT = ("Accept", "application/json, text/event-stream")
_SMALL = const(65536)


def post(url, body, headers, timeout):
    """POST a message; returns the Response, whatever its status."""
    fields = [("Content-Type", "application/json"), _ACCEPT]
    fields.extend(headers)
    return http.request(
        "POST", url, data=body, headers=fields, timeout=timeout, parse_headers=KEPT
    )


def resume(url, headers, last_id, timeout):
    """GET the rest of a stream that ended early (2025-11-25, Resumability)."""
    fields = [("Accept", "text/event-stream"), ("Last-Event-ID", last_id)]
    fields.extend(headers)
    return http.request("GET", url, headers=fields, timeout=timeout, parse_headers=KEPT)


def chunks(response):
    """The messages of a reply, each as ("data", bytes)... and then ("end", event id, retry ms).

    A reply without a body has none. An event without data ends without data before it.
    """
    if is_stream(response):
        for kind, *rest in sse.pieces(response):
            if kind == "data":
                yield kind, rest[0]
            elif not rest[0]:  # other events than messages are not for us
                yield "end", rest[1], rest[2]
        return
    buf = bytearray(_BUFFER)
    some = False
    while True:
        n = response.readinto(buf)
        if not n:
            break
        some = True
        yield "data", bytes(memoryview(buf)[:n])
    if some:
        yield "end", None, None


def is_stream(response):
    """Whether a reply is a stream of events."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "text/event-stream"


def small(response, cap=_SMALL):
    """The last message of a reply that is known to be small, as a dict; {} if there is none."""
    pieces = []
    size = 0
    value = {}
    for kind, *rest in chunks(response):
        if kind == "data":
            size += len(rest[0])
            if size > cap:
                raise Error("protocol", "a message of more than %d bytes" % cap)
            pieces.append(rest[0])
            continue
        if pieces:
            value = _object(b"".join(pieces)) or value
        pieces = []
        size = 0
        if "result" in value or "error" in value:
            break  # a server may keep the stream open after the answer
    return value


def check(response, url):
    """Error for a status that is an answer to nobody: 401, 403, 429, 5xx."""
    status = response.status_code
    if status in (401, 403):
        wants = _challenge(response.headers.get("www-authenticate", ""))
        words = "%s wants a token (%d%s)" % (url, status, ": " + wants if wants else "")
        raise Error("auth", words, "mcp add NAME URL --token TOKEN", status)
    if status == 429:
        raise Error("rate", "%s has too much to do" % url, "the same again, later", status)
    if status >= 500:
        raise Error("overload", "%s failed (HTTP %d)" % (url, status), "the same again", status)


# What a WWW-Authenticate header says: scheme, error, description, scope, where to read on.
def _challenge(header):
    scheme, _, rest = header.partition(" ")
    shown = [scheme] if scheme else []
    for name in ("error", "error_description", "scope", "resource_metadata"):
        at = rest.find(name + "=")
        if at >= 0 and (at == 0 or rest[at - 1] in ", "):
            value = rest[at + len(name) + 1 :]
            value = value[1:].partition('"')[0] if value[:1] == '"' else value.partition(",")[0]
            shown.append("%s %s" % (name, value.strip()))
    return ", ".join(shown)


def _object(data):
    try:
        value = json.loads(data)
    except ValueError:
        return None
    if isinstance(value, list) and value:  # a batch, as 2025-03-26 has it
        value = value[-1]
    return value if isinstance(value, dict) else None
