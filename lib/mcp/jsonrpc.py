"""JSON-RPC 2.0 messages, as bytes. Pure.

request(7, "tools/list", b"{}") -> b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}'
"""

import json

from micropython import const

from net.errors import Error
from net.jsontext import loads

METHOD_NOT_FOUND = const(-32601)
INVALID_PARAMS = const(-32602)
UNSUPPORTED_VERSION = const(-32022)

_WORDS = 300  # characters of an error that are shown


def request(id, method, params):
    """A request; params is an object as JSON bytes."""
    head = '{"jsonrpc":"2.0","id":%d,"method":"%s","params":' % (id, method)
    return head.encode() + params + b"}"


def notification(method, params=None):
    """A notification; params as JSON bytes, None for none."""
    head = '{"jsonrpc":"2.0","method":"%s"' % method
    return head.encode() + (b',"params":' + params if params else b"") + b"}"


def result(id, value):
    """The answer to a server's request; id as raw JSON, value as JSON bytes."""
    return b'{"jsonrpc":"2.0","id":' + id + b',"result":' + value + b"}"


def refusal(id, code, message):
    """An error as the answer to a server's request; id as raw JSON."""
    error = json.dumps({"code": code, "message": message}).encode()
    return b'{"jsonrpc":"2.0","id":' + id + b',"error":' + error + b"}"


def code_of(raw):
    """(code, message, data) of a raw JSON-RPC error; (0, "", None) if it is none."""
    try:
        error = loads(raw)
    except ValueError:
        return 0, "", None
    if not isinstance(error, dict):
        return 0, str(error), None
    code = error.get("code")
    return code if isinstance(code, int) else 0, str(error.get("message") or ""), error.get("data")


def error(raw, who, status=0):
    """An Error of what a server said."""
    code, message, _ = code_of(raw)
    words = " ".join(message.split())[:_WORDS] or "error %d" % code
    kind = "tool" if code == INVALID_PARAMS else "protocol"
    return Error(kind, "%s: %s" % (who, words), "mcp test NAME shows what it offers", status)
