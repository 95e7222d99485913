"""What a server asks the person for (elicitation): the question's fields, typed by its schema.

on_elicit(message, schema) is the callable of whoever connects. It returns the answers as a dict
(what it leaves out takes the schema's default), None to decline, or "cancel".

for field in fields(schema): answers[field[0]] = convert(field, input(field[2]))
"""

from mcp import jsonrpc
from net.errors import Error

_CREATE = "elicitation/create"
_TRUE = ("y", "yes", "true", "1", "on")
_FALSE = ("n", "no", "false", "0", "off")


def fields(schema):
    """Yields (name, kind, words, required, default, choices) for each thing that is asked.

    kind     string, integer, number, boolean, array (several of the choices)
    choices  pairs (value, words); () if anything will do
    """
    required = schema.get("required") or ()
    properties = schema.get("properties")
    for name in sorted(properties if isinstance(properties, dict) else ()):
        prop = properties[name]
        if not isinstance(prop, dict):
            continue
        words = prop.get("title") or name
        if prop.get("description"):
            words += ": " + prop["description"]
        kind = prop.get("type") or "string"
        inner = prop.get("items") or {} if kind == "array" else prop
        yield name, kind, words, name in required, prop.get("default"), _choices(inner, prop)


def convert(field, text):
    """What a person typed, as the value that the field wants. ValueError says what is wrong."""
    name, kind, _, required, default, choices = field
    text = text.strip()
    if not text:
        if required and default is None:
            raise ValueError("%s is needed" % name)
        return default
    if kind == "array":
        return [_chosen(name, part.strip(), choices) for part in text.split(",")]
    if choices:
        return _chosen(name, text, choices)
    if kind == "boolean":
        if text.lower() not in _TRUE + _FALSE:
            raise ValueError("%s is yes or no" % name)
        return text.lower() in _TRUE
    if kind in ("integer", "number"):
        try:
            return int(text) if kind == "integer" else float(text)
        except ValueError:
            raise ValueError("%s is a number, not %r" % (name, text))
    return text


def answer(method, params, on_elicit):
    """The result for a request of a server, as a value. Error with a JSON-RPC `code` if there is
    none: what was not offered is refused, so that nobody waits for it."""
    if method == "ping":
        return {}
    if method != _CREATE or not on_elicit:
        raise _refused(jsonrpc.METHOD_NOT_FOUND, "%s is not offered here" % method)
    if not isinstance(params, dict) or params.get("mode", "form") != "form":
        raise _refused(jsonrpc.INVALID_PARAMS, "only forms are offered here")
    schema = params.get("requestedSchema")
    schema = schema if isinstance(schema, dict) else {}
    given = on_elicit(params.get("message") or "", schema)
    if isinstance(given, dict):
        return {"action": "accept", "content": _complete(schema, given)}
    return {"action": "cancel" if given == "cancel" else "decline"}


def answers(requests, on_elicit, who):
    """What `inputRequests` of a result want, by the same keys. Error if it is not offered."""
    given = {}
    for key, request in requests.items():
        request = request if isinstance(request, dict) else {}
        method = request.get("method")
        try:
            given[key] = answer(method, request.get("params"), on_elicit)
        except Error as error:
            if not hasattr(error, "code"):
                raise
            hint = "call it where somebody can answer" if method == _CREATE else ""
            raise Error("tool", "%s wants an answer by %s" % (who, method), hint)
    return given


def _complete(schema, given):
    for name, _, _, _, default, _ in fields(schema):
        if name not in given and default is not None:
            given[name] = default
    return given


# enum with enumNames (2025-06-18), or oneOf and anyOf of const with title (2025-11-25).
def _choices(inner, prop):
    titled = inner.get("oneOf") or inner.get("anyOf")
    if titled:
        return [(one.get("const"), one.get("title") or str(one.get("const"))) for one in titled]
    values = inner.get("enum") or ()
    names = prop.get("enumNames") or values
    return [(value, str(name)) for value, name in zip(values, names)]


def _chosen(name, text, choices):
    for value, words in choices:
        if text in (str(value), words):
            return value
    raise ValueError("%s is one of %s" % (name, ", ".join(str(value) for value, _ in choices)))


def _refused(code, message):
    error = Error("request", message)
    error.code = code
    return error
