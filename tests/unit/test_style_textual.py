"""ai.styles.textual"""

import json

from ai.styles import openai, textual

BLOCK = '{"tool": "f", "args": {"a": "}\\"{", "b": [1]}}'
ARGS = {"a": '}"{', "b": [1]}


def read(text, step=None):
    state = {"nonce": 1}
    deltas = []
    step = step or len(text) or 1
    for at in range(0, len(text), step):
        deltas.extend(textual.feed(state, ("text", text[at : at + step])))
    deltas.extend(textual.feed(state, ("stop", "end")))
    shown = "".join(d[1] for d in deltas if d[0] == "text")
    calls = [d[2] for d in deltas if d[0] == "call"]
    args = [json.loads(d[2]) for d in deltas if d[0] == "args"]
    return shown, calls, args, deltas[-1][1]


def test_a_block_is_a_call_bare_in_a_fence_and_in_prose():
    for text, shown in (
        (BLOCK, ""),
        ("```json\n" + BLOCK + "\n```", ""),
        ("```\n" + BLOCK + "```", ""),
        ("Let me see. " + BLOCK + " Wait.", "Let me see.  Wait."),
        ("I use it:\n```json\n" + BLOCK + "\n```\nThen.", "I use it:\nThen."),
    ):
        assert read(text) == (shown, ["f"], [ARGS], "calls"), (text, read(text))


def test_a_block_cut_anywhere_is_the_same_call():
    text = "Now `x`:\n```json\n" + BLOCK + "\n```\n" + BLOCK + " {end}"
    whole = read(text)
    assert whole == ("Now `x`:\n {end}", ["f", "f"], [ARGS, ARGS], "calls"), whole
    for step in range(1, len(text)):
        assert read(text, step) == whole, step


def test_other_text_stays_as_it_is():
    for text in (
        "plain",
        "a { b",
        "```python\nprint({})\n```",
        '{"a": 1}',
        '{"name": "Bob"}',
        "`code` and ``two`` and ```",
        '{"tool": 5, "args": {}}',
        '{"tool": "f", "args": "no"}',
        "{" * 50,
        "",
    ):
        assert read(text) == (text, [], [], "end"), (text, read(text))


def test_names_that_models_prefer_are_understood():
    assert read('{"name": "f", "arguments": "{\\"a\\": 1}"}')[1:3] == (["f"], [{"a": 1}])
    assert read('{"tool": "f"}')[1:3] == (["f"], [{}])


def test_text_is_shown_as_soon_as_it_is_known_to_be_text():
    state = {}
    assert list(textual.feed(state, ("text", "Hello {"))) == [("text", "Hello ")]
    assert list(textual.feed(state, ("think", "t"))) == [("think", "t")]


def test_tools_and_turns_are_told_as_text():
    tools = [("f", b'"does\\nit"', b'{"type":"object"}')]
    parts = [
        ("user", "q"),
        ("opaque", "o", "m"),
        ("text", "Ok."),
        ("call", "1", "f"),
        ("args", "1", '{"a":'),
        ("args", "1", "1}"),
        ("call", "2", "g"),
        ("stop", "calls"),
        ("result", "1", "f", True, "r"),
        ("result", "1", "f", True, "s"),
        ("result", "2", "g", False, "bad"),
        ("text", "Done."),
        ("stop", "end"),
    ]
    options = {"model": "m", "system": textual.System("Be brief.", tools)}
    sent = json.loads(b"".join(openai.request(textual.Parts(parts), (), options)))
    system, user, said, results, done = [m["content"] for m in sent["messages"]]
    assert system.startswith("Be brief.\n\nYou can use tools.") and "- f: does\nit" in system
    assert '{"type":"object"}' in system
    assert (user, done) == ("q", "Done.")
    assert read(said)[:3] == ("Ok.\n", ["f", "g"], [{"a": 1}, {}])
    assert results == "Result of f:\nrsError of g:\nbad"
    assert [m["role"] for m in sent["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
