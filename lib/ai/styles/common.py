"""What styles share: how parts join to messages, and how an error body reads. No wire words."""

import json

from net.errors import Error
from net.jsontext import loads, quote

# Kind by HTTP status; what is not here is "request" below 500 and "overload" above.
_KINDS = (
    ((401, 403), "auth"),
    ((404, 405, 410, 413, 422, 400, 409), "request"),
    ((408, 504), "timeout"),
    ((429,), "rate"),
)
_HINTS = (
    ("auth", "config ai.general.key KEY"),
    ("rate", "wait a little, then the same again"),
    ("overload", "wait a little, then the same again"),
    ("timeout", "the same again"),
)
_SHORT = 300
_HIDDEN = "(hidden)"
# How servers say that a model takes no tools: Ollama, Groq, OpenRouter, vLLM, llama.cpp, Gemini.
_TOOLLESS = (
    "support tool",
    "support function",
    "tool use",
    "tool calling",
    "tool choice requires",
    "function calling is not",
    "tools param requires",
)
_NOT = ("not ", "n't ", "no endpoints", "requires", "unsupported")
# What starts a key or the name of an account in a provider's words.
_PRIVATE = ("sk-", "sk_", "gsk_", "AIza", "org-", "org_", "proj_", "proj-", "key-", "ak-")


def text(value):
    """Yields a str, or an iterable of pieces of one, as a JSON string in pieces of bytes."""
    return quote(value) if isinstance(value, str) else quoted(value)


def is_blank(value):
    """Whether a str, an iterable of pieces of one, or None has nothing to say."""
    return not value or isinstance(value, str) and not value.strip()


def number(value):
    """A number as JSON bytes."""
    return json.dumps(value).encode()


def groups(parts):
    """Yields (role, iterator of its parts): "user", "assistant", "result".

    A group ends where the role changes; a stop ends an assistant's group as well. The iterator of
    a group is used up before the next group is asked for.
    """
    flow = _Flow(parts)
    while True:
        role = flow.role()
        if role is None:
            return
        if role:
            yield role, flow.group(role)
        flow.finish(role)


def runs(parts):
    """Yields (first part of a run, iterator of the pieces of its text).

    Neighbours of the same kind and id are one run.
    """
    flow = _Flow(parts)
    while flow.part is not None:
        head = flow.part
        yield head, flow.pieces(head)
        for _ in flow.pieces(head):
            pass


_ROLES = {
    "user": "user",
    "text": "assistant",
    "opaque": "assistant",
    "call": "assistant",
    "args": "assistant",
    "result": "result",
}


# Parts with one of them looked at ahead.
class _Flow:
    def __init__(self, parts):
        self._parts = iter(parts)
        self.part = None
        self._next()

    def role(self):
        if self.part is None:
            return None
        return _ROLES.get(self.part[0], "")

    def group(self, role):
        while self.part is not None and self.role() == role:
            part = self.part
            self._next()
            yield part

    def finish(self, role):
        if not role:
            self._next()
            return
        for _ in self.group(role):
            pass

    def pieces(self, head):
        while self.part is not None and _key(self.part) == _key(head):
            piece = _text_of(self.part)
            self._next()
            yield piece

    def _next(self):
        self.part = next(self._parts, None)


def _chain(before, piece, after):
    yield from before
    yield piece
    yield from after


def _key(part):
    kind = part[0]
    return (kind, part[1]) if kind in ("call", "args", "result") else kind


def _text_of(part):
    kind = part[0]
    if kind == "args":
        return part[2]
    if kind == "result":
        return part[4]
    return part[1]


def quoted(pieces):
    """Yields pieces of str as one JSON string."""
    yield b'"'
    yield from escaped(pieces)
    yield b'"'


def escaped(pieces):
    """Yields pieces of str as they stand inside of a JSON string."""
    for piece in pieces:
        for data in quote(piece):
            if data != b'"':
                yield data


def spoken(pieces):
    """The pieces of a text, or None if there is nothing but white space in it."""
    blank = []
    for piece in pieces:
        if piece.strip():
            return _chain(blank, piece, pieces)
        blank.append(piece)
    return None


def object_schema(schema):
    """A tool's schema as every provider takes it: as it is, if it is an object's with properties.

    Some refuse an object without properties, others one that does not say it is an object.
    """
    value = parse(schema)
    if value is None or value.get("type") == "object" and "properties" in value:
        return schema
    value["type"] = "object"
    value.setdefault("properties", {})
    return json.dumps(value).encode()


def new_id(state, number):
    """An id for a call that came without one; see is_made_up."""
    return "call_%x_%d" % (state.get("nonce", 0), number)


def is_made_up(id):
    """Whether an id is one of new_id: no provider knows it."""
    parts = id.split("_")
    return len(parts) == 3 and parts[0] == "call" and parts[2].isdigit()


def parse(data):
    """A JSON object of an event, None if it is none."""
    try:
        value = loads(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def args_text(value):
    """Arguments as JSON text, from whatever a server sends: text, an object, null, nothing."""
    if value is None or value == "":
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def make_error(status, message, kind=None, wait=None, hint=None):
    """An Error of what a provider said, short and without what is private."""
    kind = kind or kind_of(status)
    words = private_masked(" ".join(str(message or "HTTP status %d" % status).split()))
    if len(words) > _SHORT:
        words = words[:_SHORT] + "..."
    if hint is None:
        hint = dict(_HINTS).get(kind, "check provider, model and url: config ai")
    error = Error(kind, words, hint, status, wait)
    if status in (400, 404, 422, 500, 501) and _is_toolless(words.lower()):
        error.fix = "tools"
    return error


def _is_toolless(words):
    return any(w in words for w in _TOOLLESS) and any(w in words for w in _NOT)


def kind_of(status):
    """The kind of an Error for an HTTP status."""
    for numbers, kind in _KINDS:
        if status in numbers:
            return kind
    return "overload" if status >= 500 else "request"


def error_body(body):
    """(the error object or {}, what to show) of a body that may be anything."""
    try:
        value = loads(body)
    except ValueError:
        return {}, _plain(body)
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return {}, ""
    error = value.get("error", value)
    if isinstance(error, dict):
        return error, error.get("message") or error.get("type") or ""
    return {}, error if isinstance(error, str) else ""


def private_masked(words):
    """The words without keys, fragments of keys and names of accounts."""
    return " ".join(_mask(word) for word in words.split(" "))


# A word may have several: "org-...<ak-...>".
def _mask(word):
    at = 0
    while at < len(word):
        start = next((p for p in _PRIVATE if word.startswith(p, at)), None)
        end = at + len(start or "")
        while start and end < len(word) and _is_private(word[end]):
            end += 1
        if start and end - at > len(start) + 3:
            word = word[:at] + _HIDDEN + word[end:]
            at += len(_HIDDEN)
        else:
            at += 1
    return _HIDDEN if "****" in word else word


def _is_private(char):
    return char.isalpha() or char.isdigit() or char in "-_*."


def _plain(body):
    text = str(body, "utf-8") if _is_text(body) else ""
    if "<html" in text[:500].lower() or "<!doctype" in text[:500].lower():
        start = text.lower().find("<title>")
        end = text.lower().find("</title>")
        return text[start + 7 : end] if 0 <= start < end else ""
    return text.strip()


def _is_text(body):
    try:
        str(body, "utf-8")
    except UnicodeError:
        return False
    return True
