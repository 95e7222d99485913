"""The chat completions style: OpenAI, Groq, Ollama, Kimi, and whoever speaks like them.

Source: the OpenAI API reference, chat/completions; what other servers do differently stands
where it is handled.

state: what the caller puts in, "options" and "nonce" (for ids that a server leaves out), and what
is kept from event to event: "calls", "usage", "stop", "done"
"""

from ai.styles import common
from net.errors import Error

PATH = "/chat/completions"
STREAM_PATH = PATH
HEADERS = ()

_STOPS = {
    "stop": "end",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
    "content_filter": "filter",
}
# The field for max_tokens is one of these; a server that knows only the other one says so.
CAPS = ("max_tokens", "max_completion_tokens")
_UNKNOWN = ("support", "unknown", "unrecognized", "instead", "not permitted", "unexpected")
# These in an error mean that there is no point in trying again.
_SPENT = ("insufficient_quota", "exceeded_current_quota_error", "billing_hard_limit_reached")


def request(parts, tools, options):
    """Yields the body of a request.

    options: model, system, max_tokens, temperature, stream, mark; quirks: cap (name of the field
    for max_tokens), reasoning (field in which reasoning goes back), effort (reasoning_effort
    where tools are sent)
    """
    yield b'{"model":'
    yield from common.text(options["model"])
    yield from _settings(options)
    has_tools = False
    for name, description, schema in tools:
        yield b"," if has_tools else b',"tools":['
        has_tools = True
        yield b'{"type":"function","function":{"name":'
        yield from common.text(name)
        yield b',"description":'
        yield description
        yield b',"parameters":'
        yield common.object_schema(schema)
        yield b"}}"
    if has_tools:
        yield b"]"
        if options.get("effort"):
            yield b',"reasoning_effort":'
            yield from common.text(options["effort"])
    yield b',"messages":['
    yield from _messages(parts, options)
    yield b"]}"


def feed(state, event):
    """Yields the deltas of an event, or of a whole reply; of None at the end."""
    if event is None:
        yield from _finish(state)
        return
    name, data = event[0], event[1]
    if data == b"[DONE]":
        state["done"] = True
        return
    if not data:
        return
    value = common.parse(data)
    if value is None:
        raise Error("protocol", "a reply that is not JSON", "check the url: config ai")
    if value.get("error") or name == "error":
        raise error(value.get("status_code") or 0, data)
    usage = value.get("usage") or (value.get("x_groq") or {}).get("usage")
    if isinstance(usage, dict):
        state["usage"] = usage
    for choice in value.get("choices") or _native(state, value):
        yield from _choice(state, choice)


def error(status, body):
    """An Error of what the provider said."""
    found, message = common.error_body(body)
    code = found.get("code")
    if not status and isinstance(found.get("status_code"), int):
        status = found["status_code"]
    if not status and isinstance(code, int):
        status = code
    spent = code in _SPENT or found.get("type") in _SPENT
    if spent:
        return common.make_error(
            status, message, "rate", -1, "check plan and billing at the provider, or another one"
        )
    made = common.make_error(status, message)
    words = message.lower()
    if status in (400, 422) and (found.get("param") in CAPS or any(c in words for c in CAPS)):
        if any(word in words for word in _UNKNOWN):
            made.fix = "cap"
    return made


# The reply of Ollama's own API, which a url without /v1 may lead to, as choices.
def _native(state, value):
    if not isinstance(value.get("message"), dict):
        return ()
    counts = value.get("prompt_eval_count"), value.get("eval_count")
    if any(counts):
        state["usage"] = {"prompt_tokens": counts[0], "completion_tokens": counts[1]}
    return ({"message": value["message"], "finish_reason": value.get("done_reason")},)


def _settings(options):
    if options.get("stream"):
        yield b',"stream":true,"stream_options":{"include_usage":true}'
    if options.get("max_tokens") is not None:
        yield b',"%s":' % options.get("cap", "max_tokens").encode()
        yield common.number(options["max_tokens"])
    if options.get("temperature") is not None:
        yield b',"temperature":'
        yield common.number(options["temperature"])


def _messages(parts, options):
    comma = False
    if not common.is_blank(options.get("system")):
        yield b'{"role":"system","content":'
        yield from common.text(options["system"])
        yield b"}"
        comma = True
    for role, group in common.groups(parts):
        if role == "result":
            for head, pieces in common.runs(group):
                yield b"," if comma else b""
                yield b'{"role":"tool","tool_call_id":'
                yield from common.text(head[1])
                yield b',"content":'
                yield from common.quoted(pieces)
                yield b"}"
                comma = True
            continue
        if comma:
            yield b","
        comma = True
        if role == "user":
            yield b'{"role":"user","content":'
            yield from common.quoted(part[1] for part in group)
            yield b"}"
        else:
            yield from _assistant(group, options)


# Text before calls, as the history keeps them; reasoning that has to go back stands where it came.
def _assistant(group, options):
    yield b'{"role":"assistant"'
    reasoning = options.get("reasoning")
    seen = set()
    for head, pieces in common.runs(group):
        kind = head[0]
        if kind == "opaque":
            if reasoning and head[2] == options.get("mark") and kind not in seen:
                yield b',"%s":' % reasoning.encode()
                yield from common.quoted(pieces)
                seen.add(kind)
        elif kind == "text" and not seen & {"text", "call"}:
            yield b',"content":'
            yield from common.quoted(pieces)
            seen.add(kind)
        elif kind == "call":
            yield from _call(head, seen)
        elif kind == "args" and "call" in seen:
            yield from common.escaped(pieces)
            seen.add("args")
    yield from _close_call(seen)
    yield b"]" if "call" in seen else b""
    if "text" not in seen and "call" not in seen:
        yield b',"content":""'
    if reasoning and "opaque" not in seen:
        yield b',"%s":""' % reasoning.encode()
    yield b"}"


# Up to the arguments, which follow as parts of their own.
def _call(head, seen):
    yield from _close_call(seen)
    if not seen & {"text", "call"}:
        yield b',"content":""'
    yield b"," if "call" in seen else b',"tool_calls":['
    yield b'{"id":'
    yield from common.text(head[1])
    yield b',"type":"function","function":{"name":'
    yield from common.text(head[2])
    yield b',"arguments":"'
    seen.add("call")
    seen.discard("args")


def _close_call(seen):
    if "call" in seen:
        yield b'"}}' if "args" in seen else b'{}"}}'


def _choice(state, choice):
    if not isinstance(choice, dict):
        return
    delta = choice.get("delta") or choice.get("message") or {}
    yield from _reasoning(state, delta)
    for field in ("content", "refusal"):
        said = _said(delta.get(field))
        if said:
            yield "text", said
    calls = delta.get("tool_calls") or ()
    if delta.get("function_call"):  # the form before 2024
        calls = ({"function": delta["function_call"], "index": 0},)
    for call in calls:
        if isinstance(call, dict):
            yield from _fragment(state, call)
    if choice.get("finish_reason"):
        state["stop"] = _STOPS.get(choice["finish_reason"], "end")


def _reasoning(state, delta):
    thought = delta.get("reasoning_content") or delta.get("reasoning")
    if isinstance(thought, str) and thought:
        yield "think", thought
        if state.get("options", {}).get("reasoning"):
            yield "opaque", thought


def _said(content):
    if isinstance(content, list):  # parts, as some servers send them
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


# A fragment belongs to the call of its index; an id that is new opens a call whatever the index
# (Ollama numbers all calls 0), and so does a name where there is neither.
def _fragment(state, fragment):
    function = fragment.get("function") or {}
    call = _call_of(state, fragment, function)
    if call is None:
        return
    args = common.args_text(function.get("arguments"))
    call["name"] = call["name"] or function.get("name") or ""
    if not call["name"]:
        call["held"] += args
        return
    if not call["open"]:
        call["open"] = True
        yield "call", call["id"], call["name"]
        args = call["held"] + args
    if args:
        yield "args", call["id"], args


def _call_of(state, fragment, function):
    calls = state.setdefault("calls", [])
    index = fragment.get("index")
    id = fragment.get("id")
    for call in reversed(calls):
        same = call["index"] == index if index is not None else call is calls[-1]
        if same and not (id and call["given"] and call["given"] != id):
            if index is not None or id or not function.get("name") or not call["name"]:
                return call
        if same:
            break
    if not id and not function.get("name") and index is None:
        return None
    taken = [call["id"] for call in calls]
    own = id if id and id not in taken else common.new_id(state, len(calls))
    call = {"id": own, "given": id, "index": index, "name": "", "held": "", "open": False}
    calls.append(call)
    return call


def _finish(state):
    usage = state.get("usage")
    if usage:
        yield "usage", usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0
    stop = state.get("stop") or ("end" if state.get("done") else "cut")
    if state.get("calls") and stop == "end":
        stop = "calls"
    yield "stop", stop
