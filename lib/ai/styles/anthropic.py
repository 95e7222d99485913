"""The messages style of Anthropic.

Source: the Anthropic API reference, Messages and Streaming. Thinking goes back as it came: an
opaque part is one content block as JSON, with a comma in front.

state: "block" kind of the open block, "thinking" and "signature" its pieces, "input" "output"
tokens, "stop", "done"
"""

import json

from ai.styles import common
from net.errors import Error

PATH = "/messages"
STREAM_PATH = PATH
HEADERS = (("anthropic-version", "2023-06-01"),)

_MAX_TOKENS = 4096  # the API wants a number
_STOPS = {
    "tool_use": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filter",
}
_KINDS = {
    "authentication_error": "auth",
    "permission_error": "auth",
    "rate_limit_error": "rate",
    "overloaded_error": "overload",
    "api_error": "overload",
    "timeout_error": "timeout",
}


def request(parts, tools, options):
    """Yields the body of a request.

    options: model, system, max_tokens, temperature, stream, mark
    """
    yield b'{"model":'
    yield from common.text(options["model"])
    yield b',"max_tokens":'
    yield common.number(options.get("max_tokens") or _MAX_TOKENS)
    if options.get("stream"):
        yield b',"stream":true'
    if options.get("temperature") is not None:
        yield b',"temperature":'
        yield common.number(options["temperature"])
    if not common.is_blank(options.get("system")):
        yield b',"system":'
        yield from common.text(options["system"])
    yield from _tools(tools)
    yield b',"messages":['
    yield from _messages(parts, options.get("mark"))
    yield b"]}"


def feed(state, event):
    """Yields the deltas of an event, or of a whole reply; of None at the end."""
    if event is None:
        yield "usage", state.get("input") or 0, state.get("output") or 0
        yield "stop", state.get("stop") or ("end" if state.get("done") else "cut")
        return
    value = common.parse(event[1])
    if value is None:
        raise Error("protocol", "a reply that is not JSON", "check the url: config ai")
    kind = value.get("type")
    if kind == "error" or "error" in value:
        raise error(0, event[1])
    if kind == "message_start":
        _count(state, (value.get("message") or {}).get("usage"))
    elif kind == "content_block_start":
        yield from _start(state, value.get("content_block") or {})
    elif kind == "content_block_delta":
        yield from _delta(state, value.get("delta") or {})
    elif kind == "content_block_stop":
        yield from _stop(state)
    elif kind == "message_delta":
        _end(state, value.get("delta") or {}, value.get("usage"))
    elif kind == "message_stop":
        state["done"] = True
    elif kind == "message":
        yield from _whole(state, value)


def error(status, body):
    """An Error of what the provider said."""
    found, message = common.error_body(body)
    kind = _KINDS.get(found.get("type"))
    if found.get("type") == "billing_error":
        hint = "check plan and billing at the provider, or another one"
        return common.make_error(status, message, "rate", -1, hint)
    return common.make_error(status, message, kind)


def _tools(tools):
    comma = False
    for name, description, schema in tools:
        yield b"," if comma else b',"tools":['
        comma = True
        yield b'{"name":'
        yield from common.text(name)
        yield b',"description":'
        yield description
        yield b',"input_schema":'
        yield common.object_schema(schema)
        yield b"}"
    if comma:
        yield b"]"


# A message is opened by its first block, so that none is empty.
def _messages(parts, mark):
    comma = False
    for role, group in common.groups(parts):
        blocks = _blocks(role, group, mark)
        first = next(blocks, None)
        if first is None:
            continue
        yield b"," if comma else b""
        comma = True
        yield b'{"role":"%s","content":[' % (b"assistant" if role == "assistant" else b"user")
        yield first[1:]
        yield from blocks
        yield b"]}"


# The blocks of a message, each with a comma in front; the comma comes first in a piece.
def _blocks(role, group, mark):
    seen_call = False
    open_call = empty = False
    for head, pieces in common.runs(group):
        kind = head[0]
        if open_call and kind != "args":
            yield b"{}}" if empty else b"}"
            open_call = False
        if kind in ("user", "text"):
            said = common.spoken(pieces)
            if said and not seen_call:
                yield b',{"type":"text","text":'
                yield from common.quoted(said)
                yield b"}"
        elif kind == "opaque" and head[2] == mark:
            for piece in pieces:
                yield piece.encode()
        elif kind == "call":
            yield b',{"type":"tool_use","id":'
            yield from common.text(head[1])
            yield b',"name":'
            yield from common.text(head[2])
            yield b',"input":'
            seen_call = open_call = empty = True
        elif kind == "args" and open_call:
            for piece in pieces:
                empty = empty and not piece
                yield piece.encode()
        elif kind == "result":
            yield from _result(head, pieces)
    if open_call:
        yield b"{}}" if empty else b"}"


def _result(head, pieces):
    yield b',{"type":"tool_result","tool_use_id":'
    yield from common.text(head[1])
    said = common.spoken(pieces)
    if said:
        yield b',"content":'
        yield from common.quoted(said)
    yield b"}" if head[3] else b',"is_error":true}'


def _start(state, block):
    kind = state["block"] = block.get("type")
    if kind == "text" and block.get("text"):
        yield "text", block["text"]
    elif kind == "thinking":
        state["thinking"] = [block.get("thinking") or ""]
        state["signature"] = [block.get("signature") or ""]
    elif kind == "redacted_thinking":
        yield "opaque", "," + json.dumps(block)
    elif kind == "tool_use":
        state["call"] = block.get("id") or common.new_id(state, 0)
        yield "call", state["call"], block.get("name") or ""
        if block.get("input"):
            yield "args", state["call"], json.dumps(block["input"])


def _delta(state, delta):
    kind = delta.get("type")
    if kind == "text_delta" and delta.get("text"):
        yield "text", delta["text"]
    elif kind == "input_json_delta" and delta.get("partial_json"):
        yield "args", state["call"], delta["partial_json"]
    elif kind == "thinking_delta" and delta.get("thinking"):
        state["thinking"].append(delta["thinking"])
        yield "think", delta["thinking"]
    elif kind == "signature_delta":
        state["signature"].append(delta.get("signature") or "")


# The end of a block: only a whole one may go back.
def _stop(state):
    if state.pop("block", None) != "thinking":
        return
    thinking = json.dumps("".join(state.pop("thinking")))
    signature = json.dumps("".join(state.pop("signature")))
    yield "opaque", ',{"type":"thinking","thinking":%s,"signature":%s}' % (thinking, signature)


def _end(state, delta, usage):
    _count(state, usage)
    if delta.get("stop_reason"):
        state["stop"] = _STOPS.get(delta["stop_reason"], "end")


def _count(state, usage):
    for key in ("input", "output"):
        tokens = (usage or {}).get(key + "_tokens")
        if tokens is not None:
            state[key] = tokens


def _whole(state, message):
    for block in message.get("content") or ():
        if block.get("type") == "thinking" and block.get("thinking"):
            yield "think", block["thinking"]
        yield from _start(state, block)
        yield from _stop(state)
    _end(state, message, message.get("usage"))
    state["done"] = True
