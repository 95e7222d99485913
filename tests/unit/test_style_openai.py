"""ai.styles.openai"""

import json

from ai.styles import openai
from net.errors import Error

MARK = "moonshot/kimi"


def body(parts, tools=(), **options):
    options.setdefault("model", "m")
    return json.loads(b"".join(openai.request(parts, tools, options)))


def feed(*events, **state):
    deltas = []
    for event in events:
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        deltas.extend(openai.feed(state, ("", data, None, None)))
    deltas.extend(openai.feed(state, None))
    return deltas


def chunk(finish=None, **delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(args=None, **more):
    name = more.pop("name", None)
    function = {}
    if name is not None:
        function["name"] = name
    if args is not None:
        function["arguments"] = args
    more["function"] = function
    return chunk(tool_calls=[more])


def test_a_question_is_all_that_is_sent():
    assert body([("user", "Hi \xe4\n")]) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi \xe4\n"}],
    }


def test_what_is_set_is_sent_under_the_name_that_the_provider_wants():
    sent = body(
        [("user", "x")],
        stream=True,
        max_tokens=5,
        temperature=0.5,
        cap="max_completion_tokens",
        system="Be brief.",
        effort="none",
    )
    assert sent["stream"] is True and sent["stream_options"] == {"include_usage": True}
    assert sent["max_completion_tokens"] == 5 and sent["temperature"] == 0.5
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    assert "reasoning_effort" not in sent


def test_a_turn_with_tools_goes_back_as_it_was():
    parts = [
        ("user", "coat "),
        ("user", "or not?"),
        ("text", "Let "),
        ("text", "me see."),
        ("call", "a", "get_weather"),
        ("args", "a", '{"city":'),
        ("args", "a", '"X"}'),
        ("call", "b", "now"),
        ("stop", "calls"),
        ("result", "a", "get_weather", True, "co"),
        ("result", "a", "get_weather", True, "ld"),
        ("result", "b", "now", False, "broken"),
        ("text", "Yes."),
        ("stop", "end"),
        ("user", "and now?"),
    ]
    assert body(parts)["messages"] == [
        {"role": "user", "content": "coat or not?"},
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city":"X"}'},
                },
                {"id": "b", "type": "function", "function": {"name": "now", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "cold"},
        {"role": "tool", "tool_call_id": "b", "content": "broken"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "and now?"},
    ]


def test_a_turn_of_calls_only_has_an_empty_content():
    sent = body([("user", "x"), ("call", "a", "f"), ("result", "a", "f", True, "")])["messages"]
    assert sent[1]["content"] == "" and sent[2]["content"] == ""


def test_reasoning_goes_back_to_who_wants_it_and_to_nobody_else():
    parts = [("user", "x"), ("opaque", "th", MARK), ("opaque", "ink", MARK), ("call", "a", "f")]
    sent = body(parts, mark=MARK, reasoning="reasoning_content")["messages"][1]
    assert sent["reasoning_content"] == "think"
    assert "reasoning_content" not in body(parts, mark=MARK)["messages"][1]
    other = body(parts, mark="moonshot/other", reasoning="reasoning_content")["messages"][1]
    assert other["reasoning_content"] == ""


def test_schemas_go_as_they_are_and_an_object_gets_its_properties():
    tools = (
        ("f", b'"does f"', b'{"type": "object", "properties": {"a": {"$ref": "#/x"}}}'),
        ("g", b'""', b'{"type":"object"}'),
        ("h", b'""', b"{}"),
    )
    sent = body([("user", "x")], tools, effort="none")
    assert [tool["function"]["parameters"] for tool in sent["tools"]] == [
        {"type": "object", "properties": {"a": {"$ref": "#/x"}}},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {}},
    ]
    assert sent["tools"][0]["function"]["description"] == "does f"
    assert sent["reasoning_effort"] == "none"
    raw = b"".join(openai.request([("user", "x")], tools, {"model": "m"}))
    assert tools[0][2] in raw


def test_text_comes_as_it_is_sent():
    assert feed(
        chunk(role="assistant", content=""),
        chunk(content="He"),
        chunk(content="y"),
        chunk("stop"),
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
        b"[DONE]",
    ) == [("text", "He"), ("text", "y"), ("usage", 3, 2), ("stop", "end")]


def test_odd_events_are_taken():
    assert feed(
        {"choices": None},
        {},
        chunk(content=None, tool_calls=None),
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        chunk("stop", content=[{"type": "text", "text": "x"}]),
        {"usage": None},
        {"x_groq": {"usage": {"prompt_tokens": 1}}},
    ) == [("text", "x"), ("usage", 1, 0), ("stop", "end")]


def test_a_whole_reply_reads_as_its_stream_does():
    reply = {
        "choices": [
            {
                "message": {
                    "role": "assistant",
                    "content": "Hey",
                    "tool_calls": [
                        {
                            "id": "a",
                            "type": "function",
                            "function": {"name": "f", "arguments": "{}"},
                        }
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }
    assert feed(reply) == [
        ("text", "Hey"),
        ("call", "a", "f"),
        ("args", "a", "{}"),
        ("usage", 1, 2),
        ("stop", "calls"),
    ]


def test_fragments_of_calls_find_their_call():
    wanted = [
        ("call", "a", "f"),
        ("args", "a", '{"x'),
        ("args", "a", '":1}'),
        ("call", "b", "g"),
        ("args", "b", "{}"),
        ("stop", "calls"),
    ]
    by_index = (
        call("", id="a", name="f", index=0),
        call('{"x', index=0),
        call('":1}', index=0),
        call("{}", id="b", name="g", index=1),
        chunk("tool_calls"),
    )
    assert feed(*by_index) == wanted
    no_index = (
        call('{"x', id="a", name="f"),
        call('":1}'),
        call("{}", id="b", name="g"),
        chunk("stop"),
    )
    assert feed(*no_index) == wanted
    repeated = (
        call('{"x', id="a", name="f", index=0),
        call('":1}', id="a", name="f", index=0),
        call("{}", id="b", name="g", index=1),
        chunk("tool_calls"),
    )
    assert feed(*repeated) == wanted
    one_index = (
        call('{"x', id="a", name="f", index=0),
        call('":1}', index=0),
        call("{}", id="b", name="g", index=0),
        chunk("tool_calls"),
    )
    assert feed(*one_index) == wanted


def test_an_id_that_is_missing_or_used_before_is_made():
    deltas = feed(
        call("{}", name="f", index=0), call("{}", name="g", index=1), chunk("stop"), nonce=255
    )
    assert [d[1] for d in deltas if d[0] == "call"] == ["call_ff_0", "call_ff_1"]
    deltas = feed(
        call("{}", id="0", name="f", index=0), call("{}", id="0", name="g", index=1), chunk("stop")
    )
    ids = [d[1] for d in deltas if d[0] == "call"]
    assert ids[0] == "0" and ids[1] != "0"


def test_a_name_that_comes_late_opens_the_call_then():
    assert feed(call("{", id="a", index=0), call("}", name="f", index=0), chunk("stop"))[:2] == [
        ("call", "a", "f"),
        ("args", "a", "{}"),
    ]


def test_arguments_of_any_kind_become_text():
    assert feed(call({"a": 1}, id="a", name="f"), chunk("stop"))[1] == ("args", "a", '{"a": 1}')
    assert feed(call(None, id="a", name="f"), chunk("stop"))[1] == ("stop", "calls")


def test_reasoning_is_a_thought_and_goes_back_only_if_wanted():
    assert feed(chunk(reasoning="hm"), chunk("stop"))[0] == ("think", "hm")
    deltas = feed(
        chunk(reasoning_content="hm"), chunk("stop"), options={"reasoning": "reasoning_content"}
    )
    assert deltas[:2] == [("think", "hm"), ("opaque", "hm")]


def test_how_a_reply_ends():
    assert feed(chunk(content="x"))[-1] == ("stop", "cut")
    assert feed(chunk(content="x"), b"[DONE]")[-1] == ("stop", "end")
    assert feed(chunk("length", content="x"))[-1] == ("stop", "length")
    assert feed(chunk("content_filter"))[-1] == ("stop", "filter")
    assert feed(call("{", id="a", name="f"), chunk("length"))[-1] == ("stop", "length")


def raised(function):
    try:
        function()
    except Error as error:
        return error
    raise AssertionError("nothing raised")


def test_an_error_in_the_stream_is_raised():
    error = raised(
        lambda: feed(chunk(content="x"), {"error": {"message": "bad", "status_code": 400}})
    )
    assert (error.kind, str(error), error.status) == ("request", "bad", 400)
    assert raised(lambda: feed(b"<html>")).kind == "protocol"


def test_errors_say_what_the_provider_said():
    for status, sent, kind, message in (
        (
            401,
            b'{"error":{"message":"Incorrect API key provided: sk-ab***yz. See x","code":"c"}}',
            "auth",
            "Incorrect API key provided: (hidden) See x",
        ),
        (404, b'{"error":{"message":"model `x`\\nnot found"}}', "request", "model `x` not found"),
        (
            429,
            b'{"error":{"message":"Rate limit in organization `org_01abcdef` reached"}}',
            "rate",
            "Rate limit in organization `(hidden)` reached",
        ),
        (503, b"", "overload", "HTTP status 503"),
        (502, b"<html><head><title>Bad gateway</title></head></html>", "overload", "Bad gateway"),
        (500, b'{"error":"text"}', "overload", "text"),
        (400, b'[{"error":{"message":"wrapped"}}]', "request", "wrapped"),
        (408, b"{}", "timeout", "HTTP status 408"),
        (418, b"\xff\xfe", "request", "HTTP status 418"),
    ):
        error = openai.error(status, sent)
        assert (error.kind, str(error), error.status) == (kind, message, status), str(error)
        assert error.wait is None and error.hint


def test_a_spent_quota_is_not_to_be_tried_again():
    for sent in (
        b'{"error":{"message":"q","code":"insufficient_quota"}}',
        b'{"error":{"message":"q","type":"exceeded_current_quota_error"}}',
    ):
        assert openai.error(429, sent).wait == -1
