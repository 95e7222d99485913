"""A loopback server that plays recorded replies, in a framing that the test chooses.

with Replay(recordings, "chunked") as server: server.url + "/0/v1" is the first recording

Framings: length (Content-Length), chunked (a chunk per line), bytes (a chunk per byte), close
(no length; the end of the connection ends the reply).
"""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

FRAMINGS = ("length", "chunked", "bytes", "close")
_OURS = ("content-length", "transfer-encoding", "content-encoding", "connection")


class Replay:
    """The server; see the module. requests[i] are the bodies that came for recording i."""

    def __init__(self, recordings, framing):
        self.recordings = list(recordings)
        self.framing = framing
        self.requests = [[] for _ in self.recordings]
        self._web = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._web.replay = self
        self.url = f"http://127.0.0.1:{self._web.server_port}"

    def __enter__(self):
        Thread(target=self._web.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._web.shutdown()
        self._web.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        replay = self.server.replay
        index = int(re.match(r"/(\d+)/", self.path)[1])
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        replay.requests[index].append((self.path, body))
        self._play(replay.recordings[index], replay.framing)

    do_POST = do_GET

    def _play(self, recording, framing):
        body = body_of(recording).encode()
        self.send_response(recording["response"]["status"])
        for name, value in headers_of(recording):
            self.send_header(name, value)
        if framing == "length":
            self.send_header("Content-Length", str(len(body)))
        elif framing == "close":
            self.send_header("Connection", "close")
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if framing in ("length", "close"):
            self.wfile.write(body)
            return
        pieces = body.splitlines(True) if framing == "chunked" else [bytes([b]) for b in body]
        self.wfile.write(b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n")


def body_of(recording) -> str:
    """The reply's body as text."""
    body = recording["response"]["body"]
    return body if isinstance(body, str) else json.dumps(body)


def is_stream(recording) -> bool:
    """Whether the reply is a stream of events."""
    kind = dict(headers_of(recording))["Content-Type"]
    return "event-stream" in kind


def headers_of(recording) -> list:
    """The reply's headers, without those of its framing; the content type is guessed where the
    recorder left it out."""
    headers = recording["response"]["headers"].items()
    found = [(k, str(v)) for k, v in headers if k.lower() not in _OURS + ("content-type",)]
    kind = next((v for k, v in headers if k.lower() == "content-type"), None)
    if not kind:
        streamed = body_of(recording).startswith(("data:", "event:", ":"))
        kind = "text/event-stream" if streamed else "application/json"
    return [("Content-Type", kind), *found]
