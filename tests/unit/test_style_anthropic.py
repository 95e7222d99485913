"""ai.styles.anthropic"""

import json

from ai.styles import anthropic
from net.errors import Error

MARK = "anthropic/m"
THOUGHT = ',{"type":"thinking","thinking":"h\\u00e4","signature":"c2ln"}'


def body(parts, tools=(), **options):
    options.setdefault("model", "m")
    options.setdefault("mark", MARK)
    return json.loads(b"".join(anthropic.request(parts, tools, options)))


def feed(*events):
    state = {}
    deltas = []
    for event in events:
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        deltas.extend(anthropic.feed(state, ("", data, None, None)))
    deltas.extend(anthropic.feed(state, None))
    return deltas


def block(kind, **more):
    more["type"] = kind
    return {"type": "content_block_start", "index": 0, "content_block": more}


def delta(kind, **more):
    more["type"] = kind
    return {"type": "content_block_delta", "index": 0, "delta": more}


STOP = {"type": "content_block_stop", "index": 0}
START = {"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1}}}
DONE = {"type": "message_stop"}


def end(reason):
    return {
        "type": "message_delta",
        "delta": {"stop_reason": reason},
        "usage": {"output_tokens": 9},
    }


def test_a_question_has_a_token_cap_and_nothing_that_was_not_set():
    assert body([("user", "Hi")]) == {
        "model": "m",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
    }
    sent = body([("user", "Hi")], max_tokens=7, temperature=0, system="S", stream=True)
    assert (sent["max_tokens"], sent["temperature"], sent["system"]) == (7, 0, "S")
    assert sent["stream"] is True
    assert "system" not in body([("user", "Hi")], system="  ")


def test_a_turn_with_tools_goes_back_as_it_was():
    parts = [
        ("user", "coat?"),
        ("opaque", THOUGHT[:10], MARK),
        ("opaque", THOUGHT[10:], MARK),
        ("text", "Let me "),
        ("text", "see."),
        ("call", "a", "f"),
        ("args", "a", '{"x":'),
        ("args", "a", "1}"),
        ("call", "b", "g"),
        ("stop", "calls"),
        ("result", "a", "f", True, "co"),
        ("result", "a", "f", True, "ld"),
        ("result", "b", "g", False, ""),
        ("text", "Yes."),
        ("stop", "end"),
        ("user", "now?"),
    ]
    assert body(parts)["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "coat?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "h\xe4", "signature": "c2ln"},
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
                {"type": "tool_use", "id": "b", "name": "g", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "cold"},
                {"type": "tool_result", "tool_use_id": "b", "is_error": True},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
        {"role": "user", "content": [{"type": "text", "text": "now?"}]},
    ]


def test_thinking_of_another_model_is_left_out_and_no_block_or_message_is_empty():
    parts = [
        ("user", "x"),
        ("opaque", THOUGHT, "other/m"),
        ("text", " \n"),
        ("stop", "end"),
        ("user", "y"),
    ]
    assert [m["role"] for m in body(parts)["messages"]] == ["user", "user"]


def test_thinking_goes_back_byte_for_byte():
    sent = b"".join(
        anthropic.request([("opaque", THOUGHT, MARK)], (), {"model": "m", "mark": MARK})
    )
    assert THOUGHT[1:].encode() in sent


def test_the_root_of_a_schema_is_an_object():
    tools = (
        ("f", b'"d"', b'{"type":"object","properties":{"a":{}}}'),
        ("g", b'""', b'{"$ref":"#/x"}'),
    )
    sent = body([("user", "x")], tools)["tools"]
    assert sent[0] == {
        "name": "f",
        "description": "d",
        "input_schema": {"type": "object", "properties": {"a": {}}},
    }
    assert sent[1]["input_schema"]["type"] == "object"


def test_a_stream_is_read_block_by_block():
    assert feed(
        START,
        block("thinking", thinking="", signature=""),
        {"type": "ping"},
        delta("thinking_delta", thinking="h"),
        delta("thinking_delta", thinking="m"),
        delta("signature_delta", signature="c2"),
        delta("signature_delta", signature="ln"),
        STOP,
        block("redacted_thinking", data="zz"),
        STOP,
        block("text", text=""),
        delta("text_delta", text="He"),
        delta("text_delta", text="y"),
        STOP,
        block("tool_use", id="t1", name="f", input={}),
        delta("input_json_delta", partial_json=""),
        delta("input_json_delta", partial_json='{"a"'),
        delta("input_json_delta", partial_json=":1}"),
        STOP,
        {"type": "new_kind_of_event"},
        end("tool_use"),
        DONE,
    ) == [
        ("think", "h"),
        ("think", "m"),
        ("opaque", ',{"type":"thinking","thinking":"hm","signature":"c2ln"}'),
        ("opaque", "," + json.dumps({"type": "redacted_thinking", "data": "zz"})),
        ("text", "He"),
        ("text", "y"),
        ("call", "t1", "f"),
        ("args", "t1", '{"a"'),
        ("args", "t1", ":1}"),
        ("usage", 5, 9),
        ("stop", "calls"),
    ]


def test_a_call_without_arguments_has_none():
    deltas = feed(
        START,
        block("tool_use", id="t", name="f", input={}),
        delta("input_json_delta", partial_json=""),
        STOP,
        end("tool_use"),
        DONE,
    )
    assert deltas == [("call", "t", "f"), ("usage", 5, 9), ("stop", "calls")]


def test_thinking_that_was_cut_does_not_go_back():
    deltas = feed(START, block("thinking", thinking=""), delta("thinking_delta", thinking="h"))
    assert [d[0] for d in deltas] == ["think", "usage", "stop"] and deltas[-1][1] == "cut"


def test_a_whole_reply_reads_as_its_stream_does():
    deltas = feed(
        {
            "type": "message",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": "Hey"},
                {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
            ],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 1, "output_tokens": 2},
        }
    )
    assert deltas == [
        ("think", "hm"),
        ("opaque", ',{"type":"thinking","thinking":"hm","signature":"c2ln"}'),
        ("text", "Hey"),
        ("call", "t", "f"),
        ("args", "t", '{"a": 1}'),
        ("usage", 1, 2),
        ("stop", "calls"),
    ]
    assert feed({"type": "message", "content": [], "stop_reason": "end_turn"})[-1] == (
        "stop",
        "end",
    )


def test_how_a_reply_ends():
    for reason, why in (
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("refusal", "filter"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "end"),
    ):
        assert feed(START, end(reason), DONE)[-1] == ("stop", why)


def test_an_error_in_the_stream_is_raised_and_one_of_billing_is_final():
    sent = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    try:
        feed(START, sent)
    except Error as error:
        assert (error.kind, str(error)) == ("overload", "Overloaded")
    else:
        raise AssertionError
    billing = anthropic.error(402, b'{"error":{"type":"billing_error","message":"b"}}')
    assert (billing.kind, billing.wait) == ("rate", -1)
    assert (
        anthropic.error(401, b'{"error":{"type":"authentication_error","message":"x"}}').kind
        == "auth"
    )
