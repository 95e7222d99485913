"""ai: catalogue, use-types, history, tools, replies"""

import json

from ai import catalogue, history, reply, tools, usetypes
from net.errors import Error
from store import config, log, paths


def fresh():
    paths.DATA = "data"
    for name in ("config", "secrets", "tools", "history/general.log"):
        log.clear(name)
    tools._added.clear()
    tools.bind(None)


def raised(function):
    try:
        function()
    except Error as error:
        return error
    raise AssertionError("nothing raised")


def test_the_catalogue_has_six_providers_over_three_styles():
    found = catalogue.providers()
    assert sorted(p["id"] for p in found) == [
        "anthropic",
        "gemini",
        "groq",
        "moonshot",
        "ollama",
        "openai",
    ]
    assert {p["style"] for p in found} == {"openai", "gemini", "anthropic"}
    assert all(p["url"].startswith("http") and p["tools"] == "native" for p in found)


def test_an_unknown_provider_is_named_with_those_there_are():
    error = raised(lambda: catalogue.find("acme"))
    assert error.kind == "config" and "acme" in str(error) and "groq" in error.hint


def test_without_any_setting_the_error_says_how_to_begin():
    fresh()
    error = raised(lambda: usetypes.options("general", {}))
    assert (error.kind, str(error)) == ("config", "no provider is set")
    assert error.hint.startswith("config ai.general.provider ")


def test_a_setting_falls_back_to_general():
    fresh()
    for key, value in (("provider", "groq"), ("key", "k"), ("max_tokens", "9")):
        config.set("ai.general." + key, value)
    config.set("ai.code.temperature", "0.5")
    found = usetypes.options("code", {})
    assert (found["provider"], found["key"], found["max_tokens"]) == ("groq", "k", 9)
    assert found["temperature"] == 0.5 and found["cap"] == "max_completion_tokens"
    assert "system" not in found


def test_a_key_never_goes_to_a_provider_that_it_is_not_for():
    fresh()
    for key, value in (
        ("provider", "groq"),
        ("key", "secret"),
        ("model", "m"),
        ("url", "http://x/v1"),
    ):
        config.set("ai.general." + key, value)
    config.set("ai.code.provider", "anthropic")
    assert raised(lambda: usetypes.options("code", {})).kind == "auth"
    assert raised(lambda: usetypes.options("general", {"provider": "openai"})).kind == "auth"
    found = usetypes.options("general", {"url": "http://evil/v1", "model": "m"})
    assert "key" not in found and found["auth"] == "" and found["url"] == "http://evil/v1"
    found = usetypes.options("general", {"provider": "ollama", "model": "q"})
    assert "key" not in found and found["url"] == "http://127.0.0.1:11434/v1"


def test_any_server_can_be_asked_by_its_url():
    fresh()
    found = usetypes.options("general", {"url": "http://h/v1/", "model": "m", "key": "k"})
    assert (found["style"], found["url"], found["auth"]) == ("openai", "http://h/v1", "bearer")
    assert found["mark"] == "http://h/v1/m"


def test_what_is_missing_is_said_with_the_line_that_sets_it():
    fresh()
    config.set("ai.general.provider", "ollama")
    error = raised(lambda: usetypes.options("general", {}))
    assert str(error) == "no model is set for ollama"
    assert error.hint == "config ai.general.model MODEL"
    config.set("ai.general.provider", "groq")
    error = raised(lambda: usetypes.options("general", {}))
    assert (error.kind, error.hint) == ("auth", "config ai.general.key KEY")
    config.set("ai.general.key", "k")
    config.set("ai.general.timeout", "soon")
    assert "not a number" in str(raised(lambda: usetypes.options("general", {})))


def test_an_unknown_use_type_is_refused_until_it_has_a_setting():
    fresh()
    config.set("ai.general.provider", "groq")
    config.set("ai.general.key", "k")
    for use in ("poems", "", "../x", "a.b"):
        assert raised(lambda use=use: usetypes.options(use, {})).kind == "config", use
    config.set("ai.poems.temperature", "1")
    assert usetypes.options("poems", {})["temperature"] == 1


def conversation():
    return list(history.parts("general"))


def test_a_conversation_comes_back_as_it_was_written():
    fresh()
    history.append("general", ("user", "hi"))
    writer = history.Writer("general")
    for delta in (
        ("text", "a"),
        ("think", "t"),
        ("text", "b"),
        ("opaque", "o", "m"),
        ("call", "1", "f"),
        ("args", "1", '{"x":'),
        ("text", "c"),
        ("args", "1", "1}"),
        ("usage", 1, 2),
    ):
        writer.feed(delta)
    writer.end("calls")
    history.append("general", ("result", "1", "f", True, "r"))
    assert conversation() == [
        ("user", "hi"),
        ("text", "ab"),
        ("opaque", "o", "m"),
        ("text", "c"),
        ("call", "1", "f"),
        ("args", "1", '{"x":'),
        ("args", "1", "1}"),
        ("stop", "calls"),
        ("result", "1", "f", True, "r"),
    ], conversation()


def test_arguments_of_calls_that_mix_are_put_to_their_call():
    fresh()
    writer = history.Writer("general")
    for delta in (
        ("call", "1", "f"),
        ("call", "2", "g"),
        ("args", "1", "{"),
        ("args", "2", "{}"),
        ("args", "1", "}"),
    ):
        writer.feed(delta)
    writer.end("calls")
    assert conversation()[:5] == [
        ("call", "1", "f"),
        ("args", "1", "{"),
        ("args", "1", "}"),
        ("call", "2", "g"),
        ("args", "2", "{}"),
    ]


def test_a_call_of_a_reply_that_was_cut_is_not_kept():
    fresh()
    writer = history.Writer("general")
    for delta in (("text", "a"), ("call", "1", "f"), ("args", "1", "{")):
        writer.feed(delta)
    writer.end("cut")
    assert conversation() == [("text", "a"), ("stop", "cut")]


def test_arguments_that_are_no_object_are_kept_as_empty():
    fresh()
    writer = history.Writer("general")
    for delta in (
        ("call", "1", "f"),
        ("args", "1", "{bad"),
        ("call", "2", "g"),
        ("args", "2", "{}"),
    ):
        writer.feed(delta)
    writer.end("calls")
    assert conversation()[:3] == [("call", "1", "f"), ("call", "2", "g"), ("args", "2", "{}")]


def test_long_texts_are_records_of_bounded_length():
    fresh()
    history.append("general", ("user", "\xe4" * 2000), ("result", "1", "f", True, "x" * 1500))
    records = list(log.records("history/general.log"))
    assert len(records) == 7 and max(len(r[-1]) for r in records) == 512
    assert "".join(r[1] for r in records[:4]) == "\xe4" * 2000


def test_an_interrupted_turn_is_repaired_when_it_is_read():
    fresh()
    history.append(
        "general",
        ("user", "a"),
        ("result", "9", "g", True, "orphan"),
        ("call", "1", "f"),
        ("args", "1", "{}"),
        ("call", "2", "g"),
        ("stop", "calls"),
        ("result", "1", "f", True, "x"),
        ("result", "1", "f", True, "y"),
    )
    interrupted = ("result", "2", "g", False, "interrupted: no result")
    assert conversation()[-3:] == [
        ("result", "1", "f", True, "x"),
        ("result", "1", "f", True, "y"),
        interrupted,
    ]
    assert ("result", "9", "g", True, "orphan") not in conversation()
    history.append("general", ("user", "b"))
    assert conversation()[-2:] == [interrupted, ("user", "b")]


def test_the_same_id_may_come_again_in_a_later_turn():
    fresh()
    once = [("call", "f:0", "f"), ("stop", "calls"), ("result", "f:0", "f", True, "x")]
    history.append("general", *(once + once))
    assert conversation() == once + once


def test_records_that_are_not_ours_are_passed_over():
    fresh()
    log.append("history/general.log", {"a": 1}, ["user"], [], ["future", "x"], ["user", "b"], 5)
    assert conversation() == [("user", "b")]


def test_a_history_cut_at_any_byte_can_be_read_and_goes_on():
    fresh()
    history.append(
        "general",
        ("user", "a"),
        ("call", "1", "f"),
        ("args", "1", "{}"),
        ("stop", "calls"),
        ("result", "1", "f", True, "x"),
        ("text", "done"),
        ("stop", "end"),
    )
    with open("data/history/general.log", "rb") as file:
        whole = file.read()
    for cut in range(len(whole)):
        with open("data/history/general.log", "wb") as file:
            file.write(whole[:cut])
        history.append("general", ("user", "b"))
        found = conversation()
        assert found[-1] == ("user", "b"), cut
        calls = [p[1] for p in found if p[0] == "call"]
        results = [p[1] for p in found if p[0] == "result"]
        assert calls == results, (cut, found)


def test_tools_of_servers_are_kept_as_they_came():
    fresh()
    schema = b'{"type": "object",\n"properties":{"a\\tb":\t{}}}'
    assert tools.replace("w", [(b"get_weather", b'"does\\nit"', schema)]) == 1
    (row,) = tools.offered()
    assert row == (
        "get_weather",
        b'"does\\nit"',
        b'{"type": "object", "properties":{"a\\tb": {}}}',
    )
    assert list(tools.rows()) == [("get_weather", "w", "get_weather", "does\nit")]
    assert tools.count() == 1
    tools.clear()
    assert tools.count() == 0 and list(tools.offered()) == []


def entry(name):
    return (name, '""', "{}")


def test_names_are_safe_unique_and_lead_back():
    fresh()
    calls = []
    tools.bind(lambda *call: calls.append(call) or (True, "ok"))
    odd = ["a.b", "a_b", "a b", "2d.plot", "\xe4\xf6", "x" * 80, "x" * 90, ""]
    tools.replace("s", [entry(name) for name in odd])
    tools.replace("other", [entry("a_b")])
    names = [row[0] for row in tools.rows()]
    assert len(set(names)) == 9
    for name in names:
        assert len(name) <= 64 and name[0].isalpha() and name[0] < "\x80", name
        assert all(c.isalpha() or c.isdigit() or c in "_-" for c in name), name
    for name, row in zip(odd, list(tools.rows())[:8]):
        assert tools.call(row[0], "") == (True, "ok")
        assert calls[-1] == ("s", name, "{}")
    assert "other_a_b" in names


def test_a_server_that_fails_keeps_the_tools_it_had():
    fresh()
    tools.replace("a", [entry("x")])
    tools.replace("b", [entry("y")])

    def broken():
        yield entry("z")
        raise Error("net", "gone")

    assert raised(lambda: tools.replace("a", broken())).kind == "net"
    assert [row[0] for row in tools.rows()] == ["x", "y"]
    tools.replace("a", [entry("z")])
    assert [row[:2] for row in tools.rows()] == [("y", "b"), ("z", "a")]


def test_a_tool_of_a_program_is_offered_and_called():
    fresh()
    tools.add("led", "Switch it.", {"type": "object"}, lambda args: {"was": args})
    assert tools.call("led", '{"on":true}') == (True, '{"was": {"on": true}}')
    assert list(tools.offered()) == [("led", b'"Switch it."', b'{"type": "object"}')]
    assert tools.remove("led") is True and tools.remove("led") is False
    assert raised(lambda: tools.add("a b", "", {}, None)).kind == "config"


def test_a_call_never_raises():
    fresh()

    def broken(args):
        raise KeyError("x")

    def refused(*_):
        raise Error("net", "gone")

    tools.add("broken", "", {}, broken)
    tools.replace("s", [entry("far")])
    assert tools.call("broken", "{}") == (False, "KeyError('x',)")
    assert tools.call("none", "{}") == (False, "there is no tool none")
    assert tools.call("far", "{}") == (False, "nothing here can run far")
    tools.bind(refused)
    assert tools.call("far", "null") == (False, "gone")
    for args in ("[1]", "{", "nonsense", '"x"'):
        ok, text = tools.call("broken", args)
        assert not ok and "not a JSON object" in text, args


def test_a_reply_is_put_together_and_unpacks():
    said = reply.Reply()
    for delta in (
        ("think", "h"),
        ("text", "He"),
        ("call", "1", "f"),
        ("text", "y"),
        ("args", "1", '{"a"'),
        ("call", "2", "g"),
        ("args", "1", ":1}"),
        ("usage", 3, 4),
        ("stop", "calls"),
    ):
        reply.fold(said, delta)
    text, error, calls = said
    assert (text, error, str(said)) == ("Hey", None, "Hey")
    assert calls == [
        {"id": "1", "name": "f", "args": '{"a":1}'},
        {"id": "2", "name": "g", "args": "{}"},
    ]
    assert (said.usage, said.stop) == ((3, 4), "calls")
    assert said.raise_for_error() is said


def test_arguments_have_a_cap_that_the_error_names():
    said = reply.Reply()
    reply.fold(said, ("call", "1", "f"))
    error = raised(lambda: [reply.fold(said, ("args", "1", "x" * 1000)) for _ in range(40)])
    assert error.kind == "protocol" and "32768" in str(error)


def test_json_of_the_cache_is_what_was_given():
    fresh()
    tools.replace("s", [("a", json.dumps('say "x"\t'), json.dumps({"d": "\n\t"}))])
    (row,) = tools.offered()
    assert json.loads(row[1]) == 'say "x"\t' and json.loads(row[2]) == {"d": "\n\t"}
