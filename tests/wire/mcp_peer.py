"""A scripted MCP server: every reply is what a test says, byte by byte if it wants to.

with Peer(tools_call=lambda m: sse(result(m, text("hi")))) as peer:
    peer.url; peer.methods(); peer.requests

A handler gets the message with `.request` set and returns the bytes of a reply, or pieces of it as
servers.Script takes them. Handlers are named after methods, "/" as "_"; others are GET and DELETE.
What has no handler is answered as a plain server of the handshake era does.
"""

import json

from servers import Script, json_reply, reply

SESSION = "Mcp-Session-Id: s1"
_HEAD = (
    "HTTP/1.1 200 OK",
    "Content-Type: text/event-stream",
    "Transfer-Encoding: chunked",
)


class Message(dict):
    """A JSON-RPC message, and the HTTP request that brought it."""

    request = None


class Peer(Script):
    """The server; see the module."""

    def __init__(self, **handlers):
        super().__init__([self._handle] * 1000)
        self._handlers = handlers
        self.messages = []

    def __enter__(self):
        super().__enter__()
        self.url += "/mcp"
        return self

    def methods(self, *without) -> list:
        """The methods that came, answers as "answer"."""
        names = [message.get("method", "answer") for message in self.messages]
        return [name for name in names if name not in without]

    def of(self, method) -> list:
        """The messages of a method."""
        return [message for message in self.messages if message.get("method") == method]

    def _handle(self, request):
        verb = request.line.split()[0]
        message = Message(json.loads(request.body) if request.body else {})
        message.request = request
        if verb == "POST":
            self.messages.append(message)
        name = message.get("method", "answer").replace("/", "_") if verb == "POST" else verb
        handler = self._handlers.get(name) or getattr(self, "do_" + name, None)
        if handler:
            return handler(message)
        if "id" in message and "method" in message:
            return error(message, -32601, "Method not found")
        return reply(b"", "202 Accepted") if verb == "POST" else reply(b"", "405 No")

    def do_initialize(self, message):
        return initialized(message)

    def do_tools_call(self, message):
        return json_reply(result(message, text("done")))


class Modern(Peer):
    """The same for the era without a handshake."""

    def do_server_discover(self, message):
        value = {"supportedVersions": ["2026-07-28"], "serverInfo": {"name": "peer"}}
        return json_reply(result(message, value))

    def do_initialize(self, message):
        raise AssertionError("a modern server was greeted as an old one")


def initialized(message, version="2025-11-25", *headers):
    """The answer to initialize, with a session."""
    value = {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "peer", "version": "1"},
        "instructions": "Be kind.",
    }
    return json_reply(result(message, value), "200 OK", *(headers or (SESSION,)))


def dump(value) -> bytes:
    """A value as JSON."""
    return json.dumps(value).encode()


def result(message, value) -> bytes:
    """The message that answers another one."""
    return dump({"result": value, "jsonrpc": "2.0", "id": message["id"]})


def text(*texts, **more):
    """The result of a tool."""
    return {"content": [{"type": "text", "text": t} for t in texts], **more}


def error(message, code, words, status="200 OK", data=None, id=...) -> bytes:
    """The reply that refuses a request."""
    value = {"code": code, "message": words, **({"data": data} if data else {})}
    answer = {"jsonrpc": "2.0", "id": message.get("id") if id is ... else id, "error": value}
    return json_reply(dump(answer), status)


def call(method, id=None, **params) -> bytes:
    """A request of the server, or a notification."""
    value = {"jsonrpc": "2.0", "method": method, "params": params}
    return dump(value if id is None else {**value, "id": id})


def head(*headers) -> bytes:
    """The head of a stream of events in chunks."""
    return "\r\n".join((*_HEAD, *headers, "", "")).encode()


def event(data: bytes, *lines: str) -> bytes:
    """One event, as a chunk."""
    fields = b"".join(line.encode() + b"\n" for line in lines)
    body = fields + b"data: " + data + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(body), body)


END = b"0\r\n\r\n"


def sse(*data: bytes) -> bytes:
    """A reply of events."""
    return head() + b"".join(map(event, data)) + END


def tool(name, **more):
    """A tool of a list."""
    return {"name": name, "inputSchema": {"type": "object", "properties": {}}, **more}
