"""What the styles send, accepted by the official SDKs' own types and read by them as meant."""

import json

import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from device import run
from google.genai import types as gemini
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from pydantic import TypeAdapter

# A turn with parallel calls and their results, one of them a failure, and a question after it.
CODE = r"""
import json
from ai import catalogue, styles, usetypes
from store import config, paths
paths.DATA = "data"
parts = (
    ("user", "coat in X and Y? \u00e9"),
    ("think", "hm"),
    ("text", "I "), ("text", "look."),
    ("call", "c1", "get_weather"), ("args", "c1", '{"city"'), ("args", "c1", ':"X"}'),
    ("call", "c2", "list_towns"),
    ("stop", "calls"),
    ("result", "c1", "get_weather", True, "cold\n"),
    ("result", "c2", "list_towns", False, "no \"list\""),
    ("text", "Yes."), ("stop", "end"),
    ("user", "and Z?"),
)
tools = (
    ("get_weather", b'"The weather."',
     b'{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}'),
    ("list_towns", b'""', b'{"type":"object"}'),
)
result = {}
for row in catalogue.rows():
    options = usetypes.options("general", {"provider": row[0], "key": "k", "model": row[5] or "m",
        "system": "Be short.", "max_tokens": 50, "temperature": 0.5})
    style = styles.load(options["style"])
    result[row[0]] = [row[2], str(b"".join(style.request(parts, tools, options)), "utf-8")]
"""


@pytest.fixture(scope="module")
def sent():
    return {name: (style, json.loads(body)) for name, (style, body) in run(CODE).items()}


def of_style(sent, wanted):
    found = {name: body for name, (style, body) in sent.items() if style == wanted}
    assert found
    return found


def test_every_provider_has_a_request(sent):
    assert len(sent) == 6


def test_chat_completions_are_what_the_openai_sdk_sends(sent):
    for name, body in of_style(sent, "openai").items():
        known = dict(body)
        for message in known["messages"]:
            message.pop("reasoning_content", None)  # Kimi wants it back; OpenAI has no such field
        TypeAdapter(CompletionCreateParamsStreaming).validate_python(known)
        assert set(known) <= set(CompletionCreateParamsStreaming.__annotations__) | fields(
            CompletionCreateParamsStreaming
        )
        roles = [message["role"] for message in body["messages"]]
        assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "user"], name
        calls = body["messages"][2]["tool_calls"]
        assert [json.loads(call["function"]["arguments"]) for call in calls] == [{"city": "X"}, {}]
        assert [m["tool_call_id"] for m in body["messages"][3:5]] == ["c1", "c2"]
        assert body["messages"][2]["content"] == "I look."
        cap = "max_tokens" if name == "ollama" else "max_completion_tokens"
        assert body[cap] == 50 and body["temperature"] == 0.5


def fields(kind):
    found = set()
    for base in (kind, *getattr(kind, "__orig_bases__", ())):
        found |= set(getattr(base, "__annotations__", ()))
    return found


def test_messages_are_what_the_anthropic_sdk_sends(sent):
    (body,) = of_style(sent, "anthropic").values()
    TypeAdapter(MessageCreateParamsStreaming).validate_python(body)
    # Models up to haiku-4-5 and sonnet-4-6 take a temperature; the types of today have none.
    assert set(body) - {"temperature"} <= fields(MessageCreateParamsStreaming)
    assert [m["role"] for m in body["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    uses = [block for block in body["messages"][1]["content"] if block["type"] == "tool_use"]
    assert [use["input"] for use in uses] == [{"city": "X"}, {}]
    results = body["messages"][2]["content"]
    assert [block["tool_use_id"] for block in results] == ["c1", "c2"]
    assert [bool(block.get("is_error")) for block in results] == [False, True]
    assert body["max_tokens"] == 50


def test_generate_content_is_what_the_google_sdk_sends(sent):
    (body,) = of_style(sent, "gemini").values()
    contents = [gemini.Content.model_validate(content) for content in body["contents"]]
    assert [content.role for content in contents] == ["user", "model", "user", "model", "user"]
    calls = [part.function_call for part in contents[1].parts if part.function_call]
    assert [(call.name, call.args or {}) for call in calls] == [
        ("get_weather", {"city": "X"}),
        ("list_towns", {}),
    ]
    answers = [part.function_response for part in contents[2].parts]
    assert [answer.name for answer in answers] == ["get_weather", "list_towns"]
    gemini.Content.model_validate(body["systemInstruction"])
    settings = gemini.GenerationConfig.model_validate(body["generationConfig"])
    assert (settings.max_output_tokens, settings.temperature) == (50, 0.5)
    for tool in body["tools"]:
        gemini.Tool.model_validate(tool)
