"""ai.styles.gemini"""

import json

from ai.styles import gemini
from net.errors import Error

MARK = "gemini/m"


def body(parts, tools=(), **options):
    options.setdefault("model", "gemini-2.5-flash")
    options.setdefault("mark", MARK)
    return json.loads(b"".join(gemini.request(parts, tools, options)))


def feed(*events, **state):
    deltas = []
    for event in events:
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        deltas.extend(gemini.feed(state, ("", data, None, None)))
    deltas.extend(gemini.feed(state, None))
    return deltas


def chunk(*parts, **more):
    candidate = {"content": {"parts": list(parts), "role": "model"}}
    candidate.update(more)
    return {"candidates": [candidate]}


def raised(function):
    try:
        function()
    except Error as error:
        return error
    raise AssertionError("nothing raised")


def test_a_question_is_all_that_is_sent():
    assert body([("user", "Hi")]) == {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}


def test_what_is_set_has_its_place():
    sent = body([("user", "Hi")], max_tokens=5, temperature=0.5, system="S")
    assert sent["generationConfig"] == {"maxOutputTokens": 5, "temperature": 0.5}
    assert sent["systemInstruction"] == {"parts": [{"text": "S"}]}


def test_a_turn_with_tools_goes_back_with_its_signatures():
    parts = [
        ("user", "coat?"),
        ("text", "Hm."),
        ("opaque", "c2", MARK),
        ("opaque", "ln", MARK),
        ("call", "x1", "f"),
        ("args", "x1", '{"a":1}'),
        ("call", "call_ff_2", "g"),
        ("stop", "calls"),
        ("result", "x1", "f", True, "cold"),
        ("result", "call_ff_2", "g", False, "bad"),
        ("opaque", "ZW5k", MARK),
        ("text", "Yes."),
        ("opaque", "bGFzdA", MARK),
        ("stop", "end"),
    ]
    assert body(parts)["contents"] == [
        {"role": "user", "parts": [{"text": "coat?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "Hm."},
                {
                    "functionCall": {"id": "x1", "name": "f", "args": {"a": 1}},
                    "thoughtSignature": "c2ln",
                },
                {"functionCall": {"name": "g"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "x1", "name": "f", "response": {"output": "cold"}}},
                {"functionResponse": {"name": "g", "response": {"error": "bad"}}},
            ],
        },
        {
            "role": "model",
            "parts": [
                {"text": "Yes.", "thoughtSignature": "ZW5k"},
                {"text": "", "thoughtSignature": "bGFzdA"},
            ],
        },
    ]


def test_a_call_of_another_model_has_the_signature_that_is_let_through():
    parts = [("user", "x"), ("opaque", "s", "openai/m"), ("call", "a", "f"), ("call", "b", "g")]
    first, second = body(parts, model="gemini-3.8-flash")["contents"][1]["parts"]
    assert first["thoughtSignature"].startswith("c2tpcF90") and "thoughtSignature" not in second
    assert "thoughtSignature" not in body(parts)["contents"][1]["parts"][0]


def test_schemas_go_as_they_are_and_empty_ones_stay_away():
    schema = b'{"$schema":"x","type":"object","properties":{"a":{"const":1}}}'
    tools = (("f", b'"d"', schema), ("g", b'""', b'{"type":"object","properties":{}}'))
    (declared,) = body([("user", "x")], tools)["tools"]
    f, g = declared["functionDeclarations"]
    assert f == {"name": "f", "description": "d", "parametersJsonSchema": json.loads(schema)}
    assert g == {"name": "g", "description": ""}


def test_a_stream_is_read_part_by_part():
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 4, "thoughtsTokenCount": 5}
    last = chunk({"text": "", "thoughtSignature": "c2ln"}, finishReason="STOP")
    last["usageMetadata"] = usage
    assert feed(
        chunk({"text": "hm", "thought": True}), chunk({"text": "He"}), chunk({"text": "y"}), last
    ) == [
        ("think", "hm"),
        ("text", "He"),
        ("text", "y"),
        ("opaque", "c2ln"),
        ("usage", 3, 9),
        ("stop", "end"),
    ]


def test_calls_come_whole_and_get_an_id_if_they_have_none():
    deltas = feed(
        chunk(
            {"functionCall": {"name": "f", "args": {"a": 1}, "id": "i"}, "thoughtSignature": "s"},
            {"functionCall": {"name": "g", "args": {}}},
            finishReason="STOP",
        ),
        nonce=16,
    )
    assert deltas == [
        ("opaque", "s"),
        ("call", "i", "f"),
        ("args", "i", '{"a": 1}'),
        ("call", "call_10_2", "g"),
        ("stop", "calls"),
    ]


def test_odd_replies_are_taken():
    assert feed({"candidates": [{"finishReason": "MAX_TOKENS"}]})[-1] == ("stop", "length")
    assert feed({"candidates": [{"content": {"role": "model"}, "finishReason": "SAFETY"}]})[
        -1
    ] == ("stop", "filter")
    assert feed({"promptFeedback": {"blockReason": "OTHER"}})[-1] == ("stop", "filter")
    assert feed({"usageMetadata": {}})[-1] == ("stop", "cut")
    whole = json.dumps([chunk({"text": "a"}), chunk({"text": "b"}, finishReason="STOP")]).encode()
    assert feed(whole)[:2] == [("text", "a"), ("text", "b")]


def test_a_malformed_call_is_an_error_worth_another_try():
    assert (
        raised(lambda: feed({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]})).kind
        == "overload"
    )


def test_errors_say_what_was_said_and_when_to_come_back():
    for status, sent, kind, wait in (
        (
            400,
            {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]},
            "auth",
            None,
        ),
        (429, {"status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "48s"}]}, "rate", 48),
        (503, {"status": "UNAVAILABLE"}, "overload", None),
        (404, {"status": "NOT_FOUND"}, "request", None),
    ):
        sent["message"] = "said"
        error = gemini.error(status, json.dumps({"error": sent}).encode())
        assert (error.kind, error.wait, str(error)) == (kind, wait, "said"), status
    wrapped = gemini.error(400, b'[{"error":{"code":400,"message":"w"}}]')
    assert str(wrapped) == "w"
