"""net.http against scripted servers."""

import json

import pytest
from device import run
from servers import CLOSE, Script, chunked, json_reply, reply

BODY = "däta 你😀 ".encode() * 40
FRAMINGS = {
    "length": reply(BODY),
    "chunked": b"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n"
    + b"5;x=1\r\n"
    + BODY[:5]
    + b"\r\n"
    + chunked(BODY[5:100], BODY[100:])[:-2]
    + b"X: 1\r\n\r\n",
    "until it closes": [b"HTTP/1.0 200 OK\r\n\r\n" + BODY, CLOSE],
    "after a 100": b"HTTP/1.1 100 Continue\r\n\r\n" + reply(BODY),
    "a header without a colon": b"HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: %d\r\n\r\n%s"
    % (len(BODY), BODY),
}

GET = """
from net import http
with http.request("GET", url) as r:
    result = [r.status_code, r.text]
"""

ERROR = """
from net import http
from net.errors import Error
try:
    with http.request("GET", url, **more) as r:
        result = ["none", r.text]
except Error as error:
    result = [error.kind, error.message]
"""


def error_of(url, **more):
    return run(ERROR, url=url, more=more)


@pytest.mark.parametrize("framing", FRAMINGS)
def test_a_body_arrives_whole_in_every_framing(framing):
    with Script([FRAMINGS[framing]]) as server:
        assert run(GET, url=server.url) == [200, BODY.decode()]


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_a_reply_cut_into_single_bytes_arrives_whole(framing):
    data = FRAMINGS[framing]
    with Script([[data[i : i + 1] for i in range(len(data))]]) as server:
        assert run(GET, url=server.url) == [200, BODY.decode()]


def test_bytes_are_given_on_as_soon_as_they_come():
    code = """
from net import http
buf = bytearray(100)
with http.request("GET", url) as r:
    n = r.readinto(buf)
    first = bytes(buf[:n]).decode()
    with http.request("GET", go):
        pass
    result = [first, r.read().decode()]
"""
    import threading

    go = threading.Event()

    def first(_):
        def pieces():
            yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"
            assert go.wait(20)
            yield b"3\r\ntwo\r\n0\r\n\r\n"

        return pieces()

    def second(_):
        go.set()
        return reply()

    with Script([first, second]) as server:
        assert run(code, url=server.url, go=server.url) == ["one", "two"]


def test_the_request_is_exact():
    code = """
from net import http
http.request("POST", url + "/a b?q=ä#frag", json={"ü": 1}, headers={"X-Y": "z"}).close()
"""
    with Script([reply()]) as server:
        run(code, url=server.url)
        (request,) = server.requests
    assert request.line == "POST /a%20b?q=%C3%A4 HTTP/1.1"
    assert request.header("Host") == f"127.0.0.1:{server.port}"
    assert request.header("X-Y") == "z"
    assert request.header("Accept-Encoding") == "identity"
    assert request.header("Transfer-Encoding") is None
    assert json.loads(request.body) == {"ü": 1}


def test_a_body_in_pieces_is_walked_twice_and_never_held():
    code = """
import gc
from net import http
walks = 0
def body():
    global walks
    walks += 1
    piece = b"0123456789" * 20
    for _ in range(5000):
        yield piece
http.request("POST", url, data=body).close()
result = walks
"""
    with Script([reply()]) as server:
        assert run(code, heap=96, url=server.url) == 2
        assert len(server.requests[0].body) == 1_000_000


def test_a_connection_is_kept_and_used_again():
    code = """
from net import http
for _ in range(3):
    with http.request("GET", url) as r:
        r.text
"""
    with Script([reply(b"a"), reply(b""), b"HTTP/1.1 204 No Content\r\n\r\n"]) as server:
        run(code, url=server.url)
        assert (server.connections, len(server.requests)) == (1, 3)


def test_the_end_of_a_stream_that_was_not_read_does_not_cost_the_connection():
    code = """
from net import http
for _ in range(2):
    r = http.request("GET", url)
    r.readinto(bytearray(3))
    r.close()
"""
    data = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b"abcdef")
    with Script([data, data]) as server:
        run(code, url=server.url)
        assert server.connections == 1


def test_a_kept_connection_that_died_is_made_anew_once():
    code = """
from net import http
for _ in range(2):
    with http.request("POST", url, data="x") as r:
        result = r.text
"""
    with Script([[reply(b"one")], lambda _: [CLOSE], reply(b"two")]) as server:
        assert run(code, url=server.url) == "two"
        assert [request.body for request in server.requests] == [b"x"] * 3
        assert server.connections == 2


def test_a_new_connection_that_dies_is_not_tried_again():
    with Script([lambda _: [CLOSE], reply()]) as server:
        kind, message = error_of(server.url)
        assert kind == "net" and "without a reply" in message
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer, kind, words",
    [
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", CLOSE], "net", "3 of 10"),
        (
            [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", CLOSE],
            "net",
            "2 bytes",
        ),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n"], "protocol", "chunk"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"], "protocol", "Content-Length"),
        ([b"HTTP/1.1 200 OK\r\nContent-Le", CLOSE], "net", "header"),
        ([b"SSH-2.0-x\r\n"], "protocol", "HTTP"),
        ([b"HTTP/1.1 200 OK\r\nX: " + b"y" * 9000], "protocol", "8192"),
        ([b"HTTP/1.1 200 OK\r\n" + b"X: yyyyyyyyyyyyyy\r\n" * 3000], "protocol", "32768"),
        ([b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n"], "protocol", "'br'"),
    ],
)
def test_a_reply_that_is_wrong_is_an_error_in_words(answer, kind, words):
    with Script([answer]) as server:
        found = error_of(server.url)
    assert found[0] == kind and words in found[1], found


def test_a_server_that_is_not_there_is_named():
    with Script([]) as server:
        pass
    kind, message = error_of(server.url)
    assert kind == "net" and message == f"nothing listens at 127.0.0.1:{server.port}"


def test_a_name_that_does_not_exist_is_named():
    kind, message = error_of("http://no-such-host.invalid/")
    assert (kind, message) == ("net", "cannot resolve no-such-host.invalid")


@pytest.mark.parametrize(
    "limit, words", [("idle_ms", "sent nothing for 0.2 s"), ("total_ms", "0.2")]
)
def test_a_silent_server_meets_a_deadline(limit, words):
    with Script([[b"HTTP/1.1 200 OK\r\n"]]) as server:
        kind, message = error_of(server.url, **{limit: 200})
    assert kind == "timeout" and words in message


@pytest.mark.parametrize(
    "url", ["ftp://x/", "x", "http://", "http://a@b/", "http://a:b/", "http://a b/"]
)
def test_what_is_no_address_is_refused(url):
    assert error_of(url)[0] == "config"


@pytest.mark.parametrize(
    "name, value", [("X", "a\r\nY: b"), ("X\n", "a"), ("", "a"), ("X: y", "a")]
)
def test_a_header_cannot_bring_another_one(name, value):
    assert error_of("http://127.0.0.1:1/", headers={name: value})[0] == "config"


def test_307_replays_the_body_and_303_of_a_post_is_given_back():
    code = """
from net import http
with http.request("POST", url, data="body", headers={"Authorization": "Bearer x"}) as r:
    result = r.status_code
"""
    moved = "Location: /mcp/"
    with Script([reply(b"", "307 T", moved), reply(b"", "303 T", moved)]) as server:
        assert run(code, url=server.url) == 303
        assert [r.body for r in server.requests] == [b"body", b"body"]
        assert server.requests[1].line.startswith("POST /mcp/ ")
        assert server.requests[1].header("Authorization") == "Bearer x"


def test_a_redirect_to_another_origin_does_not_take_secrets_along():
    code = """
from net import http
headers = {"Authorization": "Bearer x", "X-Api-Key": "k", "X-My-Token": "y", "Accept": "a/b"}
with http.request("GET", url, headers=headers) as r:
    result = r.status_code
"""
    with Script([reply(b"")]) as other:
        with Script([reply(b"", "302 Found", f"Location: {other.url}/x")]) as server:
            assert run(code, url=server.url) == 200
        (request,) = other.requests
    assert [name for name, _ in request.headers] == ["Host", "Accept", "Accept-Encoding"]


def test_redirects_in_a_ring_end():
    with Script([reply(b"", "302 Found", "Location: /")] * 9) as server:
        kind, message = error_of(server.url)
        assert kind == "protocol" and "ring" in message
        assert len(server.requests) == 6


def test_no_socket_stays_open_whatever_happened():
    code = """
from net import http
from net.errors import Error
import gc, os
def count():
    gc.collect()
    return len(os.listdir("/proc/self/fd"))
before = count()
for i in range(40):
    try:
        with http.request("GET", url) as r:
            r.json()
    except (Error, ValueError):
        pass
http.close_idle()
result = count() - before
"""
    bad = [
        [b"nonsense\r\n", CLOSE],
        json_reply(b"{}"),
        [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", CLOSE],
    ]
    with Script([*(bad * 14)]) as server:
        assert run(code, url=server.url) == 0


def test_a_megabyte_is_read_in_a_small_heap():
    code = """
from net import http
buf = bytearray(256)
n = total = 0
with http.request("GET", url) as r:
    while True:
        n = r.readinto(buf)
        if not n:
            break
        total += n
result = total
"""
    with Script([reply(b"x" * 1_000_000)]) as server:
        assert run(code, heap=96, url=server.url) == 1_000_000
