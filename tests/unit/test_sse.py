"""net.sse"""

from net import sse
from net.errors import Error


class Source:
    """Bytes that come in the given pieces."""

    def __init__(self, *pieces):
        self.pieces = list(pieces)

    def readinto(self, buf):
        if not self.pieces:
            return 0
        piece = self.pieces.pop(0)
        n = min(len(piece), len(buf))
        buf[:n] = piece[:n]
        if n < len(piece):
            self.pieces.insert(0, piece[n:])
        return n


def events(*pieces, **more):
    return list(sse.events(Source(*[piece for piece in pieces if piece]), **more))


def data(*pieces):
    return [event[1] for event in events(*pieces)]


STREAM = (
    b"\xef\xbb\xbf: hello\r\n\r\nevent: message\rdata: one\r\rdata:two \r\ndata:  three\n"
    b"id: 7\nretry: 150\n\n:x\nid:8\ndata:\n\nevent: error\ndata: {\xe4\xbd\xa0}\nnothing\n: y\n\n"
    b"data\ndata\n\nid: a\0b\nretry: 1x\n\nevent: lost\ndata: half"
)
EVENTS = [
    ("", b"one", None, None),
    ("", b"two \n three", "7", 150),
    ("", b"", "8", None),
    ("error", b"{\xe4\xbd\xa0}", None, None),
    ("", b"\n", None, None),
]


def test_events_are_read_as_the_standard_says():
    assert events(STREAM) == EVENTS, events(STREAM)


def test_a_stream_cut_anywhere_gives_the_same_events():
    for cut in range(len(STREAM)):
        assert events(STREAM[:cut], STREAM[cut:]) == EVENTS, cut
    assert events(*[STREAM[i : i + 1] for i in range(len(STREAM))]) == EVENTS


def test_a_comment_anywhere_is_ignored():
    assert data(b": x\n\n: y\ndata: {\n: PROCESSING\ndata: }\n\n:\n\ndata: [DONE]\n\n") == [
        b"{\n}",
        b"[DONE]",
    ]


def test_an_event_longer_than_the_cap_is_an_error_that_names_it():
    try:
        events(b"data: " + b"x" * 2000 + b"\n\n", cap=1000)
    except Error as error:
        assert error.kind == "protocol" and "1000" in str(error)
    else:
        raise AssertionError


def test_a_line_without_end_is_no_event():
    assert events(b"data: x") == []
    assert events(b"x" * 5000) == []


def test_a_name_or_an_id_that_is_too_long_is_an_error_that_names_the_cap():
    for field in ("event", "id"):
        assert events(b"%s: %s\ndata: d\n\n" % (field.encode(), b"n" * 1024)) != []
        try:
            events(b"%s: %s\ndata: d\n\n" % (field.encode(), b"n" * 1025))
        except Error as error:
            assert error.kind == "protocol", error.kind
            assert field in str(error) and "1024" in str(error), str(error)
        else:
            raise AssertionError(field)


def test_a_field_or_a_comment_of_any_length_that_nobody_knows_is_passed_over():
    for begin in (b"other: ", b"other", b": "):
        assert data(begin + b"x" * 5000 + b"\ndata: d\n\n") == [b"d"], begin


def test_a_name_or_an_id_that_is_no_text_costs_only_itself():
    assert events(b"event: \xff\nid: \xc3\ndata: d\n\ndata: e\n\n") == [
        ("\ufffd", b"d", None, None),
        ("", b"e", None, None),
    ]


def test_a_wait_of_more_digits_than_a_clock_has_is_ignored():
    assert events(b"retry: " + b"9" * 30 + b"\n\nretry: 999999999\n\n") == [
        ("", b"", None, 999999999)
    ]


def test_data_of_any_length_comes_in_pieces():
    found = list(sse.pieces(Source(b"data: " + b"x" * 5000 + b"\ndata: y\nid: 3\n\n")))
    assert found[-1] == ("event", "", "3", None)
    assert b"".join(part[1] for part in found[:-1]) == b"x" * 5000 + b"\ny"
    assert max(len(part[1]) for part in found[:-1]) <= 512
