"""Servers for the console's tests: a model that says what it is told to, and an MCP server.

with Server(host, script) as server: server.url, server.requests
script(request) -> iterable of bytes, sent as they come; then the connection is closed
"""

import json
import socket
import threading

WEATHER = {"get_weather": ("Weather of a town.\nMore.", "Rochdale: rain, 9 degrees")}


class Server:
    """Answers each request with what `script` gives for it, and remembers the requests."""

    def __init__(self, host, script):
        self.requests = []
        self.script = script
        self._listener = socket.create_server(("", 0))
        self.url = f"http://{host}:{self._listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Listen no more."""
        if self._listener.fileno() >= 0:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=[connection], daemon=True).start()

    def _answer(self, connection):
        with connection:
            request = _read(connection.makefile("rb"))
            if request:
                self.requests.append(request)
                try:
                    for piece in self.script(request):
                        connection.sendall(piece)
                except OSError:
                    pass  # the board hung up: it may


class Request:
    """One request as it came."""

    def __init__(self, line, headers, body):
        self.method, self.path = line.split()[:2]
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


def _read(file):
    line = file.readline().decode()
    if not line.strip():
        return None
    headers = {}
    while (header := file.readline().decode().strip()) != "":
        key, _, value = header.partition(":")
        headers[key.lower()] = value.strip()
    return Request(line, headers, file.read(int(headers.get("content-length", 0))))


def reply(body, status="200 OK", kind="application/json"):
    """A whole answer of known length."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body


STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
)
END = b"0\r\n\r\n"


def chunk(data):
    """One chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(value):
    """One server-sent event."""
    text = value if isinstance(value, str) else json.dumps(value)
    return chunk(b"data: " + text.encode() + b"\n\n")


def says(*pieces):
    """A streamed reply of a model of the openai style, piece by piece."""
    yield STREAM
    for piece in pieces:
        yield event({"choices": [{"index": 0, "delta": {"content": piece}}]})
    yield event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield event("[DONE]") + END


def calls(name, arguments):
    """A streamed reply that calls one tool."""
    function = {"name": name, "arguments": arguments}
    call = {"index": 0, "id": "call-1", "type": "function", "function": function}
    yield STREAM
    yield event({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    yield event({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    yield event("[DONE]") + END


class McpScript:
    """An MCP server with the initialize handshake; `tools` maps a name to (description, text)."""

    def __init__(self, tools):
        self.tools = tools

    def __call__(self, request):
        if request.method != "POST":
            return [reply(b"", "405 Method Not Allowed")]
        message = request.json
        if "id" not in message:
            return [reply(b"", "202 Accepted")]
        answer = getattr(self, message["method"].replace("/", "_"), None)
        if answer is None:
            outcome = {"error": {"code": -32601, "message": "Method not found"}}
        else:
            outcome = {"result": answer(message.get("params", {}))}
        return [reply({"jsonrpc": "2.0", "id": message["id"], **outcome})]

    def initialize(self, params):
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        }

    def tools_list(self, params):
        schema = {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        }
        rows = self.tools.items()
        return {
            "tools": [{"name": n, "description": d, "inputSchema": schema} for n, (d, _) in rows]
        }

    def tools_call(self, params):
        text = self.tools[params["name"]][1]
        return {"content": [{"type": "text", "text": text}], "isError": text.startswith("no ")}


def use(console, server, kind="general"):
    """Point a use-type at a scripted model."""
    console.run(f"config ai.{kind}.provider ollama")
    console.run(f"config ai.{kind}.url {server.url}/v1")
    console.run(f"config ai.{kind}.model scripted")


def roles(request):
    """What a model was sent: (role, text) of each message but the system's."""
    messages = request.json["messages"]
    return [(m["role"], m.get("content")) for m in messages if m["role"] != "system"]
