"""One request to a model and its reply, as deltas. Knows HTTP and retries, no wire words.

for delta in run(options, parts, tools): ...

options come from ai.usetypes; parts and tools can be walked again and again, so that a request
that failed before anything was shown can be made once more.
"""

import time

from micropython import const

from ai import styles
from net import http, retry, sse
from net.errors import Error

_ERROR_BODY = const(4096)
_WHOLE = const(262144)
_KEPT = ("content-type",) + retry.HEADERS
_CUT = "%s: the reply broke off"


def run(options, parts, tools=()):
    """Yields the deltas of a reply; an opaque one has its mark. Error when it fails.

    A reply that breaks off ends with ("stop", "cut") and then an Error: what came stays said.
    """
    style = styles.load(options["style"])
    if tools and options.get("tools_level") == "textual":
        style, parts, tools, options = _textual(style, parts, tools, options)
    attempt = 1
    while True:
        shown = False
        got = {}
        try:
            for delta in _once(style, options, parts, tools, got):
                shown = True
                yield delta
            return
        except Error as error:
            error.message = _named(options, error.message)
            seconds = None if shown else retry.wait(error, attempt, got)
            if seconds is None:
                raise
        retry.pause(seconds)
        attempt += 1


# The layer for a model that takes no tools: see its module.
def _textual(style, parts, tools, options):
    from ai.styles import textual

    options = dict(options)
    options["system"] = textual.System(options.get("system"), tools)
    return textual.Over(style), textual.Parts(parts), (), options


def _once(style, options, parts, tools, got):
    state = {"options": options, "nonce": time.ticks_ms()}
    path = style.STREAM_PATH if options.get("stream") else style.PATH
    with http.request(
        "POST",
        options["url"] + path.replace("{model}", options["model"]),
        data=lambda: style.request(parts, tools, options),
        headers=headers(style, options),
        timeout=options.get("timeout"),
        parse_headers=_KEPT,
    ) as response:
        got.update(response.headers)
        if response.status_code != 200:
            raise style.error(response.status_code, read_error(response))
        stop = None
        for event in _events(response):
            for delta in style.feed(state, event):
                if delta[0] == "opaque":
                    delta = delta + (options["mark"],)
                elif delta[0] == "stop":
                    stop = delta[1]
                yield delta
    if stop == "cut":
        raise Error("net", _CUT % options["name"], "the same again")


# The events of a stream, or the whole body as one; then None. A stream that breaks is at its end:
# what is missing shows by that.
def _events(response):
    kind = response.headers.get("content-type", "").partition(";")[0].strip()
    if kind == "text/event-stream":
        try:
            yield from sse.events(response)
        except Error as error:
            if error.kind != "net":
                raise
    else:
        yield "", _read(response, _WHOLE + 1), None, None
    yield None


def read_error(response):
    """The start of a body that says what went wrong."""
    return _read(response, _ERROR_BODY)


def _read(response, most):
    pieces = []
    size = 0
    while size < most:
        piece = response.read(min(512, most - size))
        if not piece:
            break
        size += len(piece)
        pieces.append(piece)
    if size > _WHOLE:
        raise Error("protocol", "a reply of more than %d bytes" % _WHOLE, "check the url")
    return b"".join(pieces)


def headers(style, options):
    """The headers of a request: content, what the style wants, and the key."""
    headers = [("Content-Type", "application/json")]
    headers.extend(style.HEADERS)
    auth = options.get("auth")
    if auth == "bearer":
        headers.append(("Authorization", "Bearer " + options["key"]))
    elif auth:
        headers.append((auth, options["key"]))
    return headers


def _named(options, message):
    name = options["name"]
    return message if message.startswith(name) else name + ": " + message
