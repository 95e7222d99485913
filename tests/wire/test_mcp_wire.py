"""The MCP client against scripted servers: eras, sessions, streams, and what goes wrong."""

import json
import threading

import pytest
from device import run
from mcp_peer import (
    END,
    SESSION,
    Modern,
    Peer,
    call,
    dump,
    error,
    event,
    head,
    initialized,
    json_reply,
    reply,
    result,
    sse,
    text,
    tool,
)
from servers import CLOSE

START = """
import json, time
import mcp
from net.errors import Error

def caught(function, *args, **more):
    try:
        return function(*args, **more)
    except Error as error:
        return [error.kind, str(error), error.hint, error.status]

def asked(message, schema):
    return {"count": 5}
"""
ABOUT = """
with mcp.connect(url) as c:
    result = [c.era, c.version, c.server, c.instructions]
"""
CALL = """
with mcp.connect(url, **more) as c:
    result = caught(c.call, "echo", {"a": 1})
"""
NAMES = """
with mcp.connect(url) as c:
    result = caught(lambda: [row[0] for row in c.entries()])
"""


def drive(peer, code, **names):
    names.setdefault("more", {})
    return run(START + code, url=peer.url, **names)


def meta_of(message):
    return message["params"]["_meta"]


# Which era


def test_a_modern_server_is_asked_by_discover_and_never_greeted():
    with Modern() as peer:
        assert drive(peer, ABOUT) == ["modern", "2026-07-28", "peer", None]
        assert peer.methods() == ["server/discover"]
        message = peer.messages[0]
        version = "io.modelcontextprotocol/protocolVersion"
        assert message.request.header("MCP-Protocol-Version") == meta_of(message)[version]
        assert message.request.header("Mcp-Method") == "server/discover"
        assert meta_of(message)["io.modelcontextprotocol/clientCapabilities"] == {}
        assert message.request.header("Accept") == "application/json, text/event-stream"
        assert message.request.header("Host") == f"127.0.0.1:{peer.port}"


NO_VERDICT_OF_MODERN = {
    "an unknown method": lambda m: error(m, -32601, "Method not found"),
    "a server that is not initialized": lambda m: error(m, -32000, "Not initialized", "400 Bad"),
    "a missing session": lambda m: error(m, -32600, "Missing session ID", "400 Bad", id=None),
    "an error of an odd id": lambda m: error(m, -32000, "Bad", "400 Bad", id="server-error"),
    "words for a browser": lambda m: reply(b"<html>", "404 Not Found", "Content-Type: text/html"),
    "nothing": lambda m: reply(b"", "405 Method Not Allowed"),
    "a page that says all is well": lambda m: reply(b"<p>hi", "200 OK", "Content-Type: text/html"),
    "only old versions": lambda m: json_reply(result(m, {"supportedVersions": ["2025-11-25"]})),
    "a result that is none": lambda m: json_reply(result(m, [])),
    "a list of old versions": lambda m: error(
        m, -32022, "Unsupported", "400 Bad", {"supported": ["2025-06-18"]}
    ),
}


@pytest.mark.parametrize("answer", NO_VERDICT_OF_MODERN)
def test_a_server_is_greeted_when_discover_brings(answer):
    with Peer(server_discover=NO_VERDICT_OF_MODERN[answer]) as peer:
        assert drive(peer, ABOUT) == ["legacy", "2025-11-25", "peer", "Be kind."]
        assert peer.methods() == ["server/discover", "initialize", "notifications/initialized"]
        hello, done = peer.messages[1].request, peer.messages[2].request
        assert hello.header("MCP-Protocol-Version") is None
        assert done.header("MCP-Protocol-Version") == "2025-11-25"
        assert done.header("Mcp-Session-Id") == "s1"


@pytest.mark.parametrize("status, kind", [("503 Busy", "overload"), ("429 Slow", "rate")])
def test_a_server_in_trouble_gets_no_verdict_and_is_asked_again(status, kind):
    with Modern(server_discover=lambda m: reply(b"", status)) as peer:
        code = "result = [caught(mcp.connect, url)[0] for _ in range(2)]"
        assert drive(peer, code) == [kind, kind]
        assert peer.methods() == ["server/discover"] * 2


def test_a_version_that_both_speak_is_taken_at_the_second_try():
    answers = [lambda m: error(m, -32022, "No", "400 Bad", {"supported": ["2026-07-28"]})]

    def discover(message):
        return answers.pop()(message) if answers else Modern().do_server_discover(message)

    with Modern(server_discover=discover) as peer:
        assert drive(peer, ABOUT)[:2] == ["modern", "2026-07-28"]
        first, second = peer.of("server/discover")
        assert first["id"] != second["id"]


def test_a_server_of_another_time_is_told_apart():
    answer = {"supported": ["2031-01-01"]}
    with Modern(server_discover=lambda m: error(m, -32022, "No", "400 Bad", answer)) as peer:
        kind, words, _, _ = drive(peer, "result = caught(mcp.connect, url)")
        assert kind == "protocol" and "2031-01-01" in words and "2026-07-28" in words
    with Peer(initialize=lambda m: initialized(m, "1999-01-01")) as peer:
        kind, words, _, _ = drive(peer, "result = caught(mcp.connect, url)")
        assert kind == "protocol" and "1999-01-01" in words


@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26", "2024-11-05"])
def test_an_older_version_is_a_good_counter_offer(version):
    with Peer(initialize=lambda m: initialized(m, version)) as peer:
        assert drive(peer, CALL) == "done"
        assert peer.of("tools/call")[0].request.header("MCP-Protocol-Version") == version


def test_the_verdict_is_kept_for_the_next_connection():
    code = "for _ in range(3): mcp.connect(url).call('echo')\nresult = 1"
    with Modern() as peer:
        drive(peer, code)
        assert peer.methods() == ["server/discover"] + ["tools/call"] * 3
    with Peer() as peer:
        drive(peer, code)
        assert peer.methods("notifications/initialized", "tools/call") == (
            ["server/discover"] + ["initialize"] * 3
        )


def test_a_server_that_changed_its_era_is_found_out_at_the_next_connection():
    modern = [True]

    def discover(message):
        done = Modern().do_server_discover(message)
        return done if modern.pop() else b""

    code = """
first = mcp.connect(url).era
bad = caught(mcp.connect(url).call, "echo")
result = [first, bad[0], mcp.connect(url).call("echo")]
"""
    refusals = [lambda m: error(m, -32000, "Not initialized", "400 Bad")]

    def tools_call(message):
        return refusals.pop()(message) if refusals else json_reply(result(message, text("old")))

    def again(message):
        return discover(message) if modern else error(message, -32601, "no")

    with Peer(server_discover=again, tools_call=tools_call) as peer:
        assert drive(peer, code) == ["modern", "request", "old"]


def test_no_server_there_is_an_error_of_the_net_with_its_name():
    code = 'result = caught(mcp.connect, "http://127.0.0.1:1/mcp")'
    kind, words, hint, _ = run(START + code)
    assert kind == "net" and "127.0.0.1:1" in words and hint


def test_an_address_without_a_server_says_where_they_usually_are():
    missing = reply(b"<h1>Not found</h1>", "404 Not Found", "Content-Type: text/html")
    with Peer(server_discover=lambda m: missing, initialize=lambda m: missing) as peer:
        kind, words, hint, status = drive(peer, "result = caught(mcp.connect, url)")
        assert peer.url in words and "404" in words and "/mcp" in hint and status == 404


# Who may


def test_what_a_401_asks_for_is_shown():
    challenge = (
        'WWW-Authenticate: Bearer error="invalid_token", scope="read write", '
        'resource_metadata="https://h/.well-known"'
    )
    with Peer(server_discover=lambda m: reply(b"", "401 Unauthorized", challenge)) as peer:
        code = """
try:
    mcp.connect(url, token="old")
except Error as error:
    result = [error.kind, str(error), error.hint, error.challenge]
"""
        kind, words, hint, parsed = drive(peer, code)
        assert kind == "auth" and "invalid_token" in words and "read write" in words
        assert hint == f"mcp add NAME {peer.url} --token TOKEN"
        assert parsed["resource_metadata"] == "https://h/.well-known"
        assert peer.methods() == ["server/discover"]
        assert peer.messages[0].request.header("Authorization") == "Bearer old"


def test_a_403_says_what_is_missing_and_own_headers_go_along():
    challenge = 'WWW-Authenticate: Bearer error="insufficient_scope", scope="admin"'
    with Modern(tools_call=lambda m: reply(b"", "403 Forbidden", challenge)) as peer:
        kind, words, _, status = drive(peer, CALL, more={"headers": {"X-Team": "b"}})
        assert kind == "auth" and "insufficient_scope" in words and "admin" in words
        assert status == 403
        assert {m.request.header("X-Team") for m in peer.messages} == {"b"}


def test_a_redirect_on_the_same_server_takes_the_message_along():
    moved = reply(b"", "307 Temporary Redirect", "Location: /mcp/")

    def discover(message):
        good = message.request.line.split()[1] == "/mcp/"
        return Modern().do_server_discover(message) if good else moved

    with Modern(server_discover=discover) as peer:
        assert drive(peer, ABOUT, more={"token": "t"})[0] == "modern"


# Sessions


def test_a_session_comes_only_from_the_answer_to_initialize():
    def discover(message):
        value = {"code": -32600, "message": "Missing session ID"}
        body = dump({"jsonrpc": "2.0", "id": "server-error", "error": value})
        return json_reply(body, "400 Bad Request", "Mcp-Session-Id: wrong")

    with Peer(server_discover=discover) as peer:
        assert drive(peer, CALL) == "done"
        sent = [m.request.header("Mcp-Session-Id") for m in peer.messages]
        assert sent == [None, None, "s1", "s1"]


GONE = {
    "404": lambda m: error(m, -32001, "Session not found", "404 Not Found"),
    "404 and nothing": lambda m: reply(b"", "404 Not Found"),
    "400": lambda m: error(m, -32000, "Bad Request: No valid session ID provided", "400 Bad"),
}


@pytest.mark.parametrize("answer", GONE)
def test_a_session_that_expired_is_made_anew_once_and_unseen(answer):
    answers = [GONE[answer]]
    count = []

    def tools_call(message):
        return answers.pop()(message) if answers else Peer().do_tools_call(message)

    def hello(message):
        count.append(1)
        return initialized(message, "2025-11-25", f"Mcp-Session-Id: s{len(count)}")

    with Peer(tools_call=tools_call, initialize=hello) as peer:
        assert drive(peer, CALL) == "done"
        sent = [m.request.header("Mcp-Session-Id") for m in peer.of("tools/call")]
        assert sent == ["s1", "s2"]
        assert peer.requests[-1].line.startswith("DELETE")
        assert peer.requests[-1].header("Mcp-Session-Id") == "s2"


def test_a_server_that_never_knows_its_session_is_an_error():
    with Peer(tools_call=GONE["404"]) as peer:
        assert drive(peer, CALL)[3] == 404
        assert len(peer.of("tools/call")) == 2 and len(peer.of("initialize")) == 2


@pytest.mark.parametrize("status", ["202 Accepted", "200 OK", "204 No Content"])
def test_every_way_to_take_note_is_fine(status):
    with Peer(notifications_initialized=lambda m: reply(b"", status)) as peer:
        assert drive(peer, CALL) == "done"


def test_a_server_without_sessions_gets_none_and_no_delete():
    with Peer(initialize=lambda m: initialized(m, "2025-11-25", "X-Other: 1")) as peer:
        assert drive(peer, CALL) == "done"
        assert {r.header("Mcp-Session-Id") for r in peer.requests} == {None}
        assert not [r for r in peer.requests if r.line.startswith("DELETE")]


# Replies

ANSWER = text("hällo 😀")


def framed(kind):
    def answer(message):
        data = result(message, ANSWER)
        body = b": ping\r\n\r\nevent: message\r\nid: 7\r\ndata: " + data + b"\r\n\r\n"
        start = b"HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream; charset=utf-8\r\n"
        if kind == "json of a length":
            return json_reply(data)
        if kind == "json in chunks":
            pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in data)
            start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            return start + b"Transfer-Encoding: chunked\r\n\r\n" + pieces + END
        if kind == "json until it closes":
            return [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + data, CLOSE]
        if kind == "json that escapes all":
            return json_reply(data.replace("ä".encode(), b"\\u00e4"))
        if kind == "events of a length":
            return start + b"Content-Length: %d\r\n\r\n" % len(body) + body
        if kind == "events until it closes":
            return [start + b"\r\n" + body, CLOSE]
        if kind == "events in single bytes":
            chunks = [b"1\r\n%c\r\n" % byte for byte in body]
            return [start + b"Transfer-Encoding: chunked\r\n\r\n", *chunks, END]
        assert kind == "events that never end"
        size = b"%x\r\n" % len(body)
        return start + b"Transfer-Encoding: chunked\r\n\r\n" + size + body + b"\r\n"

    return answer


FRAMINGS = (
    "json of a length",
    "json in chunks",
    "json until it closes",
    "json that escapes all",
    "events of a length",
    "events until it closes",
    "events in single bytes",
    "events that never end",
)


@pytest.mark.parametrize("kind", FRAMINGS)
@pytest.mark.parametrize("era", [Peer, Modern])
def test_a_reply_is_read_in_every_framing(era, kind):
    with era(tools_call=framed(kind)) as peer:
        assert drive(peer, CALL) == "hällo 😀"


def test_only_the_answer_with_our_id_is_ours():
    def tools_call(message):
        other = {**message, "id": message["id"] + 100}
        return sse(
            call("notifications/message", level="info", data="x"),
            call("notifications/unheard/of"),
            result(other, text("late")),
            dump({"jsonrpc": "2.0", "id": 999, "error": {"code": 1, "message": "of another"}}),
            result(message, text("ours")),
        )

    with Peer(tools_call=tools_call) as peer:
        assert drive(peer, CALL) == "ours"


def test_events_without_data_and_of_other_kinds_are_passed_over():
    def tools_call(message):
        return [
            head(),
            event(b"", "id: 1", "retry: 10"),
            event(b"not json", "event: other"),
            event(result(message, text("ours")), "event: message", "id: 2"),
            END,
        ]

    with Peer(tools_call=tools_call) as peer:
        assert drive(peer, CALL) == "ours"


@pytest.mark.parametrize("streamed", [True, False])
def test_an_array_of_messages_is_taken_apart(streamed):
    def tools_call(message):
        note = call("notifications/message", level="info", data="x")
        body = b"[" + note + b", " + result(message, text("ours")) + b"]"
        return sse(body) if streamed else json_reply(body)

    with Peer(tools_call=tools_call) as peer:
        assert drive(peer, CALL) == "ours"


@pytest.mark.parametrize("id", [None, "server-error"])
def test_an_error_without_our_id_is_about_what_was_asked(id):
    with Modern(tools_call=lambda m: error(m, -32602, "Unknown tool", "400 Bad", id=id)) as peer:
        kind, words, _, _ = drive(peer, CALL)
        assert kind == "request" and words.endswith("Unknown tool")
        assert words.startswith(f"127.0.0.1:{peer.port}: ")


@pytest.mark.parametrize("body", [b"<html>", b'{"jsonrpc":"2.0","id":1,"res', b"[1,"])
def test_garbage_is_an_error_that_names_the_server(body):
    with Modern(tools_call=lambda m: json_reply(body)) as peer:
        kind, words, _, _ = drive(peer, CALL)
        assert kind == "protocol" and f"127.0.0.1:{peer.port}" in words


# What the server asks


def waiting_for_answers(count, *asked):
    """A call whose answer comes after `count` messages of the client have come meanwhile."""
    came = threading.Semaphore(0)

    def tools_call(message):
        yield head()
        for request in asked:
            yield event(request)
        for _ in range(count):
            assert came.acquire(timeout=20)
        yield event(result(message, text("done")))
        yield END

    def answer(message):
        came.release()
        return reply(b"", "202 Accepted")

    return {"tools_call": tools_call, "answer": answer}


def answers(peer):
    return [message for message in peer.messages if "method" not in message]


def test_requests_of_the_server_are_answered_while_the_call_is_open():
    asked = (
        call("ping", id=1),
        call("roots/list", id=0),
        call("sampling/createMessage", id="s-1", messages=[]),
        call("elicitation/create", id=5, message="?", requestedSchema={}),
    )
    with Peer(**waiting_for_answers(4, *asked)) as peer:
        assert drive(peer, CALL) == "done"
        said = {message["id"]: message for message in answers(peer)}
        assert said[1] == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert [said[id]["error"]["code"] for id in (0, "s-1", 5)] == [-32601] * 3
        assert peer.of("initialize")[0]["params"]["capabilities"] == {}


SCHEMA = {"type": "object", "properties": {"count": {"type": "integer"}, "n": {"default": 1}}}
ASK = """
with mcp.connect(url, on_elicit=asked) as c:
    result = c.call("echo")
"""


def test_a_question_is_answered_by_whoever_connected():
    question = call("elicitation/create", id=5, message="how many?", requestedSchema=SCHEMA)
    url = call("elicitation/create", id=6, mode="url", url="https://x/", message="?")
    with Peer(**waiting_for_answers(2, question, url)) as peer:
        assert drive(peer, ASK) == "done"
        first, second = answers(peer)
        assert first["result"] == {"action": "accept", "content": {"count": 5, "n": 1}}
        assert second["error"]["code"] == -32602
        assert peer.of("initialize")[0]["params"]["capabilities"] == {"elicitation": {}}


def test_the_time_that_a_person_takes_is_not_the_servers():
    code = """
import time
def slowly(message, schema):
    time.sleep_ms(300)
    return {}
with mcp.connect(url, on_elicit=slowly) as c:
    c.link.total_ms = 250
    result = c.call("echo")
"""
    question = call("elicitation/create", id=5, message="how many?", requestedSchema=SCHEMA)
    with Peer(**waiting_for_answers(1, question)) as peer:
        assert drive(peer, code) == "done"


@pytest.mark.parametrize("before", [True, False])
def test_a_question_may_come_on_the_stream_beside_the_call(before):
    question = call("elicitation/create", id=5, message="how many?", requestedSchema=SCHEMA)
    open = threading.Event()

    def GET(message):
        yield head()
        assert open.wait(20)
        pieces = event(question)
        yield pieces[:20]
        yield pieces[20:]

    handlers = waiting_for_answers(1)
    calls = handlers["tools_call"]

    def tools_call(message):
        started = calls(message)
        yield next(started)
        if before:  # a chunk that was read to its last byte must not hide the other stream
            yield event(call("notifications/message", data="x"))
        open.set()
        yield from started

    with Peer(**{**handlers, "GET": GET, "tools_call": tools_call}) as peer:
        assert drive(peer, ASK) == "done"
        assert answers(peer)[0]["result"]["content"]["count"] == 5


def test_a_stream_beside_the_call_that_is_not_offered_is_asked_for_once():
    with Peer() as peer:
        drive(peer, "with mcp.connect(url, on_elicit=asked) as c: c.call('a'), c.call('b')")
        assert [r.line.split()[0] for r in peer.requests].count("GET") == 1


def test_nobody_to_ask_means_no_stream_beside_the_call():
    with Peer() as peer:
        drive(peer, CALL)
        assert not [r for r in peer.requests if r.line.startswith("GET")]


def test_progress_is_passed_on_and_asked_for_only_then():
    def tools_call(message):
        token = message["params"].get("_meta", {}).get("progressToken")
        note = call("notifications/progress", progressToken=token, progress=1, message="half")
        return sse(note, result(message, text("done")))

    code = """
seen = []
with mcp.connect(url, on_progress=lambda *a: seen.append(a)) as c:
    c.call("echo")
with mcp.connect(url) as c:
    c.call("echo")
result = seen
"""
    for era in (Peer, Modern):
        with era(tools_call=tools_call) as peer:
            assert drive(peer, code) == [[1, None, "half"]]
            first, second = peer.of("tools/call")
            assert meta_of(first)["progressToken"] == first["id"]
            assert "progressToken" not in second["params"].get("_meta", {})


# input_required


def required(message, **more):
    return json_reply(result(message, {"resultType": "input_required", **more}))


def test_an_input_that_is_required_is_given_with_the_state_as_it_came():
    state = "ä\\u00e4 \\ud83d\\ude00" + "s" * 5000
    raw = b'"' + state.encode() + b'"'
    question = {
        "method": "elicitation/create",
        "params": {"message": "?", "requestedSchema": SCHEMA},
    }
    replies = [
        lambda m: json_reply(
            result(m, {"resultType": "input_required", "requestState": "@"}).replace(b'"@"', raw)
        ),
        lambda m: required(m, inputRequests={"q1": question}),
    ]

    def tools_call(message):
        return replies.pop()(message) if replies else json_reply(result(message, text("done")))

    with Modern(tools_call=tools_call) as peer:
        assert drive(peer, ASK) == "done"
        first, second, third = peer.of("tools/call")
        assert len({m["id"] for m in (first, second, third)}) == 3
        given = {"q1": {"action": "accept", "content": {"count": 5, "n": 1}}}
        assert second["params"]["inputResponses"] == given
        assert "requestState" not in second["params"]
        assert b'"requestState":' + raw in third.request.body
        assert "inputResponses" not in third["params"]
        capabilities = meta_of(first)["io.modelcontextprotocol/clientCapabilities"]
        assert capabilities == {"elicitation": {}}


def test_an_input_that_nobody_can_give_is_an_error_of_the_tool():
    question = {"method": "elicitation/create", "params": {"message": "?"}}
    with Modern(tools_call=lambda m: required(m, inputRequests={"q": question})) as peer:
        kind, words, hint, _ = drive(peer, CALL)
        assert kind == "tool" and "elicitation/create" in words and hint


def test_a_server_that_never_has_enough_is_stopped():
    with Modern(tools_call=lambda m: required(m, requestState="again")) as peer:
        kind, words, _, _ = drive(peer, CALL)
        assert kind == "tool" and "again and again" in words
        assert len(peer.of("tools/call")) == 8


def test_an_unknown_kind_of_result_is_an_error():
    value = {"resultType": "hologram", "content": []}
    with Modern(tools_call=lambda m: json_reply(result(m, value))) as peer:
        kind, words, _, _ = drive(peer, CALL)
        assert kind == "protocol" and "hologram" in words


# Streams that break


def test_a_stream_that_ends_early_is_resumed_from_its_last_event():
    calls = []

    def tools_call(message):
        calls.append(message)
        return [head(), event(b"", "id: e-1", "retry: 30"), END]

    def GET(message):
        assert message.request.header("Mcp-Session-Id") == "s1"
        if len([r for r in peer.requests if r.line.startswith("GET")]) == 1:
            return [head(), event(b"", "id: e-2"), CLOSE]
        answer = event(result(calls[0], text("done")), "id: e-3")
        return [head(), answer]  # and the stream stays open

    with Peer(tools_call=tools_call, GET=GET) as peer:
        assert drive(peer, CALL) == "done"
        gets = [r for r in peer.requests if r.line.startswith("GET")]
        assert [r.header("Last-Event-ID") for r in gets] == ["e-1", "e-2"]
        assert len(calls) == 1


def test_a_stream_is_resumed_after_the_time_that_the_server_names():
    def tools_call(message):
        return [head(), event(b"", "id: 1", "retry: 400"), END]

    def GET(message):
        body = event(result(peer.of("tools/call")[0], text("done")))
        return [head(), body, END]

    code = """
with mcp.connect(url) as c:
    start = time.ticks_ms()
    c.call("echo")
    result = time.ticks_diff(time.ticks_ms(), start)
"""
    with Peer(tools_call=tools_call, GET=GET) as peer:
        assert 400 <= drive(peer, code) < 3000


def test_a_stream_that_brings_nothing_new_is_given_up():
    def tools_call(message):
        return [head(), event(b"", "id: 1", "retry: 5"), CLOSE]

    with Peer(tools_call=tools_call, GET=lambda m: [head(), CLOSE]) as peer:
        assert drive(peer, CALL)[0] == "net"
        assert len([r for r in peer.requests if r.line.startswith("GET")]) == 2


@pytest.mark.parametrize("era", [Peer, Modern])
def test_a_stream_without_event_ids_or_of_the_modern_era_is_not_resumed(era):
    lines = ["id: 1"] if era is Modern else []
    note = event(call("notifications/message", data="x"), *lines)
    with era(tools_call=lambda m: [head(), note, CLOSE]) as peer:
        assert drive(peer, CALL)[0] == "net"
        assert len(peer.of("tools/call")) == 1
        assert not [r for r in peer.requests if r.line.startswith("GET")]


# Time, and Ctrl-C

SLOW = """
with mcp.connect(url, timeout=0.3) as c:
    result = caught(c.call, "echo")
"""


def silent(message):
    yield head()
    yield event(call("notifications/progress", progress=1))
    threading.Event().wait(5)


def test_a_silent_server_of_the_old_era_is_told_that_nobody_waits():
    with Peer(tools_call=silent) as peer:
        assert drive(peer, SLOW)[0] == "timeout"
        asked, told = peer.of("tools/call")[0], peer.of("notifications/cancelled")[0]
        assert told["params"]["requestId"] == asked["id"] and told["params"]["reason"]
        assert told.request.connection != asked.request.connection


def test_a_silent_server_of_the_modern_era_sees_the_connection_close():
    with Modern(tools_call=silent) as peer:
        assert drive(peer, SLOW)[0] == "timeout"
        assert peer.methods() == ["server/discover", "tools/call"]


def test_initialize_is_never_cancelled():
    with Peer(initialize=silent) as peer:
        code = "result = caught(mcp.connect, url, timeout=0.3)"
        assert drive(peer, code)[0] == "timeout"
        assert peer.methods() == ["server/discover", "initialize"]


def test_news_keep_a_call_alive_but_not_for_ever():
    def tools_call(message):
        yield head()
        for _ in range(100):
            yield event(call("notifications/progress", progress=1))
            threading.Event().wait(0.1)

    code = """
with mcp.connect(url, timeout=0.3) as c:
    start = time.ticks_ms()
    result = [caught(c.call, "echo")[0], time.ticks_diff(time.ticks_ms(), start)]
"""
    with Peer(tools_call=tools_call) as peer:
        kind, took = drive(peer, code)
        assert kind == "timeout" and 1400 < took < 5000


STOP = """
def stop(*_):
    raise KeyboardInterrupt

with mcp.connect(url, on_progress=stop) as c:
    try:
        c.call("echo")
    except KeyboardInterrupt:
        result = "stopped"
"""


def test_ctrl_c_cancels_in_the_way_of_the_era():
    with Peer(tools_call=silent) as peer:
        assert drive(peer, STOP) == "stopped"
        told = peer.of("notifications/cancelled")[0]
        assert told["params"]["requestId"] == peer.of("tools/call")[0]["id"]
    with Modern(tools_call=silent) as peer:
        assert drive(peer, STOP) == "stopped"
        assert peer.methods() == ["server/discover", "tools/call"]


# Lists


def pages(*lists, cursors=None):
    cursors = cursors or [f"c{i}" for i in range(1, len(lists))]

    def tools_list(message):
        cursor = message.get("params", {}).get("cursor")
        at = 0 if cursor is None else cursors.index(cursor) + 1
        value = {"tools": [tool(name) for name in lists[at]]}
        if at < len(cursors):
            value["nextCursor"] = cursors[at]
        return json_reply(result(message, value))

    return tools_list


def test_all_pages_are_listed():
    with Peer(tools_list=pages(["a", "b"], [], ["c"])) as peer:
        assert drive(peer, NAMES) == ["a", "b", "c"]
        assert [m.get("params") for m in peer.of("tools/list")] == [
            None,
            {"cursor": "c1"},
            {"cursor": "c2"},
        ]


def test_an_empty_cursor_is_one_and_null_is_none():
    with Peer(tools_list=pages(["a"], ["b"], cursors=["", None])) as peer:
        assert drive(peer, NAMES) == ["a", "b"]


def test_a_cursor_that_does_not_move_ends_the_list():
    stuck = pages(["a"], ["b"], cursors=["x", "x"])
    with Peer(tools_list=stuck) as peer:
        assert drive(peer, NAMES) == ["a", "b"]
    with Peer(tools_list=pages(["a", "b"], ["a", "b"], cursors=["x", "y"])) as peer:
        assert drive(peer, NAMES) == ["a", "b"]


def test_a_cursor_out_of_date_starts_the_list_again_without_repeating():
    good = pages(["a", "b"], ["c"])
    bad = [True]

    def tools_list(message):
        if "params" in message and bad:
            bad.pop()
            return error(message, -32602, "Invalid cursor")
        return good(message)

    with Peer(tools_list=tools_list) as peer:
        assert drive(peer, NAMES) == ["a", "b", "c"]


def test_schemas_come_verbatim_and_what_is_missing_is_made_up():
    raw = b'{ "type" : "object", "$ref": "http://127.0.0.1:1/never", "z":1.0e2, "a": "\\u00e4" }'
    tools = [
        tool("full", description='line\n\t"q" ä'),
        {"name": "bare"},
        {"name": "titled", "title": "A title", "description": None},
        {"description": "no name"},
        "no tool",
        tool("task", execution={"taskSupport": "required"}),
        tool("maybe", execution={"taskSupport": "optional"}),
    ]
    tools[0]["inputSchema"] = "@"

    def tools_list(message):
        return json_reply(result(message, {"tools": tools}).replace(b'"@"', raw))

    code = """
with mcp.connect(url) as c:
    result = [[name, json.loads(d), schema.decode()] for name, d, schema in c.entries()]
    result.append(c.tools()[1])
"""
    with Peer(tools_list=tools_list) as peer:
        *rows, bare = drive(peer, code)
        empty = '{"type":"object","properties":{}}'
        assert rows[0] == ["full", 'line\n\t"q" ä', raw.decode()]
        assert rows[1:3] == [["bare", "", empty], ["titled", "A title", empty]]
        assert [row[0] for row in rows[3:]] == ["maybe"]
        assert bare == {"name": "bare", "description": "", "parameters": json.loads(empty)}


def test_a_tool_of_an_absurd_size_is_an_error_that_says_so():
    huge = tool("huge", description="d" * 70000)
    with Peer(tools_list=lambda m: json_reply(result(m, {"tools": [tool("a"), huge]}))) as peer:
        kind, words, _, _ = drive(peer, NAMES)
        assert kind == "protocol" and "65536" in words and str(peer.port) in words


def big_list(message):
    tools = [tool(f"t{i:03d}", description="d" * 550) for i in range(500)]
    return sse(result(message, {"tools": tools}))


MEMORY = """
import gc
from mcp import client, content, eras, exchange, headers, wire
connection = mcp.connect(url)
gc.collect()
start = gc.mem_free()
least = start
for i, row in enumerate(connection.entries()):
    if i % 50 == 0:
        gc.collect()
        least = min(least, gc.mem_free())
result = [i + 1, start - least]
"""


@pytest.mark.parametrize("era", [Peer, Modern])
def test_300_kb_of_tools_in_one_event_take_no_more_memory_than_one(era):
    with era(tools_list=big_list) as peer:
        count, taken = drive(peer, MEMORY, heap=256)
        assert count == 500 and taken < 16000


# Calls


def test_arguments_are_an_object_whatever_comes():
    code = """
with mcp.connect(url) as c:
    for args in ("", "null", " {} ", '{ "a" : [1] }', b"{}"):
        c.call_text("echo", args)
    c.call("echo")
    c.call("echo", {"t": json.loads('"\\\\ud83d\\\\ude00"')})
    result = caught(c.call_text, "echo", "[1]")
"""
    with Modern() as peer:
        kind, words, _, _ = drive(peer, code)
        assert kind == "tool" and "echo" in words
        sent = [m["params"]["arguments"] for m in peer.of("tools/call")]
        assert sent == [{}, {}, {}, {"a": [1]}, {}, {}, {"t": "😀"}]
        assert b'"arguments":{ "a" : [1] }' in peer.of("tools/call")[3].request.body


def test_an_odd_name_goes_into_its_header_in_safe_letters():
    with Modern() as peer:
        drive(peer, "result = mcp.connect(url).call('Größe a.b')")
        message = peer.of("tools/call")[0]
        assert message["params"]["name"] == "Größe a.b"
        assert message.request.header("Mcp-Name") == "=?base64?R3LDtsOfZSBhLmI=?="


def test_a_tool_that_failed_is_for_the_model_or_an_error():
    failed = text("no such town", isError=True)
    with Modern(tools_call=lambda m: json_reply(result(m, failed))) as peer:
        kind, words, _, _ = drive(peer, CALL)
        assert kind == "tool" and words == "echo: no such town"
        code = "result = mcp.connect(url).call_text('echo', '{}')"
        assert drive(peer, code) == [False, "no such town"]


def test_structured_content_alone_is_shown():
    value = {"content": [], "structuredContent": [1, {"a": "ä"}]}
    with Modern(tools_call=lambda m: json_reply(result(m, value))) as peer:
        assert json.loads(drive(peer, CALL)) == [1, {"a": "ä"}]


def test_headers_of_arguments_are_learned_from_a_refusal():
    schema = {"type": "object", "properties": {"a": {"type": "integer", "x-mcp-header": "A"}}}

    def tools_call(message):
        if message.request.header("Mcp-Param-A") != "1":
            return error(message, -32020, "Header mismatch", "400 Bad Request")
        return json_reply(result(message, text("done")))

    listed = {"tools": [tool("echo", inputSchema=schema)]}
    with Modern(tools_call=tools_call, tools_list=lambda m: json_reply(result(m, listed))) as peer:
        assert drive(peer, CALL) == "done"
        assert peer.methods("server/discover") == ["tools/call", "tools/list", "tools/call"]
    with Modern(
        tools_call=lambda m: error(m, -32020, "Header mismatch", "400 Bad"),
        tools_list=lambda m: json_reply(result(m, listed)),
    ) as peer:
        assert drive(peer, CALL)[0] == "request"
        assert len(peer.of("tools/call")) == 2


# The console collects garbage early, too.
BIG = """
import gc
gc.threshold(8192)
from mcp import client, content, eras, exchange, headers, wire, trim
connection = mcp.connect(url)
gc.collect()
text = connection.call("echo")
result = [len(text), text[-60:]]
"""


@pytest.mark.parametrize("streamed", [True, False])
def test_a_megabyte_of_text_comes_capped_and_says_so(streamed):
    def tools_call(message):
        value = text("ä" * 524288)
        value["structuredContent"] = {"result": "x" * 100000}
        body = result(message, value).replace(b"\\u00e4", "ä".encode())
        return sse(body) if streamed else json_reply(body)

    with Modern(tools_call=tools_call) as peer:
        size, end = drive(peer, BIG, heap=224)
        assert end.endswith("ä\n[cut: 8192 of 1048576 bytes]") and size < 4200


def test_a_caller_may_want_more_of_it():
    with Modern(tools_call=lambda m: json_reply(result(m, text("x" * 50000)))) as peer:
        code = "result = len(mcp.connect(url).call('echo', None, 60000))"
        assert drive(peer, code) == 50000


def test_a_message_without_end_is_an_error_that_says_so():
    def tools_call(message):
        yield head()
        yield b"FFFFFFF\r\ndata: " + b'{"jsonrpc":"2.0","x":"'
        while True:
            yield b"x" * 65536

    with Modern(tools_call=tools_call) as peer:
        kind, words, _, _ = drive(peer, CALL)
        assert kind == "protocol" and "8388608" in words


# By name

STORED = """
from store import paths
paths.DATA = "data"
from mcp import registry
registry.add("w", url, "t0ken", [("X-Team", "b")])
"""


def test_a_stored_server_is_listed_connected_and_forgotten():
    code = """
with mcp.connect_named("w") as c:
    c.call("echo")
listed = [list(row) for row in mcp.servers()]
tools = [row[0] for row in registry.entries("w")]
with open("data/config") as f:
    shown = f.read()
gone = registry.delete("w"), registry.delete("w")
result = [listed, tools, shown, gone, mcp.servers(), caught(mcp.connect_named, "w")]
"""
    with Modern(tools_list=pages(["a", "b"])) as peer:
        listed, tools, shown, gone, left, missing = drive(peer, STORED + code)
        assert listed == [["w", peer.url]] and tools == ["a", "b"]
        assert "t0ken" not in shown and "X-Team" not in shown
        assert gone == [True, False] and left == []
        assert missing[0] == "config" and "'w'" in missing[1]
        assert {m.request.header("Authorization") for m in peer.messages} == {"Bearer t0ken"}
        assert {m.request.header("X-Team") for m in peer.messages} == {"b"}


def test_a_server_that_is_stored_again_loses_its_old_secrets():
    code = "registry.add('w', url)\nmcp.connect_named('w').call('echo')"
    with Modern() as peer:
        drive(peer, STORED + code)
        assert {m.request.header("Authorization") for m in peer.messages} == {None}
        assert {m.request.header("X-Team") for m in peer.messages} == {None}


def test_calls_of_a_turn_share_a_connection_and_never_raise():
    def tools_call(message):
        name = message["params"]["name"]
        if name == "nix":
            return error(message, -32602, "Unknown tool")
        if name == "break":
            return [head(), CLOSE]
        return json_reply(result(message, text(name, isError=name == "bad")))

    code = """
result = [registry.run("w", name, "{}") for name in ("a", "bad", "nix", "break", "b")]
result.append(registry.run("nobody", "a", "{}"))
result.append(registry.run("w", "a", "[1]"))
registry.close()
"""
    with Peer(tools_call=tools_call) as peer:
        a, bad, nix, broken, b, nobody, array = drive(peer, STORED + code)
        assert a == [True, "a"] and bad == [False, "bad"] and b == [True, "b"]
        assert nix == [False, "w: Unknown tool"]
        assert broken[0] is False and broken[1].startswith("w: ")
        assert nobody[0] is False and "nobody" in nobody[1] and array[0] is False
        # One session for all but what came after the break, and both are ended.
        assert len(peer.of("initialize")) == 2
        assert [r.line.split()[0] for r in peer.requests].count("DELETE") == 2
        assert peer.of("tools/call")[0].request.header("Mcp-Session-Id") == SESSION[16:]


def test_questions_of_a_turn_go_to_who_is_bound():
    question = call("elicitation/create", id=5, message="how many?", requestedSchema=SCHEMA)
    with Peer(**waiting_for_answers(1, question)) as peer:
        code = "registry.bind(on_elicit=asked)\nresult = registry.run('w', 'echo', '{}')"
        assert drive(peer, STORED + code) == [True, "done"]
        assert answers(peer)[0]["result"]["action"] == "accept"


def test_a_refused_token_says_how_to_store_another_one():
    with Modern(server_discover=lambda m: reply(b"", "401 Unauthorized")) as peer:
        kind, words, hint, _ = drive(peer, STORED + "result = caught(mcp.connect_named, 'w')")
        assert kind == "auth" and words.startswith("w ")
        assert hint == f"mcp add w {peer.url} --token TOKEN"
