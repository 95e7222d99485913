"""The styles on recorded traffic, judged by what the official SDKs read in the same bytes."""

import json

import pytest
from device import ROOT, run

CASSETTES = ROOT.parent / "shared" / "wire" / "cassettes"
STYLES = {"anthropic": "anthropic", "gemini": "gemini"}

pytestmark = pytest.mark.skipif(not CASSETTES.exists(), reason="the recordings are not here")

CODE = """
from ai import styles
from net import sse
from net.errors import Error

class Source:
    def __init__(self, data, step):
        self.data, self.step, self.at = data, step, 0
    def readinto(self, buf):
        piece = self.data[self.at:self.at + min(self.step, len(buf))]
        buf[:len(piece)] = piece
        self.at += len(piece)
        return len(piece)

def read(style, status, streamed, body, step):
    body = body.encode()
    if status != 200:
        error = style.error(status, body)
        return {"error": [error.kind, error.message, error.hint, error.wait]}
    state = {"options": {"reasoning": "reasoning_content"}}
    deltas = []
    try:
        for event in sse.events(Source(body, step)) if streamed else [("", body, None, None)]:
            deltas.extend(style.feed(state, event))
        deltas.extend(style.feed(state, None))
    except Error as error:
        return {"deltas": deltas, "error": [error.kind, error.message, error.hint, error.wait]}
    return {"deltas": deltas}

result = [read(styles.load(row[0]), *row[1:]) for row in rows]
"""


def recordings():
    """(name, recording, what the SDK read) of all exchanges with a model."""
    oracle = json.loads((CASSETTES / "ORACLE.json").read_text())
    for name in sorted(oracle):
        yield name, json.loads((CASSETTES / f"{name}.json").read_text()), oracle[name]


def is_stream(recording):
    headers = {k.lower(): v for k, v in recording["response"]["headers"].items()}
    return "event-stream" in headers.get("content-type", "")


def body_of(recording):
    body = recording["response"]["body"]
    return body if isinstance(body, str) else json.dumps(body)


@pytest.fixture(scope="module", params=[1, 7, 512], ids=lambda step: f"{step} bytes at a time")
def read(request):
    """{name: what the style read}"""
    names, rows = [], []
    for name, recording, _ in recordings():
        style = STYLES.get(name.split("/")[0], "openai")
        status = recording["response"]["status"]
        names.append(name)
        rows.append([style, status, is_stream(recording), body_of(recording), request.param])
    return dict(zip(names, run(CODE, heap=16384, timeout=120, rows=rows), strict=True))


def text_of(deltas, kind="text"):
    return "".join(delta[1] for delta in deltas if delta[0] == kind)


def calls_of(deltas):
    calls = {}
    for delta in deltas:
        if delta[0] == "call":
            calls[delta[1]] = [delta[2], ""]
        elif delta[0] == "args":
            calls[delta[1]][1] += delta[2]
    return list(calls.values())


def wanted_args(call):
    args = call.get("args", call.get("arguments", call.get("input")))
    if not isinstance(args, str):
        return args or {}
    try:
        return json.loads(args or "{}") or {}
    except ValueError:
        return args


def got_args(text):
    try:
        return json.loads(text or "{}") or {}
    except ValueError:
        return text


def test_text_and_calls_are_those_that_the_sdk_read(read):
    wrong = []
    for name, _, oracle in recordings():
        if "error" in oracle or "text" not in oracle:
            continue
        deltas = read[name].get("deltas", [])
        calls = [[call["name"], wanted_args(call)] for call in oracle.get("tool_calls") or ()]
        found = [[name_, got_args(text)] for name_, text in calls_of(deltas)]
        if text_of(deltas) != (oracle["text"] or "") or found != calls:
            wrong.append((name, text_of(deltas)[:80], (oracle["text"] or "")[:80], found, calls))
    assert not wrong, f"{len(wrong)}: {wrong}"


def test_errors_say_what_the_provider_said(read):
    wrong = []
    for name, _, oracle in recordings():
        if "error" not in oracle:
            continue
        error = read[name].get("error")
        if not error and read[name]["deltas"][-1] == ["stop", "end"]:
            continue  # a framing that the SDK does not take and we do
        if not error or not error[1] or not error[2]:
            wrong.append((name, read[name]))
    assert not wrong, wrong


def test_no_error_shows_a_key_or_an_account(read):
    import re

    for name, found in read.items():
        if "error" in found:
            assert not re.search(
                r"[sa]k-\w{4}|org-\w{6}|org_\w{6}|AIza\w{6}", str(found["error"])
            ), name


def test_every_reply_ends_with_its_reason(read):
    for name, _, oracle in recordings():
        deltas = read[name].get("deltas")
        if deltas and "error" not in read[name]:
            assert deltas[-1][0] == "stop", name
            if oracle.get("finish"):
                assert deltas[-1][1] != "cut", name
