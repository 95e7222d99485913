"""A connection to an MCP server: its tools, and calls of them.

with connect("http://10.0.0.2:8765/mcp") as server:
    for tool in server.tools(): ...
    text = server.call("get_weather", {"city": "Leeds"})

Lists and results are scanned as they come, one tool or one block at a time; no reply is ever held
whole. Only tools: no prompts, no resources, no OAuth (a fixed token, yes).
"""

from micropython import const

from mcp import content, elicit, eras, exchange, headers, jsonrpc, wire
from net.errors import Error
from net.jsonscan import fields
from net.jsontext import loads

_TIMEOUT = const(60)  # seconds without a byte; a server may be silent as long as its tool runs
_TOTAL = const(5)  # times that, for a whole request
_PAGES = const(100)
_ROUNDS = const(8)  # of questions that a call may ask
_TOOL_MAX = const(65536)
_CURSOR_MAX = const(4096)
_RESULT_MAX = const(8192)  # bytes of a result's text: two or three thousand tokens
_LIST = (("result", "tools"), (("result", "nextCursor"),), (_TOOL_MAX, _CURSOR_MAX), 0)
_NO_TEXT = b'""'
_NO_SCHEMA = b'{"type":"object","properties":{}}'
# Answers after which it is worth to ask again what the server speaks.
_DOUBTS = (400, 404, 405, 406)


def connect(
    url, token=None, headers=None, timeout=None, on_elicit=None, on_progress=None, label=None
):
    """Connect to a server; returns a Connection.

    token        sent as a bearer token
    headers      pairs or a dict, sent with every request
    timeout      seconds without a byte, 60 if None; a request may take five times that in all
    on_elicit    callable(message, schema) -> dict of answers, None to decline (mcp.elicit)
    on_progress  callable(progress, total, message); total and message may be None
    label        what to call the server in messages; None: its host
    """
    connection = Connection(url, token, headers, timeout, on_elicit, on_progress, label)
    eras.open(connection)
    return connection


class Connection:
    """era "modern" or "legacy"; version; server: its name; instructions: str or None."""

    def __init__(self, url, token, headers, timeout, on_elicit, on_progress, label):
        pairs = list(headers.items() if hasattr(headers, "items") else headers or ())
        if token:
            pairs.append(("Authorization", "Bearer " + token))
        idle_ms = int((timeout or _TIMEOUT) * 1000)
        self.link = wire.Link(url, pairs, idle_ms, _TOTAL * idle_ms, label)
        self.on_elicit = on_elicit
        self.waiting = None  # (response that a call waits for, ms in which a person was asked)
        self.on_progress = on_progress
        self.era = self.version = self.session = self.server = self.instructions = None
        self.listens = True  # until it is known that the server offers no stream for it
        self._id = 0
        self._declared = {}  # tool -> its arguments that go as headers, too

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End the session, where there is one."""
        pairs = self.fields()
        session, self.session = self.session, None
        if session:
            self.link.end(pairs)

    def tools(self):
        """The tools: a list of {"name", "description", "parameters"}."""
        return [
            {"name": name, "description": loads(description), "parameters": loads(schema)}
            for name, description, schema in self.entries()
        ]

    def entries(self):
        """Yields (name, description, schema) of every tool, the last two as JSON in bytes, the
        schema as the server sent it."""
        self._declared = {}
        count = 0
        try:
            for entry in self._pages():
                count += 1
                yield entry
            return
        except Error as error:
            if jsonrpc.code_of(error) != jsonrpc.INVALID_PARAMS or not count:
                raise
        # A cursor goes out of date with its session: once more, past what is known.
        for entry in self._pages():
            if count:
                count -= 1
            else:
                yield entry

    def call(self, name, args=None, limit=_RESULT_MAX):
        """Call a tool; returns its result as text. Error "tool" with what it said if it failed.

        limit  bytes of text to keep; what is cut says so
        """
        ok, text = self.call_text(name, jsonrpc.dump(args or {}), limit)
        if not ok:
            raise Error("tool", "%s: %s" % (name, text), "check its arguments")
        return text

    def call_text(self, name, args_text, limit=_RESULT_MAX):
        """Call a tool with arguments as JSON; returns (whether it went well, text)."""
        args = args_text.encode() if isinstance(args_text, str) else args_text
        args = args.strip()
        if args in (b"", b"null"):
            args = b"{}"
        if args[:1] != b"{":
            raise Error("tool", "%s: the arguments are not a JSON object" % name)
        try:
            return self._call(name, args, limit)
        except Error as error:
            if jsonrpc.code_of(error) != jsonrpc.HEADER_MISMATCH:
                raise
        # The server wants arguments as headers, too; its list says which.
        for _ in self.entries():
            pass
        return self._call(name, args, limit)

    def new_id(self):
        """A number for a request that no other one of this connection has."""
        self._id += 1
        return self._id

    def fields(self, method=None, name=None):
        """The headers that a request of the era has, as pairs."""
        return eras.fields(self, method, name)

    def meta(self, id):
        """The members that the params of every request of the era have."""
        return eras.meta(self, id)

    def renew(self):
        """Make a new session in place of the one that the server has forgotten."""
        eras.initialize(self)

    def _pages(self):
        cursors = []
        cursor = first = None
        for page in range(_PAGES):
            got = {}
            starts = True
            for entry in self._page(cursor, got):
                if not page and starts:
                    first = entry[0]
                elif starts and entry[0] == first:
                    return  # a server that knows no cursors starts again at the first page
                starts = False
                yield entry
            cursor = got.get(("result", "nextCursor"))
            if cursor is None or cursor == b"null" or cursor in cursors:
                return
            cursors.append(cursor)

    def _page(self, cursor, got):
        members = () if cursor is None else ((b"cursor", cursor),)
        for element in self._elements("tools/list", members, _LIST, got):
            entry = element and self._entry(element)
            if entry:
                yield entry

    # A server that was modern and answers like a stranger is asked anew at the next connection.
    def _elements(self, *more):
        try:
            yield from exchange.elements(self, *more)
        except Error as error:
            if error.status in _DOUBTS:
                eras.forget(self.link.url)
            raise

    # None for a tool that must not be used, or cannot.
    def _entry(self, element):
        names = ("name", "description", "title", "inputSchema", "execution")
        name, description, title, schema, execution = fields(element, names)
        name = loads(name) if name else None
        if not isinstance(name, str) or _needs_task(execution):
            return None
        if self.era == "modern" and element.find(b"x-mcp-header") >= 0:
            declared = headers.declared(loads(schema))
            if declared is None:
                return None
            self._declared[name] = declared
        return name, _text(description) or _text(title) or _NO_TEXT, schema or _NO_SCHEMA

    def _call(self, name, args, limit):
        plan = _call_plan(limit)
        extra = self._extra(name, args)
        answers = ()
        for _ in range(_ROUNDS):
            members = ((b"name", jsonrpc.dump(name)), (b"arguments", args)) + answers
            shown = content.Content(limit)
            got = {}
            for block in self._elements("tools/call", members, plan, got, name, extra):
                if block is None:
                    shown = content.Content(limit)
                else:
                    shown.element(block)
            kind = jsonrpc.value_of(got, "result", "resultType")
            if kind == "input_required":
                answers = self._answers(name, got)
                continue
            if kind not in (None, "complete"):
                raise Error("protocol", "%s: %s answers with %r" % (self.link.name, name, kind))
            shown.structured(got.get(("result", "structuredContent")))
            return got.get(("result", "isError")) != b"true", str(shown)
        raise Error("tool", "%s: %s asks again and again" % (self.link.name, name))

    def _extra(self, name, args):
        declared = self._declared.get(name)
        return tuple(headers.params(declared, loads(args))) if declared else ()

    # What a call is repeated with after the server has asked something (2026-07-28, Multi
    # Round-Trip Requests): the answers, and its state as it came.
    def _answers(self, name, got):
        members = []
        requests = jsonrpc.value_of(got, "result", "inputRequests")
        if requests:
            given = elicit.answers(requests, self.on_elicit, name)
            members.append((b"inputResponses", jsonrpc.dump(given)))
        state = got.get(("result", "requestState"))
        if state is not None:
            members.append((b"requestState", state))
        if not members:
            raise Error("protocol", "%s: %s asks for nothing" % (self.link.name, name))
        return tuple(members)


def _call_plan(limit):
    want = ("isError", "structuredContent", "resultType", "inputRequests", "requestState")
    caps = (2 * limit + 8192, limit + 8192)
    return ("result", "content"), tuple(("result", name) for name in want), caps, limit


# A JSON text that is not empty; else None.
def _text(raw):
    return raw if raw and raw[:1] == b'"' and raw != _NO_TEXT else None


# Some tools can only be run as tasks, which are not here.
def _needs_task(execution):
    value = loads(execution) if execution else None
    return isinstance(value, dict) and value.get("taskSupport") == "required"
