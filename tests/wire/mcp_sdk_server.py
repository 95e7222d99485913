"""A real MCP server, the official Python SDK, in a thread of this process, on 127.0.0.1.

with SdkServer(tools=500, page=50, json=True, token="t0ken") as server:
    server.url; server.events            # what its tools saw

It speaks both eras on one URL. Its tools: echo, say (a text of a size), blocks (one of each kind),
fail, slow (progress), ask (elicitation), header (an argument that goes as a header, too), then as
many more as are wanted, each with a schema of `schema` bytes.
"""

import socket
import threading
import warnings

import anyio
import mcp_types as types
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import AnyHttpUrl

PNG = "iVBORw0KGgo="
EMOJI = "grüße 你 😀"


class SdkServer:
    """The server; see the module."""

    def __init__(self, *, tools=0, page=100, schema=200, json=False, token=None, stateless=False):
        self.events = []
        self._news = threading.Condition()
        self._tools = [_tool(*row) for row in _TOOLS]
        self._tools += [_more(i, schema) for i in range(tools)]
        self._page = page
        # With the protocol named, as uvicorn's own: asyncio sets TCP_NODELAY only then.
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/mcp"
        server = Server(
            "sdk", version="1", on_list_tools=self._list_tools, on_call_tool=self._call_tool
        )
        more = {"token_verifier": _Verifier(token), "auth": _auth(self.url)} if token else {}
        app = server.streamable_http_app(json_response=json, stateless_http=stateless, **more)
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
        self._web = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._web.should_exit = True
        self._thread.join(10)
        self._listener.close()

    def saw(self, event, seconds=10) -> bool:
        """Whether a tool has seen something, or does so before long."""
        with self._news:
            return self._news.wait_for(lambda: event in self.events, seconds)

    def _note(self, *event):
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def _run(self):
        self._web.run(sockets=[self._listener])

    async def _list_tools(self, ctx, params):
        start = int(params.cursor) if params and params.cursor else 0
        end = start + self._page
        following = str(end) if end < len(self._tools) else None
        self._note("list", start)
        return types.ListToolsResult(tools=self._tools[start:end], next_cursor=following)

    async def _call_tool(self, ctx, params):
        self._note(params.name, params.arguments)
        run = getattr(self, "_do_" + params.name, None)
        if run is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return await run(ctx, params)

    async def _do_echo(self, ctx, params):
        return _text(params.arguments["text"])

    async def _do_say(self, ctx, params):
        return _text("x" * params.arguments["size"])

    async def _do_fail(self, ctx, params):
        return _text("no such town", failed=True)

    async def _do_structured(self, ctx, params):
        value = {"degrees": 9, "sky": EMOJI}
        return types.CallToolResult(content=[], structured_content=value)

    async def _do_blocks(self, ctx, params):
        text = types.TextResourceContents(uri="note://1", text="inside")
        blob = types.BlobResourceContents(uri="note://2", blob=PNG, mime_type="image/png")
        return types.CallToolResult(
            content=[
                types.TextContent(type="text", text=EMOJI),
                types.ImageContent(type="image", data=PNG, mime_type="image/png"),
                types.AudioContent(type="audio", data=PNG * 1000, mime_type="audio/wav"),
                types.EmbeddedResource(type="resource", resource=text),
                types.EmbeddedResource(type="resource", resource=blob),
                types.ResourceLink(type="resource_link", uri="file:///a.txt", name="a.txt"),
            ]
        )

    async def _do_slow(self, ctx, params):
        try:
            for i in range(1, 4):
                await ctx.session.report_progress(i, 3, f"step {i}")
            await anyio.sleep(params.arguments.get("seconds", 0))
        except anyio.get_cancelled_exc_class():
            self._note("cancelled", None)
            raise
        return _text("slowly")

    async def _do_ask(self, ctx, params):
        if ctx.protocol_version < "2026":
            given = await ctx.session.elicit_form("how many?", _FORM, ctx.request_id)
            return _text(f"{given.action} {given.content}")
        if not params.input_responses:
            asked = types.ElicitRequest(
                params=types.ElicitRequestFormParams(message="how many?", requested_schema=_FORM)
            )
            return types.InputRequiredResult(input_requests={"q": asked}, request_state="s " * 999)
        given = params.input_responses["q"]
        self._note("state", params.request_state)
        return _text(f"{given.action} {given.content}")

    async def _do_ping(self, ctx, params):
        request = types.PingRequest()
        answer = await ctx.session.send_request(request, types.EmptyResult)
        return _text(f"pong {answer.model_dump(exclude_none=True)}")

    async def _do_roots(self, ctx, params):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # roots are deprecated
            return _text(str(await ctx.session.list_roots()))

    async def _do_header(self, ctx, params):
        return _text(ctx.request.headers.get("mcp-param-town", "none"))


_FORM = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "name": {"type": "string", "default": "Jo"},
    },
    "required": ["count"],
}
_HEADER = {"town": {"type": "string", "x-mcp-header": "Town"}}
_BAD_HEADER = {"town": {"type": "number", "x-mcp-header": "Town"}}
_TOOLS = (
    ("echo", {"text": {"type": "string"}}),
    ("say", {"size": {"type": "integer"}}),
    ("blocks", {}),
    ("structured", {}),
    ("fail", {}),
    ("slow", {}),
    ("ask", {}),
    ("ping", {}),
    ("roots", {}),
    ("header", _HEADER),
    ("bad_header", _BAD_HEADER),
)
NAMES = [row[0] for row in _TOOLS]


def _tool(name, properties):
    schema = {"type": "object", "properties": properties}
    return types.Tool(name=name, description=f"{name}: {EMOJI}", input_schema=schema)


def _more(i, size):
    schema = {"type": "object", "properties": {"p": {"type": "string", "description": "d" * size}}}
    return types.Tool(name=f"tool_{i:03d}", description=f"No. {i}", input_schema=schema)


def _text(text, failed=False):
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], is_error=failed
    )


class _Verifier:
    def __init__(self, token):
        self._token = token

    async def verify_token(self, token):
        if token != self._token:
            return None
        return AccessToken(token=token, client_id="board", scopes=["tools"])


def _auth(url):
    issuer = AnyHttpUrl("https://issuer.example")
    return AuthSettings(
        issuer_url=issuer,
        resource_server_url=AnyHttpUrl(url),
        required_scopes=["tools"],
        validate_token_resource=False,
    )
