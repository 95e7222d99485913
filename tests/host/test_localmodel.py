"""tools.localmodel: the rules around the model, and the model itself over HTTP."""

import json
import subprocess
import urllib.error
import urllib.request

import pytest

from tools import localmodel
from tools.demo.judge import needs_coat
from tools.localmodel import choose
from tools.localmodel.engine import CONTEXT
from tools.weather import towns

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {
    "name": "get_weather",
    "description": "Weather in a town: how warm or cold it is, rain, and advice on a coat.",
    "parameters": CITY,
}
TOWNS = {"name": "list_towns", "description": "Names of all towns.", "parameters": {}}
LED = {"name": "set_led", "description": "Switch the light on the board.", "parameters": {}}
TOOLS = [WEATHER, TOWNS, LED]


@pytest.mark.parametrize(
    "question, earlier, name",
    [
        ("do I need a coat in Rochdale?", "", "get_weather"),
        ("how cold is it in York?", "", "get_weather"),
        ("which towns do you know?", "", "list_towns"),
        ("switch the light on", "", "set_led"),
        ("and in Leeds?", "do I need a coat in Rochdale?", "get_weather"),
        ("and in Leeds?", "", None),
        ("tell me a story about a very old tree", "do I need a coat in York?", None),
        ("hello", "", None),
    ],
)
def test_the_tool_is_the_one_that_shares_most_words(question, earlier, name):
    found = choose.tool([q for q in (earlier, question) if q], TOOLS)
    assert (found and found["name"]) == name


def test_a_string_argument_has_to_stand_in_the_question():
    schema = choose.arguments(WEATHER, ["do I need a coat in New York?"])
    phrases = schema["properties"]["city"]["enum"]
    assert "New York" in phrases
    # What the tool is about is no argument of it.
    assert not {"do", "in", "in New York", "coat"} & set(phrases)


def test_a_follow_up_that_names_nothing_takes_the_argument_of_the_question_before():
    asked = ["do I need a coat in York?", "and is it cold?"]
    assert "York" in choose.arguments(WEATHER, asked)["properties"]["city"]["enum"]


def test_only_what_is_required_is_asked_for_and_an_enum_stays():
    properties = {"a": {"enum": ["x"], "type": "string"}, "b": {"type": "integer"}, "c": {}}
    parameters = {"properties": properties, "required": ["a", "b"]}
    schema = choose.arguments({"name": "f", "parameters": parameters}, ["set it to 7"])
    assert schema["properties"] == {"a": properties["a"], "b": properties["b"]}


def test_a_follow_up_becomes_a_question_of_its_own():
    first = "do I need a coat in Rochdale?", {"city": "Rochdale"}
    second = "and in Leeds?", {"city": "Leeds"}
    third = "and in York?", {"city": "York"}
    assert choose.whole_question([first, second]) == "do I need a coat in Leeds?"
    assert choose.whole_question([first, second, third]) == "do I need a coat in York?"
    assert choose.whole_question([("x", {}), ("and in York?", {})]) == "x and in York?"
    assert choose.whole_question([first, ("is it cold in York?", {})]) == "is it cold in York?"


def test_the_sentences_that_answer_are_those_about_the_question():
    found = choose.sentences("It is cold in X. You need a coat in X.\nNo umbrella in X.")
    assert len(found) == 3
    assert choose.answers(["a coat in X?"], found) == ["You need a coat in X."]
    assert choose.answers(["hm?"], found) == found


@pytest.mark.parametrize("text", ["", "one", '{"a": 1. }', "x. " * 40, "long " * 100 + ". y."])
def test_what_is_not_made_of_short_sentences_is_left_alone(text):
    assert choose.sentences(text) == []


@pytest.fixture(scope="module")
def model():
    with localmodel.start(0, subprocess.DEVNULL) as model:
        yield model


def post(model, body, path="/v1/chat/completions"):
    data = json.dumps(body).encode()
    request = urllib.request.Request(model.url + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read()


def message(model, messages, **more):
    reply = json.loads(post(model, {"messages": messages, **more}))
    return reply["choices"][0]["message"]


def functions(*tools):
    return [{"type": "function", "function": tool} for tool in tools]


def user(text):
    return {"role": "user", "content": text}


@pytest.mark.parametrize("first, then", [("Rochdale", "Leeds"), ("York", "Aberdeen")])
def test_a_question_and_its_follow_up_are_answered_as_the_tool_says(model, first, then):
    messages = []
    for question, town in ((f"do I need a coat in {first}?", first), (f"and in {then}?", then)):
        messages.append(user(question))
        said = message(model, messages, tools=functions(*TOOLS))
        (call,) = said["tool_calls"]
        assert call["function"]["name"] == "get_weather"
        assert json.loads(call["function"]["arguments"]) == {"city": town}
        result = {"role": "tool", "tool_call_id": call["id"], "content": towns.report(town)}
        messages += [said, result]
        answer = message(model, messages, tools=functions(*TOOLS))
        assert needs_coat(answer["content"]) == towns.needs_coat(town), answer
        messages.append(answer)


def test_a_stream_of_a_call_reads_as_the_api_says(model):
    body = {
        "messages": [user("how cold is it in York?")],
        "tools": functions(WEATHER),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    lines = post(model, body).decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    events = [json.loads(line[6:]) for line in lines[:-2]]
    call = events[0]["choices"][0]["delta"]["tool_calls"][0]
    assert call["index"] == 0 and call["id"] and call["function"]["name"] == "get_weather"
    assert events[1]["choices"][0]["finish_reason"] == "tool_calls"
    assert events[2]["choices"] == [] and "usage" in events[2]


def test_a_stream_of_text_comes_from_the_model_and_is_the_same_each_time(model):
    body = {"messages": [user("Say hello.")], "stream": True, "max_tokens": 8}
    texts = []
    for _ in range(2):
        lines = post(model, body).decode().split("\n\n")
        assert lines[-2] == "data: [DONE]"
        events = [json.loads(line[6:]) for line in lines[:-2]]
        deltas = [e["choices"][0]["delta"].get("content") or "" for e in events if e["choices"]]
        texts.append("".join(deltas))
    assert texts[0] and texts[0] == texts[1]


def test_a_long_conversation_is_cut_to_the_context(model):
    messages = [user("word " * 3000), {"role": "assistant", "content": "ok"}, user("Say hello.")]
    reply = json.loads(post(model, {"messages": messages, "max_tokens": 4}))
    assert reply["choices"][0]["message"]["role"] == "assistant"
    assert 500 < reply["usage"]["prompt_tokens"] < CONTEXT


def test_a_schema_that_is_no_grammar_does_not_break_it(model):
    odd = {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}, "required": ["a"]}
    said = message(model, [user("weather now")], tools=functions({**WEATHER, "parameters": odd}))
    assert said["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize("body", [{}, {"messages": "x"}, {"messages": []}, []])
def test_what_is_no_request_is_refused_in_words(model, body):
    with pytest.raises(urllib.error.HTTPError) as error:
        post(model, body)
    assert error.value.code == 400
    assert json.loads(error.value.read())["error"]["message"]


def test_models_are_listed_as_openai_and_as_ollama_do(model):
    for path, key in (("/v1/models", "data"), ("/api/tags", "models")):
        with urllib.request.urlopen(model.url + path, timeout=20) as reply:
            (row,) = json.loads(reply.read())[key]
        assert localmodel.NAME in row.values()


def test_a_taken_port_is_replaced_by_a_free_one(model):
    with localmodel.start(model.port, subprocess.DEVNULL) as other:
        assert other.port != model.port


def test_it_says_plainly_what_the_model_is_too_small_for(tmp_path):
    with open(tmp_path / "log", "w+") as log:
        with localmodel.start(0, log):
            pass
        log.seek(0)
        shown = log.read()
    assert "too small to choose a tool" in shown and "ready at http://127.0.0.1:" in shown
