"""net.http over a network in memory: every framing, cut at every byte."""

from fake_net import WAIT, IdlePoll, Net
from net import http
from net.errors import Error

BODY = "d\xe4ta \u4f60\U0001f600\r\n0\r\n".encode()
LENGTH = b"HTTP/1.1 200 OK\r\nX-A: 1\r\nX-a:2\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
CHUNKED = (
    b"HTTP/1.1 200 OK\r\ntransfer-encoding:  Chunked \r\n\r\n"
    b"5;x=1\r\n%s\r\n%x ;y\r\n%s\r\n000\r\nX: 1\r\nY: 2\r\n\r\n"
    % (BODY[:5], len(BODY) - 5, BODY[5:])
)
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + LENGTH
BARE = b"HTTP/1.1 200\nContent-Length: %d, %d\n\n%s" % (len(BODY), len(BODY), BODY)
UNTIL_END = b"HTTP/1.1 200 OK\r\n\r\n" + BODY
OLD = b"HTTP/1.0 200 OK\r\n\r\n" + BODY

ALL = (LENGTH, CHUNKED, INTERIM, BARE, UNTIL_END, OLD)
KEPT = (LENGTH, CHUNKED, INTERIM, BARE)


def get(pieces, **more):
    with Net([pieces], poll=IdlePoll) as net:
        with http.request("GET", "http://h/", **more) as r:
            body = r.content
        kept = net.open()
        http.close_idle()
        assert net.open() == 0
    return body, kept


def error_of(pieces, **more):
    with Net([pieces], poll=IdlePoll) as net:
        try:
            with http.request("GET", "http://h/", **more) as r:
                r.read()
        except Error as error:
            http.close_idle()
            assert net.open() == 0
            return error.kind, error.message
    return "none", ""


def test_a_reply_cut_in_two_at_any_byte_arrives_whole():
    for reply in ALL:
        for cut in range(len(reply) + 1):
            pieces = [piece for piece in (reply[:cut], WAIT, reply[cut:]) if piece != b""]
            assert get(pieces) == (BODY, int(reply in KEPT)), (reply, cut)


def test_a_reply_in_single_bytes_arrives_whole():
    for reply in ALL:
        pieces = []
        for i in range(len(reply)):
            pieces.extend((WAIT, reply[i : i + 1]))
        assert get(pieces) == (BODY, int(reply in KEPT)), reply


def test_a_peer_that_breaks_off_behind_its_reply_takes_nothing_of_it_back():
    for reply in KEPT:
        for cut in range(1, len(reply)):
            assert get([reply[:cut], reply[cut:], OSError(104)])[0] == BODY, (reply, cut)


def test_a_reply_that_breaks_off_at_any_byte_is_an_error_however_it_breaks():
    for reply in KEPT:
        for end in ([], [OSError(104)], [WAIT, OSError(104)]):
            for cut in range(len(reply)):
                found = error_of([reply[:cut]] * (cut > 0) + end)
                assert found[0] == "net", (found, reply, cut)


def test_a_body_that_ends_with_the_connection_must_not_break_off():
    cut = len(UNTIL_END) - 3
    found = error_of([UNTIL_END[:cut], OSError(104)])
    assert found == ("net", "h closed after %d bytes" % (len(BODY) - 3)), found


def test_a_reply_without_a_body_ends_with_its_head():
    for status in (b"204 No Content", b"304 Not Modified"):
        head = b"HTTP/1.1 %s\r\nContent-Length: 9\r\n\r\n" % status
        assert get([head]) == (b"", 1)
    with Net([[LENGTH.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"]], poll=IdlePoll):
        with http.request("HEAD", "http://h/") as r:
            assert r.content == b"" and r.headers["content-length"] == str(len(BODY))


def test_headers_of_the_same_name_are_one():
    with Net([[LENGTH]]):
        with http.request("GET", "http://h/") as r:
            assert r.headers["x-a"] == "1, 2"


def test_only_the_headers_that_are_asked_for_are_kept():
    with Net([[LENGTH]]):
        with http.request("GET", "http://h/", parse_headers=("x-a",)) as r:
            assert r.headers == {"x-a": "1, 2"} and r.content == BODY


def test_a_head_that_is_not_utf8_is_read_as_of_old():
    with Net([[b"HTTP/1.1 200 \xe4\r\nX: \xff\r\nContent-Length: 0\r\n\r\n"]]):
        with http.request("GET", "http://h/") as r:
            assert (r.reason, r.headers["x"]) == ("\xe4", "\xff")


def test_what_is_no_framing_is_refused_in_words():
    head = b"HTTP/1.1 200 OK\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
    for reply, words in (
        (chunked + b"5\r\nhello5\r\nworld\r\n0\r\n\r\n", "a chunk longer than it said"),
        (chunked + b"0x5\r\nhello\r\n0\r\n\r\n", "a chunk without a size"),
        (chunked + b"+5\r\nhello\r\n0\r\n\r\n", "a chunk without a size"),
        (chunked + b"\r\n", "a chunk without a size"),
        (chunked + b"123456789\r\n", "more than 8 digits"),
        (chunked + b"1;" + b"x" * 5000, "a line of more than 4096 bytes"),
        (chunked + b"0\r\n" + b"X: y\r\n" * 65 + b"\r\n", "more than 64 trailers"),
        (head + b"Transfer-Encoding: gzip, chunked\r\n\r\n", "coded as 'gzip, chunked'"),
        (head + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "Content-Length of '3, 4'"),
        (head + b"Content-Length: -1\r\n\r\n", "Content-Length of '-1'"),
        (head + b"Content-Length: 1%s\r\n\r\n" % (b"0" * 15), "more than 15 digits"),
        (head + b"X: " + b"y" * 9000, "a line of more than 8192 bytes"),
        (head + b"X: yyyyyyyyyyyyyy\r\n" * 3000, "more than 32768 bytes of headers"),
        (b"HTTP/1.1 2000 OK\r\n\r\n", "does not speak HTTP"),
        (b"\x16\x03\x01\xff\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 20, "never comes to its reply"),
    ):
        found = error_of([reply])
        assert found[0] == "protocol" and words in found[1], (found, words)


def test_a_length_beside_chunks_does_not_count():
    reply = CHUNKED.replace(b"\r\ntransfer", b"\r\nContent-Length: 3\r\ntransfer")
    assert get([reply])[0] == BODY


def test_bytes_that_nobody_asked_for_end_a_kept_connection():
    class Stale(IdlePoll):
        pass

    with Net([[LENGTH + b"HTTP/1.1 500 X\r\n\r\n"], [LENGTH]], poll=Stale) as net:
        for _ in range(2):
            with http.request("GET", "http://h/") as r:
                assert r.content == BODY
        assert len(net.sockets) == 2 and net.sockets[0].closed


def test_reading_nothing_reads_nothing():
    with Net([[LENGTH]]):
        with http.request("GET", "http://h/") as r:
            assert r.read(0) == b"" and r.readinto(bytearray(0)) == 0
            assert r.content == BODY


def test_a_reader_that_is_torn_out_costs_the_connection():
    with Net([[CHUNKED]], poll=IdlePoll) as net:
        try:
            with http.request("GET", "http://h/") as r:
                r.read(2)
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
        assert net.open() == 0


def test_a_reader_that_has_read_enough_does_not():
    def first():
        with http.request("GET", "http://h/") as r:
            yield r.read(2)

    with Net([[CHUNKED]], poll=IdlePoll) as net:
        pieces = first()
        next(pieces)
        pieces.close()
        assert net.open() == 1
