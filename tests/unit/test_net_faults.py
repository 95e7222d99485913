"""net.conn and net.words: what goes wrong below HTTP, said in words."""

import sys

from fake_net import WAIT, IdlePoll, Net, Socket
from net import http, tls, words
from net.errors import Error

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def get(url="http://h/", **more):
    with http.request("GET", url, **more) as r:
        return r.content


def error_of(function):
    try:
        function()
    except Error as error:
        return error
    raise AssertionError("no error")


class Tls:
    """tls.wrap that raises the errors of a list one by one, then works."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.wrapped = []

    def __call__(self, sock, host):
        self.wrapped.append(host)
        if self.errors:
            raise self.errors.pop(0)
        return sock

    def __enter__(self):
        self._before, tls.wrap = tls.wrap, self
        return self

    def __exit__(self, *_):
        tls.wrap = self._before


def test_a_name_that_does_not_resolve_is_named_whatever_the_port_says():
    for addresses in (OSError(-202), OSError(-2), 0):
        with Net([], addresses=addresses):
            error = error_of(get)
        assert (error.kind, error.message) == ("net", "cannot resolve h"), error.message
        assert "Wi-Fi" in error.hint


def test_a_packet_does_not_wait_for_the_answer_to_the_one_before():
    try:
        for refuses in (None, OSError(22), ValueError()):  # not every port knows TCP_NODELAY
            Socket.refuses = refuses
            with Net([[OK]]) as net:
                assert get() == b"ok"
                assert net.sockets[0].options == [(6, 1, 1)]
    finally:
        Socket.refuses = None


def test_all_addresses_of_a_host_are_tried_before_it_fails():
    with Net([[OSError(111)], [OSError(113)], [OK]], addresses=3) as net:
        assert get() == b"ok"
        assert [sock.closed for sock in net.sockets] == [1, 1, 0]
    with Net([[OSError(113)], [OSError(111)]], addresses=2) as net:
        assert error_of(get).message == "nothing listens at h"
        assert net.open() == 0


def test_the_number_of_a_socket_error_is_told_in_words():
    for number, text in (
        (111, "nothing listens at h:1"),
        (61, "nothing listens at h:1"),
        (104, "h:1 closed the connection"),
        (54, "h:1 closed the connection"),
        (128, "h:1 closed the connection"),
        (-0x7280, "h:1 closed the connection"),
        (113, "no way to h:1"),
        (118, "no way to h:1"),
        (101, "no network to reach h:1"),
        (110, "h:1 does not answer"),
        (116, "h:1 does not answer"),
    ):
        error = words.explain(OSError(number), "h:1")
        assert (error.kind, error.message) == ("net", text), (number, error.message)
        assert error.hint


def test_another_number_keeps_its_name():
    error = words.explain(OSError(-0x7780, "MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE"), "h")
    assert error.message == "h: connection failed (MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE)"


def test_every_allocation_that_fails_inside_tls_is_a_lack_of_memory():
    for error in (
        OSError(12),
        OSError(16),
        OSError(105),
        OSError(-17040),
        OSError(-17040, "MBEDTLS_ERR_RSA_PUBLIC_FAILED+MBEDTLS_ERR_MPI_ALLOC_FAILED"),
        OSError(-0x4290),
        OSError(-0x7F00),
        OSError(-0x2880, "MBEDTLS_ERR_X509_ALLOC_FAILED"),
        MemoryError(),
    ):
        found = words.explain(error, "h")
        assert found.kind == "memory" and "h (TLS takes about 40 KB)" in found.message, error
    for number in (-0x7280, -0x2700, -0x7780, -2, 104):
        assert words.explain(OSError(number), "h").kind == "net", number


def test_a_lack_of_memory_for_tls_is_tried_once_more_with_all_others_closed():
    for error in (OSError(-17040), OSError(16), OSError(12), MemoryError()):
        with Net([[OK], [OK], [OK]], poll=IdlePoll) as net, Tls(error) as wrap:
            assert get("http://other/") == b"ok"
            assert get("https://h/") == b"ok"
            assert wrap.wrapped == ["h", "h"]
            assert [sock.closed for sock in net.sockets] == [1, 1, 0]


def test_a_lack_of_memory_that_stays_is_an_error_and_leaves_no_socket():
    for error in (OSError(-17040), MemoryError()):
        with Net([[OK], [OK], [OK]], poll=IdlePoll) as net, Tls(error, error) as wrap:
            assert error_of(lambda: get("https://h/")).kind == "memory"
            assert len(wrap.wrapped) == 2 and net.open() == 0


def test_a_handshake_that_lacks_memory_is_tried_once_more():
    with Net([[OK], [OK]], poll=IdlePoll) as net, Tls():
        write = Socket.write
        failed = []

        def short(self, data):
            if not failed:
                failed.append(1)
                raise OSError(-17040)
            return write(self, data)

        Socket.write = short
        try:
            assert get("https://h/") == b"ok"
        finally:
            Socket.write = write
        assert [sock.closed for sock in net.sockets] == [1, 0]


def test_a_lack_of_memory_after_the_request_went_out_sends_it_no_second_time():
    def body():
        yield b"x" * 3000
        if walks:
            raise MemoryError
        walks.append(1)

    walks = []
    with Net([[OK], [OK]]) as net:
        error = error_of(lambda: http.request("POST", "http://h/", data=body))
        assert error.kind == "memory"
        assert len(net.sockets) == 1 and net.open() == 0


def test_a_second_tls_session_takes_the_room_of_the_first():
    with Net([[OK], [OK], [OK]], poll=IdlePoll) as net, Tls():
        assert get("https://a/") == b"ok"
        assert get("https://b/") == b"ok"
        assert [sock.closed for sock in net.sockets] == [1, 0]


def test_a_peer_that_ends_in_the_handshake_may_be_asked_again():
    with Net([[OK]], poll=IdlePoll) as net, Tls():
        write = Socket.write

        def gone(self, data):
            raise OSError(-0x7280)

        Socket.write = gone
        try:
            error = error_of(lambda: get("https://h/"))
        finally:
            Socket.write = write
        assert (error.kind, error.message, error.wait) == ("net", "h closed the connection", 0)
        assert net.open() == 0


def test_a_certificate_that_does_not_hold_is_told_with_its_reason():
    reason = "The certificate is not correctly signed by the trusted CA\n"
    error = words.explain(ValueError(reason), "h")
    assert error.kind == "net"
    assert error.message == "h cannot be trusted: " + reason.strip()


def test_a_certificate_is_not_blamed_for_a_clock_that_is_not_set():
    class Clock:
        def localtime(self):
            return (2000, 1, 1, 0, 0, 0, 5, 1)

    before, words.time = words.time, Clock()
    try:
        error = words.explain(ValueError("The certificate validity starts in the future\n"), "h")
    finally:
        words.time = before
    assert "while the clock says 2000" in error.message and "ntptime" in error.hint


def test_wi_fi_that_is_off_is_told_before_anything_is_asked_of_it():
    class Station:
        def isconnected(self):
            return False

    class Network:
        STA_IF = 0

        def WLAN(self, kind):
            return Station()

    sys.modules["network"] = Network()
    try:
        for url in ("http://h/", "http://10.0.0.2/"):
            with Net([[OK]]) as net:
                error = error_of(lambda url=url: get(url))
                assert error.message == "Wi-Fi is not connected" and not net.sockets
    finally:
        del sys.modules["network"]


def test_a_kept_connection_that_turns_out_dead_is_made_anew_once():
    with Net([[OK, OSError(104)], [OK]], poll=IdlePoll) as net:
        assert get() == b"ok" and get() == b"ok"
        assert [sock.closed for sock in net.sockets] == [1, 0]


def test_a_kept_connection_that_dies_after_its_first_byte_is_not():
    with Net([[OK, b"HTTP/1.1", OSError(104)], [OK]], poll=IdlePoll) as net:
        assert get() == b"ok"
        assert error_of(get).kind == "net"
        assert len(net.sockets) == 1 and net.open() == 0


def test_a_new_connection_that_breaks_before_a_byte_may_be_tried_by_the_caller():
    for pieces in ([], [WAIT, OSError(104)], [WAIT]):
        with Net([pieces], poll=IdlePoll) as net:
            error = error_of(get)
            assert (error.kind, error.wait, error.status) == ("net", 0, 0)
            assert len(net.sockets) == 1 and net.open() == 0


def test_an_answer_that_comes_before_the_request_is_out_is_read():
    with Net([[b"HTTP/1.1 413 Large\r\nContent-Length: 3\r\n\r\nbig", OSError(104)]]) as net:
        write = Socket.write

        def gone(self, data):
            if self.sent:
                raise OSError(104)
            return write(self, data)

        Socket.write = gone
        try:
            with http.request("POST", "http://h/", data=lambda: [b"x" * 500] * 9) as r:
                assert (r.status_code, r.content) == (413, b"big")
        finally:
            Socket.write = write
        assert net.open() == 0


def test_a_body_that_can_be_read_once_is_refused():
    with Net([[OK]]) as net:
        error = error_of(lambda: http.request("POST", "http://h/", data=(b"" for _ in "ab")))
        assert error.kind == "config" and "twice" in error.message and not net.sockets


def test_a_body_that_changes_between_counting_and_sending_is_not_sent():
    for sizes in ([3, 4], [4, 3]):
        left = list(sizes)
        with Net([[OK], [OK]]) as net:
            error = error_of(
                lambda left=left: http.request(
                    "POST", "http://h/", data=lambda: [b"x"] * left.pop(0)
                )
            )
            assert error.kind == "request" and net.open() == 0
            assert not net.sockets[0].sent.endswith(b"x" * 4)


def test_pieces_of_text_are_counted_and_sent_as_their_bytes():
    with Net([[OK], [OK]]) as net:
        for data in ("\xe4", ["\xe4"]):
            http.request("POST", "http://h/", data=data).close()
            sent = net.sockets[0].sent
            assert b"Content-Length: 2\r\n" in sent and sent.endswith(b"\r\n\r\n\xc3\xa4"), sent


def test_a_request_without_a_body_says_so_where_one_is_expected():
    for method, said in (("POST", True), ("PUT", True), ("GET", False), ("DELETE", False)):
        with Net([[OK]]) as net:
            http.request(method, "http://h/").close()
            assert (b"Content-Length: 0\r\n" in net.sockets[0].sent) is said, method


def test_a_header_cannot_make_the_request_end_elsewhere():
    headers = {"Content-Length": "1", "transfer-encoding": "chunked", "X": b"y"}
    with Net([[OK]]) as net:
        http.request("POST", "http://h/", data=b"abc", headers=headers).close()
        head = net.sockets[0].sent.lower()
    assert head.count(b"content-length") == 1 and b"content-length: 3\r\n" in head
    assert b"transfer-encoding" not in head and b"\r\nx: y\r\n" in head


def test_a_method_cannot_bring_a_line_of_its_own():
    for method in ("GET / HTTP/1.1\r\nX: y", "GET X", "", "G\xe4"):
        error = error_of(lambda method=method: http.request(method, "http://h/"))
        assert error.kind == "config", method


def test_a_host_can_be_given_another_name():
    with Net([[OK]]) as net:
        http.request("GET", "http://10.0.0.2/", headers={"Host": "h"}).close()
        assert (
            net.sockets[0].sent.count(b"Host:") == 1 and b"\r\nHost: h\r\n" in net.sockets[0].sent
        )


def test_a_user_and_a_password_go_as_a_header():
    with Net([[OK]]) as net:
        http.request("GET", "http://h/", auth=("Aladdin", "open sesame")).close()
        assert b"\r\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n" in net.sockets[0].sent


def test_the_head_of_a_request_is_one_packet_with_the_start_of_its_body():
    with Net([[OK]]):
        write = Socket.write
        writes = []
        Socket.write = lambda self, data: writes.append(len(data)) or write(self, data)
        try:
            http.request("POST", "http://h/", data=lambda: [b"x" * 100] * 30).close()
        finally:
            Socket.write = write
    assert len(writes) == 4 and writes[:3] == [1024] * 3, writes
