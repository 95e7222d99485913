"""The stream on which a server asks what belongs to no request (2025-11-25, Listening for
Messages from the Server). It is opened around a call whose caller can be asked something.

with Listener(conn, serve) as listener: source = Watched(response, listener, link)

Some servers put their questions there although a call waits for the answer (the official
TypeScript SDK does for a plain server.request). So both streams have to be watched at once.
"""

import io
import time

from micropython import const

from mcp import wire
from net.errors import Error

_HEAD_MS = const(2000)
_EVENTS_MAX = const(16384)
_POLL_MS = const(20)
_POLLIN = const(1)
_AGAIN_MS = const(50)
_AGAIN_MAX = const(800)
_PLAN = (None, (), (_EVENTS_MAX, _EVENTS_MAX), 0)


class Listener:
    """The stream, if the server offers it; serve(values) is called with each message of it."""

    def __init__(self, conn, serve):
        self._serve = serve
        self._data = bytearray()
        self._response = None
        self._open(conn)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __bool__(self):
        return self._response is not None

    def close(self):
        """Close the stream; twice is once."""
        response, self._response = self._response, None
        if response:
            response.close()

    def look(self):
        """Pass on what has come, without waiting; returns whether something has."""
        came = False
        try:
            while self._response and is_ready(self._response):
                came = True
                self._take()
        except Error:
            self.close()  # it was an offer; the call goes on without it
        return came

    # A server may take a moment to notice that the stream of the call before has ended (409).
    def _open(self, conn):
        wait = _AGAIN_MS
        while conn.listens:
            try:
                response = conn.link.listen(conn.fields(), _HEAD_MS)
            except Error:
                conn.listens = False
                return
            if response.status_code == 200:
                self._response = response
                return
            response.close()
            if response.status_code != 409 or wait > _AGAIN_MAX:
                conn.listens = response.status_code == 409
                return
            time.sleep_ms(wait)
            wait *= 2

    # What has come is kept until the empty line that ends an event.
    def _take(self):
        buf = bytearray(256)
        n = self._response.readinto(buf)
        if not n or len(self._data) + n > _EVENTS_MAX:
            self.close()
            return
        self._data.extend(memoryview(buf)[:n])
        data = bytes(self._data)
        end = max(data.rfind(b"\n\n") + 2, data.rfind(b"\n\r\n") + 3, data.rfind(b"\r\r") + 2)
        if end < 4:
            return
        self._data = bytearray(data[end:])
        for kind, values in wire.events(io.BytesIO(data[:end]), _PLAN, {}):
            if kind == "message" and ("method",) in values:
                self._serve(values)


class Watched:
    """A response whose reader looks at a Listener while there is nothing to read."""

    def __init__(self, response, listener, link):
        self.headers = response.headers
        self.status_code = response.status_code
        self._response = response
        self._listener = listener
        self._link = link

    def readinto(self, buf):
        """As that of the response. Error "timeout" if neither brings anything."""
        since = time.ticks_ms()
        while self._listener and not is_ready(self._response):
            if self._listener.look():
                since = time.ticks_ms()
            elif time.ticks_diff(time.ticks_ms(), since) > self._link.idle_ms:
                words = "%s sent nothing for %g s" % (self._link.name, self._link.idle_ms / 1000)
                raise Error("timeout", words, "the same again, or a longer timeout")
            else:
                time.sleep_ms(_POLL_MS)
        return self._response.readinto(buf)


def is_ready(response):
    """Whether a response can be read without waiting: a byte of its body, or its end."""
    connection, body = response._connection, response.raw
    if connection is None or body.done:
        return True
    # The line end after a chunk is none of its bytes.
    framing = 2 if body._chunked and not body._left else 0
    return connection._end - connection._start > framing or connection._ready(_POLLIN, 0)
