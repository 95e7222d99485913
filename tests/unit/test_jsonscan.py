"""net.jsonscan and net.jsontext"""

import json

from net.errors import Error
from net.jsonscan import Scanner, fields
from net.jsontext import loads, quote, whole

DOCUMENT = (
    b'{"jsonrpc" : "2.0", "a\\"b": [{"tools":[9]}], "result":{"x":{"tools":[1]},"tools":['
    b'{"name":"a","s":{"k":["}",{"q":"\\\\\\""}]}} , "two", 3, [4,[5]], -1e5, null, {}, "]"]'
    b',"nextCursor":"p2","more":{"tools":[7]}}, "id" :7 }'
)
ELEMENTS = [
    b'{"name":"a","s":{"k":["}",{"q":"\\\\\\""}]}}',
    b'"two"',
    b"3",
    b"[4,[5]]",
    b"-1e5",
    b"null",
    b"{}",
    b'"]"',
]
PATH = ("result", "tools")
WANT = (("result", "nextCursor"), ("id",), ("jsonrpc",))


def scan(pieces, path=PATH, want=WANT, **more):
    scanner = Scanner(path, want, **more)
    found = []
    for piece in pieces:
        found.extend(scanner.feed(piece))
    scanner.close()
    return found, scanner.values


def kind_of(function):
    try:
        function()
    except Error as error:
        return error.kind
    return "none"


def test_elements_come_raw_and_values_beside_them_are_kept():
    found, values = scan([DOCUMENT])
    assert found == ELEMENTS, found
    assert values == {
        ("result", "nextCursor"): b'"p2"',
        ("id",): b"7",
        ("jsonrpc",): b'"2.0"',
    }, values


def test_a_document_cut_anywhere_gives_the_same():
    for cut in range(len(DOCUMENT) + 1):
        assert scan([DOCUMENT[:cut], DOCUMENT[cut:]])[0] == ELEMENTS, cut
    assert scan([DOCUMENT[i : i + 1] for i in range(len(DOCUMENT))])[0] == ELEMENTS


def test_a_document_that_ends_early_is_an_error():
    for end in range(len(DOCUMENT) - 1):
        assert kind_of(lambda end=end: scan([DOCUMENT[:end]])) == "protocol", end


def test_a_document_may_be_the_array_or_a_scalar():
    assert scan([b' [1, {"a":2}] '], (), ())[0] == [b"1", b'{"a":2}']
    assert scan([b"[]"], (), ())[0] == []
    assert scan([b"12"], (), ())[0] == []
    assert scan([b'{"data":null,"id":1}'], ("data",), (("id",),)) == ([], {("id",): b"1"})


def test_garbage_is_an_error():
    for text in (
        b"<html>",
        b"{]",
        b'{"a" 1}',
        b'{"a":1,,}',
        b"[1]]",
        b'{"result":{"tools":[}',
        b"x",
    ):
        assert kind_of(lambda text=text: scan([text])) == "protocol", text
    assert kind_of(lambda: scan([b"[1 2]"], ())) == "protocol"


def test_whatever_byte_is_damaged_the_error_is_one_of_ours():
    for i in range(len(DOCUMENT)):
        for byte in b'{}[]",:\\u \x00\xff\xed':
            damaged = DOCUMENT[:i] + bytes((byte,)) + DOCUMENT[i + 1 :]
            assert kind_of(lambda text=damaged: scan([text])) in ("none", "protocol"), damaged


def test_a_value_of_any_length_is_passed_over_and_an_element_has_a_cap():
    scanner = Scanner(("a",), (("c",),), cap=10)
    assert list(scanner.feed(b'{"long":"')) == []
    for _ in range(1000):
        assert list(scanner.feed(b"x" * 100)) == []
    assert list(scanner.feed(b'","c":"' + b"y" * 2000 + b'","a":["123"')) == [b'"123"']
    assert kind_of(lambda: list(scanner.feed(b',"123456789"'))) == "protocol"
    assert scanner.values == {}


def test_members_of_an_object_are_found():
    element = b'{"description":"d\\n", "inputSchema": {"name":"x"} , "name":"n"}'
    assert fields(element, ("name", "inputSchema", "gone")) == (b'"n"', b'{"name":"x"}', None)
    assert kind_of(lambda: fields(b'{"a":', ("a",))) == "protocol"


def test_a_key_is_what_it_means():
    assert fields(b'{"n\\u0061me":1}', ("name",)) == (b"1",)


def test_surrogate_pairs_become_characters():
    assert loads(b'"\\ud83d\\ude00"') == "\U0001f600"
    assert loads(b'{"a":["x\\ud83d\\ude00y"]}') == {"a": ["x\U0001f600y"]}
    assert loads(b'"\\ud83d!"') == "\ufffd!"
    assert loads(b'"\\ude00"') == "\ufffd"
    assert loads('"\\ud83d\\ude00"') == "\U0001f600"
    assert whole("plain \ud55c") == "plain \ud55c"  # Hangul begins with the same byte
    assert loads(b'"\\u00e4"') == "\xe4"


def test_a_text_is_quoted_as_json_whatever_is_in_it():
    for text in (
        "",
        "a",
        'say "x" \\ \n\r\t',
        "\x00\x1f",
        "\xe4\u4f60\U0001f600" * 200,
        "\ud55c" * 300,
    ):
        data = b"".join(quote(text))
        assert json.loads(data) == text, text
        assert str(data, "utf-8").isdigit() is False


def test_halves_of_a_pair_are_quoted_as_the_character():
    pair = json.loads('"\\ud83d\\ude00"')
    for before in range(250, 260):
        data = b"".join(quote("x" * before + pair + "y"))
        assert data == b'"' + b"x" * before + b"\xf0\x9f\x98\x80y" + b'"', before


def test_a_long_text_is_quoted_in_small_pieces():
    for char in ("\xe4", "\ud55c", "\u4f60", "\U0001f600"):
        assert max(len(piece) for piece in quote(char * 10000)) < 600, char
