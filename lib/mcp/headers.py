"""Headers that MCP derives from a call, and the one that says what a server wants. Pure.

declared(schema) -> (("Region", ("region",)), ...), None if the tool must not be used
params(declarations, args) -> (("Mcp-Param-Region", "us-west1"), ...)
challenge('Bearer error="invalid_token", scope="a b"') -> {"scheme": "Bearer", "error": ...}
"""

_KEY = "x-mcp-header"
_TYPES = ("string", "integer", "boolean")
_TOKEN = "!#$%&'*+-.^_`|~"
_START = "=?base64?"
_END = "?="
# Where schemas stand inside of a schema (JSON Schema 2020-12). What else is in it is data.
_ONE = (
    "items contains unevaluatedItems additionalProperties propertyNames unevaluatedProperties "
    "not if then else contentSchema"
).split()
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAP = ("patternProperties", "dependentSchemas", "$defs", "definitions")


def encode(value):
    """A text as the value of a header: as it is if that is safe, else in base64."""
    plain = value == value.strip(" ") and all(" " <= c <= "~" for c in value)
    if plain and not (value.startswith(_START) and value.endswith(_END)):
        return value
    import binascii

    return _START + binascii.b2a_base64(value.encode()).decode().strip() + _END


def declared(schema):
    """The arguments that a tool wants as headers, as (header, path) pairs; None if one of them is
    declared in a way that forbids the use of the tool (2026-07-28, transports, custom headers)."""
    found = []
    if not _walk(schema, (), found):
        return None
    names = [name.lower() for name, _ in found]
    return None if len(set(names)) < len(names) else tuple(found)


def params(declarations, args):
    """The headers of a call: (name, value) pairs."""
    for name, path in declarations:
        value = _at(args, path)
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, (int, float)):
            value = str(value)
        if isinstance(value, str):
            yield "Mcp-Param-" + name, encode(value)


def challenge(text):
    """What WWW-Authenticate asks for: {"scheme", "realm", "scope", "error", ...}."""
    scheme, _, rest = text.strip().partition(" ")
    found = {"scheme": scheme}
    while "=" in rest:
        name, _, rest = rest.partition("=")
        value, rest = _value(rest.lstrip())
        found[name.strip(" ,").split(" ")[-1].lower()] = value
    return found


# Whether all declarations at and below a schema are good. path None: not reached by `properties`
# alone.
def _walk(schema, path, found):
    if not isinstance(schema, dict):
        return True
    if _KEY in schema:
        if not path or not _is_good(schema):
            return False
        found.append((schema[_KEY], path))
    for key, value in schema.items():
        for name, inner in _schemas(key, value):
            below = path + (name,) if key == "properties" and path is not None else None
            if not _walk(inner, below, found):
                return False
    return True


def _schemas(key, value):
    if key in _ONE:
        yield None, value
    elif key in _LIST and isinstance(value, list):
        for inner in value:
            yield None, inner
    elif (key == "properties" or key in _MAP) and isinstance(value, dict):
        yield from value.items()


def _is_good(schema):
    name = schema[_KEY]
    token = isinstance(name, str) and name and all(_is_token(c) for c in name)
    return bool(token) and schema.get("type") in _TYPES


def _is_token(c):
    return c < "\x7f" and (c.isalpha() or c.isdigit() or c in _TOKEN)


def _at(value, path):
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


# The token or quoted string at the start of text, and what follows it.
def _value(text):
    if not text.startswith('"'):
        value, _, rest = text.partition(",")
        return value.strip(), rest
    out = []
    at = 1
    while at < len(text) and text[at] != '"':
        at += text[at] == "\\"
        out.append(text[at : at + 1])
        at += 1
    return "".join(out), text[at + 1 :]
