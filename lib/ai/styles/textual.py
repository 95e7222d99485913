"""Tools for a model that has none: described in the system prompt, called by a block of JSON.

Not a style but a layer over one, which ai.exchange puts in between:

    options["system"] = System(options.get("system"), tools)     and no tools in the request
    parts = Parts(parts)                                         calls and results as text
    style = Over(style)                                          whose feed finds the blocks

A block is {"tool": NAME, "args": {...}}, in a code fence or bare, anywhere in the text.
"""

import json

from micropython import const

from ai.styles import common
from net.jsontext import loads

_BLOCK_MAX = const(8192)
_FENCE = "```"
_HOW = """\
You can use tools. To use one, answer with this block of JSON and nothing after it:
```json
{"tool": "NAME", "args": {}}
```
Its result comes with the next message. Use a tool only if it helps. The tools:
"""


class System:
    """The system prompt with the tools described in it: pieces of str, again and again."""

    def __init__(self, system, tools):
        self._system = system
        self._tools = tools

    def __iter__(self):
        if self._system:
            yield self._system + "\n\n"
        yield _HOW
        for name, description, schema in self._tools:
            yield "- %s: %s\n  arguments as JSON Schema: " % (name, loads(description))
            yield str(schema, "utf-8") + "\n"


class Parts:
    """The parts of a conversation with calls and results as text, again and again."""

    def __init__(self, parts):
        self._parts = parts

    def __iter__(self):
        open_call = last = None
        for part in self._parts:
            kind = part[0]
            if open_call is not None and kind != "args":
                yield "text", open_call + "}\n" + _FENCE
                open_call = None
            if kind == "call":
                yield "text", '\n%sjson\n{"tool": %s, "args": ' % (_FENCE, json.dumps(part[2]))
                open_call = "{}"
            elif kind == "args":
                yield "text", part[2]
                open_call = ""
            elif kind == "result":
                if part[1] != last:
                    went = "Result" if part[3] else "Error"
                    yield "user", "%s of %s:\n" % (went, part[2])
                yield "user", part[4]
            elif kind != "opaque":
                yield part
            last = part[1] if kind == "result" else None
        if open_call is not None:
            yield "text", open_call + "}\n" + _FENCE


class Over:
    """A style whose replies are searched for blocks; the rest is that of the style below."""

    def __init__(self, style):
        self._style = style
        self.PATH = style.PATH
        self.STREAM_PATH = style.STREAM_PATH
        self.HEADERS = style.HEADERS
        self.request = style.request
        self.error = style.error

    def feed(self, state, event):
        """As of a style."""
        for delta in self._style.feed(state, event):
            yield from feed(state, delta)


def feed(state, delta):
    """Yields the deltas that a delta becomes; text that may be a block is held back until it is
    known. `state` is a dict of the caller, the same for one reply."""
    kind = delta[0]
    if kind == "text":
        state["held"] = state.get("held", "") + delta[1]
        yield from _scan(state, False)
    elif kind == "stop":
        yield from _scan(state, True)
        calls = state.get("textual", 0)
        yield "stop", "calls" if calls and delta[1] == "end" else delta[1]
    else:
        yield delta


def _scan(state, final):
    while state.get("held"):
        text = state["held"]
        if state.get("after") and text[0] == "\n":  # the line end that belongs to a block
            state["held"] = text[1:]
            continue
        state["after"] = False
        start = _start(text)
        if start:
            yield "text", text[:start]
            state["held"] = text[start:]
            continue
        end = _end(text)
        if not end and not final and len(text) < _BLOCK_MAX:
            return
        call = _call(text[:end]) if end > 0 else None
        if call:
            number = state["textual"] = state.get("textual", 0) + 1
            id = common.new_id(state, number)
            yield "call", id, call[0]
            yield "args", id, call[1]
            state["held"] = text[end:]
            state["after"] = True
        else:
            yield "text", text[:1]
            state["held"] = text[1:]


# Where a block may begin: the length of the text if nowhere.
def _start(text):
    places = [place for place in (text.find("{"), text.find("`")) if place >= 0]
    return min(places) if places else len(text)


# Where the block at the start of a text ends; 0 if that is to come, -1 if there is none.
def _end(text):
    if text[0] == "{":
        return _object_end(text, 0)
    if len(text) < 3:
        return 0 if _FENCE.startswith(text) else -1
    if not text.startswith(_FENCE):
        return -1
    brace = text.find("{")
    word = text[3:] if brace < 0 else text[3:brace]
    if not "json".startswith(word.strip().lower()):
        return -1
    if brace < 0:
        return 0
    end = _object_end(text, brace)
    if end <= 0:
        return end
    rest = text[end:].lstrip()
    if rest.startswith(_FENCE):
        return len(text) - len(rest) + 3
    return 0 if _FENCE.startswith(rest) else -1


def _object_end(text, at):
    depth = 0
    quoted = escaped = False
    while at < len(text):
        char = text[at]
        at += 1
        if escaped:
            escaped = False
        elif quoted:
            escaped = char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                return at
    return 0


# (name, arguments as JSON text) of a block, None if it is some other JSON.
def _call(text):
    try:
        value = loads(text[text.index("{") : text.rindex("}") + 1])
    except ValueError:
        return None
    name = value.get("tool") or value.get("name")
    args = value.get("args", value.get("arguments", {}))
    if isinstance(args, str):
        try:
            args = loads(args)
        except ValueError:
            return None
    if not isinstance(name, str) or not isinstance(args, dict):
        return None
    if not ("args" in value or "arguments" in value or "tool" in value):
        return None
    return name, json.dumps(args)
