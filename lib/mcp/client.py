"""A connection to an MCP server: its tools, and calls of them.

with connect("http://10.0.0.2:8765/mcp") as server:
    for tool in server.tools(): ...
    text = server.call("get_weather", {"city": "Leeds"})

Lists and results are scanned as they come, one tool or one piece of content at a time; no reply
is ever held whole. Only tools: no prompts, no resources, no OAuth.
"""

import json

from micropython import const

from mcp import content, eras, jsonrpc, wire
from net.errors import Error
from net.jsonscan import Scanner, fields
from net.jsontext import loads

_PAGES = const(100)
_RESUMES = const(2)
_TOOL_MAX = const(65536)
_CONTENT_MAX = const(65536)
_VALUE_MAX = const(16384)
_RESULT_MAX = const(65536)  # characters of a result that are kept
_TIMEOUT = const(60)  # seconds without a byte; a server may be silent as long as its tool runs
_MESSAGE = (("id",), ("method",), ("params",), ("error",))


def connect(url, token=None, headers=None, timeout=None, on_elicit=None, on_progress=None):
    """Connect to a server; returns a Connection.

    token        sent as a bearer token
    headers      pairs or a dict, sent with every request
    timeout      seconds without a byte; 60 if None
    on_elicit    callable(message, schema) -> dict of answers, None to decline
    on_progress  callable(progress, total, message)
    """
    connection = Connection(url, token, headers, timeout, on_elicit, on_progress)
    eras.open(connection)
    return connection


class Connection:
    """era "modern" or "legacy"; version; server: its name; instructions: str or None."""

    def __init__(self, url, token, headers, timeout, on_elicit, on_progress):
        self.url = url
        self.on_elicit = on_elicit
        self.on_progress = on_progress
        self.era = self.version = self.session = self.server = self.instructions = None
        self._timeout = timeout or _TIMEOUT
        self._headers = list(headers.items() if hasattr(headers, "items") else headers or ())
        if token:
            self._headers.append(("Authorization", "Bearer " + token))
        self._id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def tools(self):
        """The tools: a list of {"name", "description", "parameters"}."""
        return [
            {
                "name": name,
                "description": loads(description) if description else "",
                "parameters": loads(schema),
            }
            for name, description, schema in self.entries()
        ]

    def entries(self):
        """Yields (name, description, schema) of every tool, the last two as raw JSON."""
        cursor = None
        for _ in range(_PAGES):
            params = b'"cursor":' + cursor if cursor else b""
            values = {}
            yield from self._page(params, values)
            following = values.get(("result", "nextCursor"))
            if following is None or following == b"null" or following == cursor:
                return
            cursor = following

    def call(self, name, args=None):
        """Call a tool; returns its result as text. Error "tool" with what it said if it failed."""
        ok, text = self.call_text(name, json.dumps(args or {}))
        if not ok:
            raise Error("tool", "%s: %s" % (name, text), "mcp tools NAME lists what it takes")
        return text

    def call_text(self, name, args_text):
        """Call a tool with arguments as JSON text; returns (whether it went well, text)."""
        params = b'"name":' + json.dumps(name).encode() + b',"arguments":' + args_text.encode()
        want = (("result", "isError"), ("result", "structuredContent"), ("result", "resultType"))
        shown = content.Content(_RESULT_MAX)
        values = {}
        flow = self._exchange("tools/call", params, ("result", "content"), want, values, name)
        for element in flow:
            shown.element(element)
        shown.structured(values.get(("result", "structuredContent")))
        self._check_complete(name, values)
        return values.get(("result", "isError")) != b"true", str(shown)

    def close(self):
        """End the session, where there is one."""
        session, self.session = self.session, None
        if not session:
            return
        from net import http

        fields = self._fields(None, None) + [("Mcp-Session-Id", session)]
        try:
            http.request("DELETE", self.url, headers=fields, timeout=5, parse_headers=()).close()
        except Error:
            pass  # it is over in any case

    def new_id(self):
        """A number for a request that no other one of this connection has."""
        self._id += 1
        return self._id

    def post(self, body, method=None, name=None):
        """POST a message with the headers of the era; returns the Response."""
        return wire.post(self.url, body, self._fields(method, name), self._timeout)

    def _fields(self, method, name):
        fields = list(self._headers)
        if self.version:
            fields.append(("MCP-Protocol-Version", self.version))
        if self.session:
            fields.append(("Mcp-Session-Id", self.session))
        if self.era == "modern":
            if method:
                fields.append(("Mcp-Method", method))
            if name is not None:
                fields.append(("Mcp-Name", _header(name)))
        return fields

    def _page(self, params, values):
        want = (("result", "nextCursor"),)
        flow = self._exchange("tools/list", params, ("result", "tools"), want, values)
        for element in flow:
            name, description, schema = fields(element, ("name", "description", "inputSchema"))
            if name is not None:
                yield loads(name), description, schema or b"{}"

    # Send a request; yields the elements of the array at `path` in its result, and leaves the
    # values that are wanted in `values`.
    def _exchange(self, method, params, path, want, values, name=None):
        if self.era == "modern":
            params += (b"," if params else b"") + b'"_meta":' + eras.meta(self)
        id = self.new_id()
        body = jsonrpc.request(id, method, b"{" + params + b"}")
        response = self._send(body, method, name)
        last = [None, 1000]  # event id, retry
        for attempt in range(_RESUMES + 1):
            with response:
                answered = yield from self._read(response, id, path, want, values, last)
            if answered:
                return
            if last[0] is None or self.era == "modern" or attempt == _RESUMES:
                break
            response = self._resume(last)
        raise Error("net", "%s did not answer %s" % (self.url, method), "the same again")

    # A session that the server has forgotten is made anew once.
    def _send(self, body, method, name):
        response = self.post(body, method, name)
        if self.session and _is_expired(response):
            response.close()
            eras.initialize(self)
            response = self.post(body, method, name)
        wire.check(response, self.url)
        return response

    def _resume(self, last):
        from net import retry

        retry.pause(last[1] / 1000)
        response = wire.resume(self.url, self._fields(None, None), last[0], self._timeout)
        wire.check(response, self.url)
        return response

    # The messages of one reply; returns whether ours was among them.
    def _read(self, response, id, path, want, values, last):
        scanner = None
        try:
            for kind, *rest in wire.chunks(response):
                if kind == "data":
                    if scanner is None:
                        scanner = Scanner(path, want + _MESSAGE, _CONTENT_MAX, _VALUE_MAX)
                    yield from scanner.feed(rest[0])
                    continue
                last[0] = last[0] if rest[0] is None else rest[0]
                last[1] = last[1] if rest[1] is None else rest[1]
                if scanner and self._is_answer(scanner, id, response.status_code):
                    values.update(scanner.values)
                    return True
                scanner = None
        except Error as error:
            if error.kind != "net" or last[0] is None:
                raise
        if response.status_code >= 400:
            raise Error(
                "protocol",
                "%s answered HTTP %d" % (self.url, response.status_code),
                "check the address: mcp",
                response.status_code,
            )
        return False

    # Whether a message is the answer to our request; a request of the server is answered.
    def _is_answer(self, scanner, id, status):
        scanner.close()
        found = scanner.values
        method = found.get(("method",))
        if method is not None:
            self._serve(loads(method), found.get(("id",)), found.get(("params",)))
            return False
        raw = found.get(("error",))
        if raw is not None and raw != b"null":
            raise jsonrpc.error(raw, self.server or self.url, status)
        return found.get(("id",)) in (b"%d" % id, b'"%d"' % id)

    # A request or a notification of the server, in the middle of our call.
    def _serve(self, method, id, params):
        if id is None:
            if method == "notifications/progress" and self.on_progress and params:
                value = loads(params)
                self.on_progress(value.get("progress"), value.get("total"), value.get("message"))
            return
        if method == "ping":
            answer = jsonrpc.result(id, b"{}")
        elif method == "elicitation/create" and self.on_elicit and params:
            answer = jsonrpc.result(id, self._elicited(loads(params)))
        else:
            answer = jsonrpc.refusal(id, jsonrpc.METHOD_NOT_FOUND, "not supported: " + method)
        self.post(answer).close()

    def _elicited(self, params):
        answers = self.on_elicit(params.get("message") or "", params.get("requestedSchema") or {})
        if answers is None:
            return b'{"action":"decline"}'
        return json.dumps({"action": "accept", "content": answers}).encode()

    def _check_complete(self, name, values):
        kind = values.get(("result", "resultType"), b'"complete"')
        if kind != b'"complete"':
            words = "%s wants more input, which is not supported yet" % name
            raise Error("tool", words, "another tool")


# A header's value (2026-07-28, Standard headers): what is not plain ASCII goes as base64.
def _header(value):
    plain = value == value.strip() and all(" " <= c <= "~" for c in value)
    if plain and not value.startswith("=?base64?"):
        return value
    import binascii

    return "=?base64?%s?=" % binascii.b2a_base64(value.encode()).decode().strip()


# 404 says it; some servers answer 400 and words about the session.
def _is_expired(response):
    return response.status_code == 404 or (
        response.status_code == 400
        and "session" in str(wire.small(response).get("error") or "").lower()
    )
