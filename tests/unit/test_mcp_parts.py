"""The parts of the MCP client that open nothing: jsonrpc, trim, content, headers, elicit."""

import json

from mcp import elicit, headers, jsonrpc
from mcp.content import Content
from mcp.trim import Trim, size_of
from net.errors import Error
from net.jsontext import loads

MESSAGE = (("result", "next"),)


def raised(kind, function, *args):
    try:
        function(*args)
    except Error as error:
        assert error.kind == kind, error.kind
        return error
    raise AssertionError("no Error")


def scan(data, step=None, path=("result", "tools"), trim=None):
    incoming = jsonrpc.Incoming(path, MESSAGE, (1000, 1000), trim)
    step = step or len(data)
    found = []
    for at in range(0, len(data), step):
        found.extend(incoming.feed(data[at : at + step]))
    incoming.close()
    return found, incoming.messages


def trimmed(value, limit, step=None, total=None):
    data = json.dumps(value).encode() if not isinstance(value, bytes) else value
    trim = Trim(limit, total)
    step = step or len(data)
    out = bytearray()
    for at in range(0, len(data), step):
        out.extend(trim.feed(data[at : at + step]))
    return bytes(out)


def shown(*blocks, limit=1000):
    content = Content(limit)
    for block in blocks:
        content.element(json.dumps(block).encode())
    return str(content)


def declared(properties):
    return headers.declared({"type": "object", "properties": properties})


# jsonrpc


def test_a_request_copies_its_members_through():
    data = b"".join(jsonrpc.request(7, "tools/call", ((b"name", b'"x"'), (b"a", b"{ }"))))
    expected = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","a":{ }}}'
    assert data == expected
    assert json.loads(b"".join(jsonrpc.request(None, "n"))) == {"jsonrpc": "2.0", "method": "n"}


def test_answers_to_a_server_repeat_its_id_as_it_came():
    assert json.loads(b"".join(jsonrpc.result(b'"a1"', b"{}")))["id"] == "a1"
    refused = json.loads(b"".join(jsonrpc.refusal(b"0", -32601, 'no "x"')))
    assert refused["error"] == {"code": -32601, "message": 'no "x"'} and refused["id"] == 0


def test_what_is_sent_is_utf8_also_when_a_text_has_halves_of_characters():
    assert jsonrpc.dump({"t": json.loads('"\\ud83d\\ude00"')}) == '{"t": "😀"}'.encode()


def test_a_message_is_scanned_whatever_the_cuts_and_the_order_of_its_keys():
    data = b'{"result":{"tools":[{"a":1},{"b":"]"}],"next":"p2"},"jsonrpc":"2.0","id":3}'
    for step in (1, 2, 5, len(data)):
        found, messages = scan(b"  " + data, step)
        assert found == [b'{"a":1}', b'{"b":"]"}']
        assert messages == [{("id",): b"3", ("result", "next"): b'"p2"'}]


def test_an_array_of_messages_is_several_messages():
    data = b'[{"method":"n","params":{"x":1}}, {"id":1,"result":{"tools":[5]}}]'
    found, messages = scan(data, 3)
    assert found == [b"5"]
    assert messages == [{("method",): b'"n"', ("params",): b'{"x":1}'}, {("id",): b"1"}]


def test_a_cut_message_and_no_json_are_errors():
    raised("protocol", scan, b'{"id":1,"result":{"tools":[')
    raised("protocol", scan, b"<html>")
    assert scan(b" ") == ([], [])


def test_an_error_keeps_code_and_data_and_names_the_server():
    raw = b'{"code":-32602,"message":"Unknown\\n tool","data":{"supported":["x"]}}'
    error = jsonrpc.failure({("error",): raw}, "weather")
    assert (error.code, str(error)) == (-32602, "weather: Unknown tool")
    assert error.data == {"supported": ["x"]}
    assert jsonrpc.failure({("error",): b"null"}, "weather") is None
    assert str(jsonrpc.failure({("error",): b'"broken"'}, "w")) == "w: broken"
    raw = b'{"code":-32042,"message":"Sign in","data":{"elicitations":[{"url":"https://a/b"}]}}'
    assert str(jsonrpc.failure({("error",): raw}, "w")) == "w: Sign in, open https://a/b"


# trim


def test_short_texts_pass_unchanged_at_every_cut():
    data = b'{"a": "x\\"y\\\\", "b" : ["", "\\u00e4\xc3\xa4"], "c": -1.5e3}'
    for step in range(1, len(data) + 1):
        assert trimmed(data, 100, step) == data


def test_a_long_text_keeps_its_start_and_says_what_was_cut():
    data = json.dumps({"type": "text", "text": "y" * 5000, "z": 1}).encode()
    for step in (1, 7, 512, len(data)):
        value = json.loads(trimmed(data, 100, step))
        assert value["text"] == "y" * 100 + "\n[cut: 100 of 5000 bytes]" and value["z"] == 1
        assert size_of(value["text"]) == 5000
    assert size_of("plain") == 5


def test_a_cut_is_never_inside_of_a_character_or_an_escape():
    for text in ("\xe4" * 300, "你" * 200, "😀" * 100, 'a\\"b' * 100):
        for limit in range(50, 60):
            data = '{"t":"%s"}' % text
            for step in (1, 3, 1000):
                value = json.loads(trimmed(data.encode(), limit, step))["t"]
                start = value.split("\n[cut")[0]
                assert len(start) > 10 and text.replace("\\", "").startswith(start)
    escaped = b'"' + b"\\u4f60" * 200 + b'"'
    for limit in range(50, 60):
        assert set(json.loads(trimmed(escaped, limit, 3)).split("\n")[0]) == {"你"}


def test_many_texts_share_a_total():
    data = trimmed([("%03d" % i) * 100 for i in range(100)], 200, 64, 1000)
    assert len(data) < 100 * (48 + 40) + 1500
    assert len(json.loads(data)) == 100


def test_bytes_in_base64_are_not_kept_but_measured():
    value = json.loads(trimmed({"data": "A" * 4000, "text": "B" * 4000}, 8000, 100))
    assert len(value["data"]) < 600 and size_of(value["data"]) == 4000
    assert value["text"] == "B" * 4000


def test_the_state_of_a_server_passes_whole_however_long():
    data = b'{"requestState" : "%s", "t":"%s"}' % (b"s" * 3000, b"t" * 3000)
    for step in (1, 17, 512):
        value = json.loads(trimmed(data, 60, step))
        assert value["requestState"] == "s" * 3000 and len(value["t"]) < 100


# content


def test_texts_are_joined_by_lines():
    assert shown({"type": "text", "text": "a"}, {"type": "text", "text": "ä😀"}) == "a\nä😀"


def test_what_a_model_cannot_read_is_described():
    assert shown({"type": "image", "mimeType": "image/png", "data": "QUJDRA=="}) == (
        "[image image/png, 4 bytes]"
    )
    assert shown({"type": "audio", "mimeType": "audio/wav", "data": ""}) == (
        "[audio audio/wav, 0 bytes]"
    )
    link = {"type": "resource_link", "uri": "file:///a", "name": "a", "description": "all"}
    assert shown(link) == "[link file:///a: a, all]"
    blob = {"uri": "u:b", "mimeType": "x/y", "blob": "QUJD"}
    assert shown({"type": "resource", "resource": blob}) == "[resource u:b: x/y, 3 bytes]"
    text = {"uri": "u:t", "text": "inside"}
    assert shown({"type": "resource", "resource": text}) == "[resource u:t]\ninside"


def test_the_size_of_an_image_is_known_although_it_was_cut():
    block = json.dumps({"type": "image", "data": "QUJD" * 1000, "mimeType": "image/png"})
    content = Content(1000)
    content.element(trimmed(block.encode(), 1000))
    assert str(content) == "[image image/png, 3000 bytes]"


def test_unknown_blocks_and_no_blocks_are_shown_as_they_are():
    assert json.loads(shown({"type": "hologram", "x": 1})) == {"type": "hologram", "x": 1}
    assert shown(5, "x", {"type": "text"}) == '5\n"x"\n{"type": "text"}'


def test_structured_content_is_shown_only_without_blocks():
    content = Content(1000)
    content.structured(b'{"n": [1]}')
    assert str(content) == '{"n": [1]}'
    content = Content(1000)
    content.structured(b'{"n": "\\ud83d\\ude00"}')
    assert str(content) == '{"n": "😀"}'
    content = Content(1000)
    content.element(b'{"type":"text","text":"plain"}')
    content.structured(b"{}")
    assert str(content) == "plain"
    content = Content(1000)
    content.structured(None)
    assert str(content) == "" and content.empty


def test_more_blocks_than_fit_are_counted():
    text = shown(*[{"type": "text", "text": "x" * 60}] * 10, limit=100)
    assert text.endswith("\n[cut: 8 more blocks]") and text.startswith("x" * 60 + "\nx")


# headers


def test_plain_values_go_as_they_are_and_others_in_base64():
    for value in ("us-west1", "a b", "", "a=b?c", "=?base64?"):
        assert headers.encode(value) == value
    assert headers.encode("Zürich") == "=?base64?WsO8cmljaA==?="
    for value in (" a", "a ", "a\tb", "a\r\nb", "\x7f", "=?base64?QQ==?="):
        assert headers.encode(value).startswith("=?base64?") and headers.encode(value) != value


def test_declared_arguments_are_found_along_properties():
    inner = {"type": "object", "properties": {"id": {"type": "integer", "x-mcp-header": "Id"}}}
    found = declared({"r": {"type": "string", "x-mcp-header": "Region"}, "o": inner, "p": {}})
    assert sorted(found) == [("Id", ("o", "id")), ("Region", ("r",))]
    assert headers.declared({}) == ()


def test_a_declaration_that_is_wrong_forbids_the_tool():
    for prop in (
        {"type": "string", "x-mcp-header": ""},
        {"type": "string", "x-mcp-header": "a b"},
        {"type": "string", "x-mcp-header": "Ré"},
        {"type": "string", "x-mcp-header": 5},
        {"type": "number", "x-mcp-header": "N"},
        {"type": "object", "x-mcp-header": "N"},
        {"type": ["string"], "x-mcp-header": "N"},
        {"x-mcp-header": "N"},
        {"type": "array", "items": {"type": "string", "x-mcp-header": "N"}},
        {"anyOf": [{"type": "string", "x-mcp-header": "N"}]},
    ):
        assert declared({"p": prop}) is None, prop
    two = {k: {"type": "string", "x-mcp-header": v} for k, v in (("a", "Same"), ("b", "sAME"))}
    assert declared(two) is None
    assert headers.declared({"type": "string", "x-mcp-header": "N"}) is None


def test_what_looks_like_a_declaration_in_data_is_none():
    assert declared({"p": {"type": "string", "default": {"x-mcp-header": 1}}}) == ()
    assert declared({"x-mcp-header": {"type": "string"}}) == ()


def test_arguments_become_headers_by_their_type():
    names = ("A", "B", "C", "D", "E", "F")
    pairs = [(n, (n.lower(),)) for n in names] + [("G", ("o", "g")), ("H", ("a", "h"))]
    args = {"a": "x", "b": True, "c": -5, "d": None, "f": "", "o": {"g": "ä"}}
    assert dict(headers.params(pairs, args)) == {
        "Mcp-Param-A": "x",
        "Mcp-Param-B": "true",
        "Mcp-Param-C": "-5",
        "Mcp-Param-F": "",
        "Mcp-Param-G": "=?base64?w6Q=?=",
    }


def test_a_challenge_is_taken_apart():
    text = 'Bearer realm="a, b", error=invalid_token , scope="x \\"y\\"",Resource_Metadata="u"'
    assert headers.challenge(text) == {
        "scheme": "Bearer",
        "realm": "a, b",
        "error": "invalid_token",
        "scope": 'x "y"',
        "resource_metadata": "u",
    }
    assert headers.challenge("") == {"scheme": ""}
    assert headers.challenge("Basic") == {"scheme": "Basic"}


# elicit

FORM = {
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "yours", "default": "Jo"},
        "age": {"type": "integer"},
        "size": {"type": "number"},
        "fine": {"type": "boolean"},
        "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["Ay", "Be"]},
        "new": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}]},
        "many": {"type": "array", "items": {"enum": ["x", "y"]}},
    },
    "required": ["age"],
}


def field(name):
    return [row for row in elicit.fields(FORM) if row[0] == name][0]


def test_the_fields_of_a_form_come_in_order_with_their_words():
    assert [row[0] for row in elicit.fields(FORM)] == sorted(FORM["properties"])
    assert field("name") == ("name", "string", "Name: yours", False, "Jo", [])
    assert field("old")[5] == [("a", "Ay"), ("b", "Be")]
    assert field("new")[5] == [("r", "Red")]
    assert field("age")[3] is True
    assert list(elicit.fields({})) == []


def test_what_is_typed_gets_the_type_of_the_field():
    for name, text, value in (
        ("name", "", "Jo"),
        ("name", " x ", "x"),
        ("age", "42", 42),
        ("size", "1.5", 1.5),
        ("fine", "Yes", True),
        ("fine", "no", False),
        ("old", "Be", "b"),
        ("new", "r", "r"),
        ("many", "x, y", ["x", "y"]),
        ("size", "", None),
    ):
        assert elicit.convert(field(name), text) == value, (name, text)


def test_what_does_not_fit_the_field_is_refused_in_words():
    for name, text in (
        ("age", ""),
        ("age", "old"),
        ("fine", "maybe"),
        ("old", "c"),
        ("many", "z"),
    ):
        try:
            elicit.convert(field(name), text)
        except ValueError as error:
            assert str(error).startswith(name)
        else:
            raise AssertionError(name)


def test_a_server_gets_an_answer_to_what_is_offered_and_a_code_for_the_rest():
    asked = []

    def person(message, schema):
        asked.append(message)
        return {"age": 5}

    create = {"message": "who?", "requestedSchema": FORM}
    assert elicit.answer("ping", None, None) == {}
    assert elicit.answer("elicitation/create", create, person) == {
        "action": "accept",
        "content": {"age": 5, "name": "Jo"},
    }
    assert asked == ["who?"]
    decline = elicit.answer("elicitation/create", create, lambda m, s: None)
    assert decline == {"action": "decline"}
    cancel = elicit.answer("elicitation/create", create, lambda m, s: "cancel")
    assert cancel == {"action": "cancel"}
    for method, params, who, code in (
        ("roots/list", {}, person, -32601),
        ("elicitation/create", create, None, -32601),
        ("elicitation/create", {"mode": "url", "url": "u"}, person, -32602),
        ("elicitation/create", None, person, -32602),
    ):
        assert raised("request", elicit.answer, method, params, who).code == code


def test_input_requests_are_answered_by_their_keys_or_not_at_all():
    requests = {"k": {"method": "elicitation/create", "params": {"message": "m"}}}
    given = elicit.answers(requests, lambda m, s: {"x": 1}, "tool")
    assert given == {"k": {"action": "accept", "content": {"x": 1}}}
    raised("tool", elicit.answers, requests, None, "tool")
    raised("tool", elicit.answers, {"k": {"method": "roots/list"}}, lambda m, s: {}, "tool")
    raised("tool", elicit.answers, {"k": 5}, lambda m, s: {}, "tool")


def test_loads_of_what_was_cut_is_whole_text():
    text = loads(trimmed(b'"' + b"\\ud83d\\ude00" * 50 + b'"', 61))
    assert text.encode().decode() == text
