"""The generateContent style of Gemini.

Source: the Gemini API reference (v1beta). An opaque part is the thoughtSignature of the part
that follows it; one with nothing after it came with an empty text.

state: "calls" how many, "usage", "stop", "done"
"""

import json

from ai.styles import common
from net.errors import Error
from net.jsontext import loads

PATH = "/models/{model}:generateContent"
STREAM_PATH = "/models/{model}:streamGenerateContent?alt=sse"
HEADERS = ()

_STOPS = {"STOP": "end", "MAX_TOKENS": "length"}
# The model made something that is no tool call: another try may go well.
_MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE")
# For calls of another model: the API checks signatures from version 3 on, and takes this.
# (Gemini API docs, Thought signatures: base64 of skip_thought_signature_validator)
_NO_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
_UNSIGNED = ("gemini-1", "gemini-2")
_KINDS = {
    "RESOURCE_EXHAUSTED": "rate",
    "UNAVAILABLE": "overload",
    "UNAUTHENTICATED": "auth",
    "PERMISSION_DENIED": "auth",
    "DEADLINE_EXCEEDED": "timeout",
    "INTERNAL": "overload",
}


def request(parts, tools, options):
    """Yields the body of a request. options: model, system, max_tokens, temperature, mark."""
    yield b'{"contents":['
    yield from _contents(parts, options)
    yield b"]"
    if not common.is_blank(options.get("system")):
        yield b',"systemInstruction":{"parts":[{"text":'
        yield from common.text(options["system"])
        yield b"}]}"
    yield from _tools(tools)
    settings = {}
    for key, name in (("max_tokens", "maxOutputTokens"), ("temperature", "temperature")):
        if options.get(key) is not None:
            settings[name] = options[key]
    if settings:
        yield b',"generationConfig":' + json.dumps(settings).encode()
    yield b"}"


def feed(state, event):
    """Yields the deltas of an event, or of a whole reply; of None at the end."""
    if event is None:
        yield from _finish(state)
        return
    try:
        value = loads(event[1])
    except ValueError:
        raise Error("protocol", "a reply that is not JSON", "check the url: config ai")
    # Without alt=sse the events come as one array.
    for item in value if isinstance(value, list) else (value,):
        if not isinstance(item, dict):
            raise Error("protocol", "a reply that makes no sense", "check the url: config ai")
        yield from _item(state, item)


def error(status, body):
    """An Error of what the provider said."""
    found, message = common.error_body(body)
    details = [item for item in found.get("details") or () if isinstance(item, dict)]
    kind = _KINDS.get(found.get("status"))
    if any(item.get("reason") == "API_KEY_INVALID" for item in details):
        kind = "auth"
    if not status and isinstance(found.get("code"), int):
        status = found["code"]
    return common.make_error(status, message, kind, _delay(details))


def _tools(tools):
    comma = False
    for name, description, schema in tools:
        yield b"," if comma else b',"tools":[{"functionDeclarations":['
        comma = True
        yield b'{"name":'
        yield from common.text(name)
        yield b',"description":'
        yield description
        if (common.parse(schema) or {}).get("properties"):  # an empty object is refused
            yield b',"parametersJsonSchema":'
            yield schema
        yield b"}"
    if comma:
        yield b"]}]"


# A content is opened by its first part, so that none is empty.
def _contents(parts, options):
    comma = False
    for role, group in common.groups(parts):
        made = _results(group) if role == "result" else _parts(group, options)
        first = next(made, None)
        if first is None:
            continue
        yield b"," if comma else b""
        comma = True
        yield b'{"role":"%s","parts":[' % (b"model" if role == "assistant" else b"user")
        yield first[1:]
        yield from made
        yield b"]}"


# The parts of a content, each with a comma in front; the comma comes first in a piece.
def _parts(group, options):
    signature = []
    ending = None  # what ends the call that is open
    signed = options["model"].startswith(_UNSIGNED)
    for head, pieces in common.runs(group):
        kind = head[0]
        if ending and kind != "args":
            yield ending
            ending = None
        if kind == "opaque":
            if signature:
                yield b',{"text":""' + _signature(signature) + b"}"
            signature = list(pieces) if head[2] == options.get("mark") else []
        elif kind in ("user", "text"):
            yield b',{"text":'
            yield from common.quoted(pieces)
            yield _signature(signature) + b"}"
            signature = []
        elif kind == "call":
            if not signature and not signed:
                signature = [_NO_SIGNATURE]
            signed = True  # of parallel calls the first is enough
            yield b',{"functionCall":{' + _id(head[1]) + b'"name":'
            yield from common.text(head[2])
            ending = b"}" + _signature(signature) + b"}"
            signature = []
        elif kind == "args" and ending:
            yield b',"args":'
            for piece in pieces:
                yield piece.encode()
    if ending:
        yield ending
    if signature:
        yield b',{"text":""' + _signature(signature) + b"}"


def _results(group):
    for head, pieces in common.runs(group):
        yield b',{"functionResponse":{' + _id(head[1]) + b'"name":'
        yield from common.text(head[2])
        yield b',"response":{"output":' if head[3] else b',"response":{"error":'
        yield from common.quoted(pieces)
        yield b"}}}"


def _signature(pieces):
    if not pieces:
        return b""
    return b',"thoughtSignature":' + json.dumps("".join(pieces)).encode()


def _id(id):
    return b"" if common.is_made_up(id) else b'"id":' + json.dumps(id).encode() + b","


def _item(state, item):
    if item.get("error"):
        raise error(0, json.dumps(item))
    if isinstance(item.get("usageMetadata"), dict):
        state["usage"] = item["usageMetadata"]
    blocked = (item.get("promptFeedback") or {}).get("blockReason")
    if blocked:
        state["stop"] = "filter"
    for candidate in (item.get("candidates") or ())[:1]:
        for part in (candidate.get("content") or {}).get("parts") or ():
            yield from _part(state, part)
        reason = candidate.get("finishReason")
        if reason in _MALFORMED:
            raise Error("overload", "the model made a tool call that makes no sense (%s)" % reason,
                        "the same again")  # fmt: skip
        if reason:
            state["stop"] = _STOPS.get(reason, "filter")


def _part(state, part):
    if part.get("thoughtSignature"):
        yield "opaque", part["thoughtSignature"]
    call = part.get("functionCall")
    if call:
        number = state["calls"] = state.get("calls", 0) + 1
        id = call.get("id") or common.new_id(state, number)
        yield "call", id, call.get("name") or ""
        if call.get("args"):
            yield "args", id, json.dumps(call["args"])
    elif part.get("text"):
        yield "think" if part.get("thought") else "text", part["text"]


def _finish(state):
    usage = state.get("usage")
    if usage:
        out = (usage.get("candidatesTokenCount") or 0) + (usage.get("thoughtsTokenCount") or 0)
        yield "usage", usage.get("promptTokenCount") or 0, out
    stop = state.get("stop") or "cut"
    yield "stop", "calls" if stop == "end" and state.get("calls") else stop


# RetryInfo: "48s" or "1.5s".
def _delay(details):
    for item in details:
        delay = item.get("retryDelay")
        if isinstance(delay, str) and delay.endswith("s"):
            try:
                return float(delay[:-1])
            except ValueError:
                return None
    return None
