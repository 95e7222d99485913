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

_learned = {}  # by mark: options that a server made necessary


def run(options, parts, tools=(), degrade=True):
    """Yields the deltas of a reply; an opaque one has its mark. Error when it fails.

    degrade   whether tools that the server refuses are put in words, and it is asked again

    A reply that breaks off ends with ("stop", "cut") and then an Error: what came stays said.
    """
    options = dict(options)
    level = options.get("tools_level")
    options.update(_learned.get(options["mark"], {}))
    if not degrade:
        options["tools_level"] = level
    attempt = 1
    spent = 0
    while True:
        shown = False
        got = {}
        try:
            for delta in _once(*_layered(options, parts, tools), got):
                shown = True
                yield delta
            return
        except Error as error:
            error.message = _named(options, error.message)
            if not shown and _learns(options, error, degrade and tools):
                continue
            seconds = None if shown else retry.wait(error, attempt, got, spent=spent)
            if seconds is None:
                raise
        retry.pause(seconds)
        spent += seconds
        attempt += 1


# What a server refuses is changed once, and that is remembered until the module is gone.
def _learns(options, error, tools):
    if error.fix == "tools" and tools and options.get("tools_level") != "textual":
        new = {"tools_level": "textual"}
    elif (
        error.fix == "cap"
        and options.get("max_tokens") is not None
        and "cap_swapped" not in options
    ):
        first, other = styles.load(options["style"]).CAPS
        new = {"cap": other if options.get("cap", first) == first else first, "cap_swapped": True}
    else:
        return False
    options.update(new)
    _learned.setdefault(options["mark"], {}).update(new)
    return True


def _layered(options, parts, tools):
    style = styles.load(options["style"])
    if tools and options.get("tools_level") == "textual":
        return _textual(style, parts, tools, options)
    return style, options, parts, tools


# The layer for a model that takes no tools: see its module.
def _textual(style, parts, tools, options):
    from ai.styles import textual

    options = dict(options)
    options["system"] = textual.System(options.get("system"), tools)
    return textual.Over(style), options, textual.Parts(parts), ()


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
        spoke = False
        for event in _events(response):
            for delta in style.feed(state, event):
                if delta[0] == "opaque":
                    delta = delta + (options["mark"],)
                elif delta[0] == "stop":
                    stop = delta[1]
                elif delta[0] in ("text", "call"):
                    spoke = True
                yield delta
    if stop == "length" and not spoke:
        words = "%s: the token cap was spent on reasoning, before any text" % options["name"]
        raise Error("request", words, "config ai.general.max_tokens NUMBER, with a larger one")
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


# Into one block: a server may send a byte at a time.
def _read(response, most):
    data = bytearray()
    buf = memoryview(bytearray(512))
    while len(data) < most:
        n = response.readinto(buf[: min(512, most - len(data))])
        if not n:
            break
        data.extend(buf[:n])
    if len(data) > _WHOLE:
        raise Error("protocol", "a reply of more than %d bytes" % _WHOLE, "check the url")
    return bytes(data)


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
