"""The MCP client against the official Python SDK, in both eras and both kinds of replies, and
beside the official client on the same calls."""

import json
import logging

import anyio
import pytest
from device import run
from mcp.client import Client
from mcp_sdk_server import EMOJI, NAMES, SdkServer
from mcp_types import ElicitResult

START = """
import json
import mcp
from mcp import eras
from net.errors import Error

def connect(**more):
    if era == "legacy":
        eras._known[url] = ("legacy",)
    return mcp.connect(url, **more)

def asked(message, schema):
    return {"count": 5}
"""
CALL = """
with connect(on_elicit=asked) as c:
    try:
        result = c.call_text(name, json.dumps(args))
    except Error as error:
        result = [error.kind, str(error)]
"""
CALLS = (
    ("echo", {"text": EMOJI}),
    ("blocks", {}),
    ("structured", {}),
    ("fail", {}),
    ("slow", {}),
    ("ask", {}),
)


@pytest.fixture(scope="module", params=["events", "json"])
def server(request):
    with SdkServer(tools=40, page=12, json=request.param == "json") as server:
        server.streams = request.param == "events"
        yield server


@pytest.fixture(params=["modern", "legacy"])
def era(request):
    return request.param


@pytest.fixture(autouse=True)
def quiet():
    logging.getLogger("mcp").setLevel(logging.CRITICAL)


def drive(server, era, code, **names):
    return run(START + code, url=server.url, era=era, **names)


def test_both_eras_are_spoken(server, era):
    code = "with connect() as c: result = [c.era, c.version, c.server]"
    version = {"modern": "2026-07-28", "legacy": "2025-11-25"}[era]
    assert drive(server, era, code) == [era, version, "sdk"]


def test_all_pages_of_tools_are_listed_with_schemas_as_they_are(server, era):
    code = "with connect() as c: result = [[n, d.decode(), s.decode()] for n, d, s in c.entries()]"
    rows = drive(server, era, code)
    more = [f"tool_{i:03d}" for i in range(40)]
    # A tool that declares a header in a wrong way must not be used in the modern era.
    names = [name for name in NAMES if name != "bad_header" or era == "legacy"]
    assert [row[0] for row in rows] == names + more
    assert json.loads(rows[0][1]) == f"echo: {EMOJI}"
    assert json.loads(rows[-1][2])["properties"]["p"]["description"] == "d" * 200


@pytest.mark.parametrize("name, args", CALLS, ids=[row[0] for row in CALLS])
def test_a_call_gives_what_the_official_client_gets(server, era, name, args):
    if era == "legacy" and name == "ask" and not server.streams:
        pytest.skip("a reply in JSON cannot carry a question (nor does the SDK's client get one)")
    ok, shown = drive(server, era, CALL, name=name, args=args)
    theirs = anyio.run(_official, server.url, era, name, args)
    assert ok is not theirs.is_error
    texts = [block.text for block in theirs.content if block.type == "text"]
    if texts:
        assert "\n".join(texts) == shown.partition("\n[")[0]
    else:
        assert json.loads(shown) == theirs.structured_content
    if name == "blocks":
        assert shown.splitlines()[1:] == [
            "[image image/png, 8 bytes]",
            "[audio audio/wav, 9000 bytes]",
            "[resource note://1]",
            "inside",
            "[resource note://2: image/png, 8 bytes]",
            "[link file:///a.txt: a.txt]",
        ]


async def _official(url, era, name, args):
    mode = "auto" if era == "modern" else "legacy"
    async with Client(url, mode=mode, elicitation_callback=_accept) as client:
        return await client.call_tool(name, args)


async def _accept(context, params):
    return ElicitResult(action="accept", content={"count": 5, "name": "Jo"})


def test_an_unknown_tool_is_an_error_with_the_words_of_the_server(server, era):
    kind, words = drive(server, era, CALL, name="nix", args={})
    assert kind == "request" and "Unknown tool: nix" in words


def test_progress_is_shown(server, era):
    code = """
seen = []
with connect(on_progress=lambda *a: seen.append(a)) as c:
    c.call("slow")
result = seen
"""
    expected = [[i, 3, f"step {i}"] for i in (1, 2, 3)] if server.streams else []
    assert drive(server, era, code) == expected


def test_what_the_server_asks_of_its_own_is_answered(server):
    if not server.streams:
        pytest.skip("a reply in JSON is waited for in one go")
    ok, shown = drive(server, "legacy", CALL, name="ping", args={})
    assert ok and shown == "pong {}"
    kind, words = drive(server, "legacy", CALL, name="roots", args={})
    assert kind == "request" and "not offered" in words


def test_an_argument_goes_as_a_header_too(server):
    assert drive(server, "modern", CALL, name="header", args={"town": "Zürich"}) == [
        True,
        "=?base64?WsO8cmljaA==?=",
    ]


def test_a_megabyte_comes_capped(server, era):
    ok, shown = drive(server, era, CALL, name="say", args={"size": 1000000})
    assert ok and shown.endswith("x\n[cut: 8192 of 1000000 bytes]") and len(shown) < 8300


def test_ctrl_c_reaches_the_tool(era):
    code = """
def stop(*_):
    raise KeyboardInterrupt
try:
    with connect(on_progress=stop) as c:
        c.call("slow", {"seconds": 30})
except KeyboardInterrupt:
    result = "stopped"
"""
    with SdkServer() as server:
        assert drive(server, era, code) == "stopped"
        assert server.saw(("cancelled", None))


def test_a_token_is_wanted_and_taken(era):
    code = """
result = []
for token in (None, "wrong", "t0ken"):
    try:
        with connect(token=token) as c:
            result.append(c.call("echo", {"text": "in"}))
    except Error as error:
        result.append([error.kind, str(error), error.challenge])
"""
    with SdkServer(token="t0ken") as server:
        none, wrong, right = drive(server, era, code)
        for kind, words, challenge in (none, wrong):
            assert kind == "auth" and "401" in words
            assert challenge["scheme"] == "Bearer" and challenge["resource_metadata"]
        assert right == "in"


def test_a_server_without_sessions_is_served_too():
    with SdkServer(stateless=True) as server:
        assert drive(server, "legacy", CALL, name="echo", args={"text": "x"}) == [True, "x"]


def test_a_server_that_was_started_anew_is_taken_up_again(era):
    with SdkServer() as server:
        code = """
from store import paths
paths.DATA = "data"
from mcp import registry
registry.add("w", url)
if era == "legacy":
    eras._known[url] = ("legacy",)
first = registry.run("w", "echo", '{"text": "1"}')
registry._kept[0][1].session = era == "legacy" and "forgotten" or None
result = [first, registry.run("w", "echo", '{"text": "2"}')]
"""
        assert drive(server, era, code) == [[True, "1"], [True, "2"]]
