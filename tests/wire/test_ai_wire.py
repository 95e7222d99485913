"""ai against a scripted server: turns, tools, errors, retries."""

import json

import pytest
from device import run
from servers import CLOSE, Script, json_reply, reply, stream

SETUP = """
from store import config, paths
paths.DATA = "data"
config.set("ai.general.provider", "ollama")
config.set("ai.general.model", "m")
config.set("ai.general.url", url + "/v1")
from net import retry
pauses = []
retry.pause = pauses.append
"""

TURN = (
    SETUP
    + """
from ai import chat, history, tools
from net.errors import Error
tools.add("get_weather", "Weather.", {"type": "object"}, lambda args: "cold in " + args["city"])
result = []
try:
    for question in questions:
        for delta in chat.turn("general", question):
            result.append(delta)
except Error as error:
    result.append(["error", error.kind, error.message, error.hint])
result = [result, list(history.parts("general")), pauses]
"""
)


def says(*texts, finish="stop"):
    """The stream of a reply of text."""
    events = [{"choices": [{"delta": {"content": text}}]} for text in texts]
    events.append({"choices": [{"delta": {}, "finish_reason": finish}]})
    return stream(*(json.dumps(event).encode() for event in events), b"[DONE]")


def calls(name, args, id="c1"):
    """The stream of a reply that calls a tool."""
    call = {"index": 0, "id": id, "function": {"name": name, "arguments": args}}
    event = {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    return stream(json.dumps(event).encode(), b"[DONE]")


def turn(replies, *questions):
    with Script(replies) as server:
        found = run(TURN, url=server.url, questions=questions)
        return (*found, [json.loads(request.body) for request in server.requests])


def kinds(deltas):
    return [delta[0] for delta in deltas]


def test_a_tool_turn_runs_the_tool_and_answers_from_its_result():
    deltas, history, _, sent = turn(
        [calls("get_weather", '{"city":"X"}'), says("Take ", "a coat.")], "coat?"
    )
    assert ["tool", "get_weather", '{"city":"X"}'] in deltas
    assert ["result", "c1", "get_weather", True, "cold in X"] in deltas
    assert [d[1] for d in deltas if d[0] == "text"] == ["Take ", "a coat."]
    assert kinds(history) == ["user", "call", "args", "stop", "result", "text", "stop"]
    assert sent[0]["messages"] == [{"role": "user", "content": "coat?"}]
    assert sent[0]["tools"][0]["function"]["name"] == "get_weather"
    assert [m["role"] for m in sent[1]["messages"]] == ["user", "assistant", "tool"]
    assert sent[1]["messages"][2]["content"] == "cold in X"


def test_a_second_question_sends_the_first_turn_too():
    _, _, _, sent = turn([says("One."), says("Two.")], "first?", "second?")
    assert sent[1]["messages"] == [
        {"role": "user", "content": "first?"},
        {"role": "assistant", "content": "One."},
        {"role": "user", "content": "second?"},
    ]


@pytest.mark.parametrize(
    "status, kind, tries",
    [
        ("401 Unauthorized", "auth", 1),
        ("404 Not Found", "request", 1),
        ("429 Too Many Requests", "rate", 3),
        ("500 Oops", "overload", 3),
        ("503 Busy", "overload", 3),
        ("409 Conflict", "request", 3),
    ],
)
def test_an_error_status_is_told_in_words_and_tried_again_where_that_helps(status, kind, tries):
    answer = json_reply(b'{"error":{"message":"the reason"}}', status)
    deltas, history, pauses, sent = turn([answer] * 5, "x")
    assert deltas[-1][:3] == ["error", kind, "Ollama: the reason"] and deltas[-1][3]
    assert (len(sent), len(pauses)) == (tries, tries - 1)
    assert history == []


def test_the_time_to_wait_is_the_one_that_the_server_names():
    busy = json_reply(b"{}", "429 T", "Retry-After: 7")
    soon = json_reply(b"{}", "503 T", "retry-after-ms: 1500")
    deltas, _, pauses, _ = turn([busy, soon, says("ok")], "x")
    assert pauses == [7, 1.5] and ["text", "ok"] in deltas


@pytest.mark.parametrize(
    "headers", [["x-should-retry: false"], ["Retry-After: 3600"]], ids=["told not to", "too long"]
)
def test_it_is_not_tried_again_when_the_server_says_so(headers):
    _, _, pauses, sent = turn([json_reply(b"{}", "503 T", *headers), says("no")], "x")
    assert (pauses, len(sent)) == ([], 1)


def test_a_spent_quota_is_not_tried_again():
    body = b'{"error":{"message":"spent","code":"insufficient_quota"}}'
    deltas, _, pauses, sent = turn([json_reply(body, "429 T"), says("no")], "x")
    assert (pauses, len(sent)) == ([], 1) and deltas[-1][1] == "rate"


def test_a_connection_that_breaks_before_any_byte_is_made_again():
    deltas, _, pauses, sent = turn([lambda _: [CLOSE], says("ok")], "x")
    assert ["text", "ok"] in deltas and len(pauses) == 1 and len(sent) == 2


def test_a_stream_that_breaks_off_keeps_what_came_and_is_an_error():
    whole = says("One ", "two")
    cut = whole[: whole.index(b"two")]
    deltas, history, pauses, sent = turn([[cut, CLOSE]], "x")
    assert deltas[-1][:2] == ["error", "net"] and "broke off" in deltas[-1][2]
    assert history == [["user", "x"], ["text", "One "], ["stop", "cut"]]
    assert (pauses, len(sent)) == ([], 1)


def test_an_error_in_the_stream_keeps_what_came():
    event = b'{"choices":[{"delta":{"content":"Par"}}]}'
    deltas, history, pauses, _ = turn([stream(event, b'{"error":{"message":"overloaded"}}')], "x")
    assert deltas[-1][2] == "Ollama: overloaded"
    assert history[1:] == [["text", "Par"], ["stop", "cut"]] and pauses == []


def test_a_whole_reply_is_taken_although_a_stream_was_asked_for():
    body = b'{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}'
    deltas, _, _, _ = turn([json_reply(body)], "x")
    assert ["text", "whole"] in deltas


@pytest.mark.parametrize("body", [b"<html>hello</html>", b"[]", b""])
def test_a_body_that_is_no_reply_is_an_error(body):
    deltas, _, _, _ = turn([reply(body, "200 OK", "Content-Type: text/html")], "x")
    assert deltas[-1][0] == "error" and deltas[-1][1] in ("protocol", "net")


def test_the_loop_ends_after_eight_rounds():
    rounds = [calls("get_weather", '{"city":"%d"}' % n, f"c{n}") for n in range(12)]
    deltas, _, _, sent = turn(rounds, "x")
    assert len(sent) == 8 and deltas[-1][1:3] == ["tool", "stopped after 8 rounds of tool calls"]


def test_the_loop_ends_when_a_call_repeats_itself():
    deltas, history, _, sent = turn([calls("get_weather", '{"city":"X"}')] * 9, "x")
    assert len(sent) == 3 and "3 times with the same result" in deltas[-1][2]
    assert kinds(history)[-1] == "result"


def test_a_call_that_is_wrong_is_told_to_the_model():
    deltas, _, _, sent = turn(
        [calls("nope", "{}"), calls("get_weather", "{bad", "c2"), says("Sorry.")], "x"
    )
    assert "there is no tool nope" in sent[1]["messages"][2]["content"]
    assert "not a JSON object" in sent[2]["messages"][4]["content"]
    assert sent[2]["messages"][3]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert ["text", "Sorry."] in deltas


def test_a_reply_cut_by_its_cap_in_a_call_does_not_run_it():
    call = {"index": 0, "id": "c", "function": {"name": "get_weather", "arguments": '{"ci'}}
    event = {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "length"}]}
    deltas, _, _, sent = turn([stream(json.dumps(event).encode(), b"[DONE]")], "x")
    assert deltas[-1][:2] == ["error", "tool"] and "max_tokens" in deltas[-1][3]
    assert not [d for d in deltas if d[0] == "tool"] and len(sent) == 1


ASK = SETUP + "import ai\n"


def test_ask_returns_a_reply_that_unpacks():
    code = ASK + "text, err, calls = ai.ask('hi', temperature=0)\nresult = [text, err, calls]"
    with Script([says("Hey")]) as server:
        assert run(code, url=server.url) == ["Hey", None, None]
        assert json.loads(server.requests[0].body)["temperature"] == 0


def test_ask_returns_an_error_and_does_not_raise_it():
    code = ASK + "r = ai.ask('hi')\nresult = [r.text, r.error.kind, str(r), ai.ask_simple('x')[0]]"
    with Script([json_reply(b'{"error":"no"}', "401 T")] * 2) as server:
        assert run(code, url=server.url) == [
            "",
            "auth",
            "error: Ollama: no; try: config ai.general.key KEY",
            None,
        ]


def test_ask_gives_tool_calls_back_and_takes_their_results():
    code = (
        ASK
        + """
messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]
tool = {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}
reply = ai.ask(messages, tools=[tool])
messages.append({"role": "assistant", "content": reply.text, "tool_calls": reply.calls})
messages.append({"role": "tool", "tool_call_id": reply.calls[0]["id"], "content": "R"})
result = [reply.calls, str(ai.ask(messages, tools=[tool]))]
"""
    )
    with Script([calls("f", '{"a":1}'), says("Done")]) as server:
        found = run(code, url=server.url)
        sent = json.loads(server.requests[1].body)["messages"]
    assert found == [[{"id": "c1", "name": "f", "args": '{"a":1}'}], "Done"]
    assert [m["role"] for m in sent] == ["system", "user", "assistant", "tool"]


def test_stream_gives_pieces_and_then_the_reply():
    code = ASK + "s = ai.stream('hi')\nresult = [list(s), s.reply.text, s.reply.stop]"
    with Script([says("a", "b")]) as server:
        assert run(code, url=server.url) == [["a", "b"], "ab", "end"]


def test_an_unknown_override_is_a_mistake_of_the_program():
    code = ASK + "try:\n    ai.ask('x', temprature=1)\nexcept TypeError as e:\n    result = str(e)"
    assert "temprature" in run(code, url="http://x")


def test_providers_are_listed_without_any_setting():
    found = run("import ai\nresult = ai.providers()")
    assert len(found) == 6


MODELS = ASK + "result = list(ai.fetch_models(**more))"


def test_models_are_listed_from_the_provider():
    body = b'{"object":"list","data":[{"id":"a","x":[1]},{"id":"b"},{"no":1}]}'
    with Script([json_reply(body), json_reply(b'{"data":null}')]) as server:
        assert run(MODELS, url=server.url, more={}) == ["a", "b"]
        assert run(MODELS, url=server.url, more={}) == []
        assert server.requests[0].line == "GET /v1/models HTTP/1.1"


def test_a_turn_fits_a_small_heap_however_long_the_history_is():
    code = (
        SETUP
        + """
from ai import chat, history
for i in range(300):
    said = ("text", "answer " * 40)
    history.append("general", ("user", "question " * 20), said, ("stop", "end"))
for delta in chat.turn("general", "last"):
    pass
result = 1
"""
    )
    with Script([says("ok")]) as server:
        assert run(code, heap=224, url=server.url) == 1
        assert len(server.requests[0].body) > 140_000


def test_a_model_without_tools_is_told_about_them_in_words():
    code = TURN.replace(
        "from net import retry",
        'config.set("ai.general.tools_level", "textual")\nfrom net import retry',
    )
    block = '```json\n{"tool": "get_weather", "args": {"city": "X"}}\n```'
    with Script([says("Let me see.\n" + block[:20], block[20:]), says("Cold.")]) as server:
        deltas, _, _ = run(code, url=server.url, questions=["coat?"])
        first, second = (json.loads(request.body) for request in server.requests)
    assert "tools" not in first and "get_weather" in first["messages"][0]["content"]
    assert ["result", deltas[2][1], "get_weather", True, "cold in X"] in deltas
    assert second["messages"][-1]["role"] == "user"
    assert "cold in X" in second["messages"][-1]["content"]
    assert ["text", "Cold."] in deltas


NO_TOOLS = [
    b'{"error":"registry.ollama.ai/library/gemma:2b does not support tools"}',
    b'{"error":{"message":"`tool calling` is not supported with this model"}}',
    b'{"error":{"message":"No endpoints found that support tool use."}}',
    b'{"error":{"message":"tools param requires --jinja flag"}}',
    b'{"error":{"message":"Function calling is not enabled for this model"}}',
]


@pytest.mark.parametrize("body", NO_TOOLS)
def test_a_model_that_refuses_tools_gets_them_in_words_from_then_on(body):
    block = '{"tool": "get_weather", "args": {"city": "X"}}'
    replies = [json_reply(body, "400 Bad Request"), says(block), says("Take a coat.")]
    deltas, _, pauses, sent = turn(replies, "coat?")
    assert ["text", "Take a coat."] in deltas
    assert [d[:3] for d in deltas if d[0] == "result"][0][2] == "get_weather"
    assert ["tools" in body for body in sent] == [True, False, False] and not pauses


@pytest.mark.parametrize("words", ["unknown tool_choice", "tools.3.name is too long", "no model"])
def test_other_refusals_are_told_and_tools_stay(words):
    body = json.dumps({"error": {"message": words}}).encode()
    deltas, _, _, sent = turn([json_reply(body, "400 Bad Request")] * 2, "coat?")
    assert deltas[-1][2] == "Ollama: " + words and len(sent) == 1


CAPPED = SETUP + 'config.set("ai.general.max_tokens", "50")' + TURN[len(SETUP) :]
CAP_WORDS = "Unsupported parameter: 'max_tokens', use 'max_completion_tokens' instead."
CAP_BODY = json.dumps({"error": {"message": CAP_WORDS, "param": "max_tokens"}}).encode()


@pytest.mark.parametrize(
    "replies, questions, swapped",
    [
        ([json_reply(CAP_BODY, "400 B"), says("a"), says("b")], ["x", "y"], [0, 1, 1]),
        ([json_reply(CAP_BODY, "400 B")] * 3, ["x"], [0, 1]),
    ],
)
def test_a_refused_field_for_the_token_cap_is_swapped_once(replies, questions, swapped):
    with Script(replies) as server:
        run(CAPPED, url=server.url, questions=questions)
        sent = [json.loads(request.body) for request in server.requests]
    assert [body.get("max_completion_tokens") == 50 for body in sent] == [bool(n) for n in swapped]
    assert [body.get("max_tokens") == 50 for body in sent] == [not n for n in swapped]


def test_a_cap_that_went_on_reasoning_is_an_error_that_says_so():
    event = {"choices": [{"delta": {"reasoning": "Hm"}, "finish_reason": "length"}]}
    deltas, _, _, _ = turn([stream(json.dumps(event).encode(), b"[DONE]")], "x")
    kind, _, words, hint = deltas[-1]
    assert kind == "error" and "spent on reasoning" in words and "max_tokens" in hint


def test_all_waits_of_a_request_share_one_minute():
    busy = json_reply(b'{"error":{"message":"busy"}}', "429 T", "Retry-After: 40")
    deltas, _, pauses, sent = turn([busy] * 3, "x")
    assert pauses == [40] and len(sent) == 2 and deltas[-1][1] == "rate"


PROBE = """
from ai import probe
result = [probe.tools_level("general"), probe.answer("general")[1]]
"""


@pytest.mark.parametrize(
    "replies, level",
    [
        ([calls("report", '{"number":7}')], "native"),
        ([says("Seven."), says('{"tool": "report", "args": {"number": 7}}')], "textual"),
        ([json_reply(NO_TOOLS[0], "400 B"), says("I cannot.")], "none"),
    ],
)
def test_a_probe_finds_out_how_a_model_takes_tools(replies, level):
    with Script([*replies, says("Hello")]) as server:
        assert run(SETUP + PROBE, url=server.url) == [level, "Hello"]
