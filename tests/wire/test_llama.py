"""Both styles that the local llama.cpp speaks, against it: real tokens, streamed and whole."""

import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from device import ROOT, run

SERVE = """
import sys
from tools.localmodel.engine import Engine
engine = Engine()
print(engine.url, flush=True)
sys.stdin.read()
"""

CODE = """
from ai import exchange, usetypes
from ai.reply import Reply, fold
from store import paths
paths.DATA = "data"

def ask(parts, tools):
    options = usetypes.options("general", {"provider": provider, "key": "k", "model": "m",
        "url": url + "/v1", "max_tokens": 12, "temperature": 0})
    options["stream"] = streamed
    reply = Reply()
    pieces = 0
    for delta in exchange.run(options, parts, tools):
        pieces += delta[0] == "text"
        fold(reply, delta)
    return [reply.text, reply.stop, reply.usage, pieces]


SCHEMA = b'{"type":"object","properties":{"city":{"type":"string"}}}'
TOOLS = (("get_weather", b'"The weather of a town."', SCHEMA),)
CALLED = (
    ("user", "Is it cold in York?"),
    ("call", "call_1", "get_weather"), ("args", "call_1", '{"city":"York"}'), ("stop", "calls"),
    ("result", "call_1", "get_weather", True, "York: 3 degrees, cold."),
)
result = [ask((("user", "Say hello."),), ()), ask(CALLED, TOOLS)]
"""


@pytest.fixture(scope="module")
def url():
    child = subprocess.Popen(
        [sys.executable, "-c", SERVE],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with child:
        url = child.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), "the engine did not start"
        _wait(child, url)
        yield url
        child.stdin.close()


# 503 while it loads.
def _wait(child, url):
    for _ in range(600):
        assert child.poll() is None
        try:
            urllib.request.urlopen(url + "/health", timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError):
            try:
                child.wait(0.05)
            except subprocess.TimeoutExpired:
                pass
    raise AssertionError("it does not come to load")


@pytest.mark.parametrize("provider", ["ollama", "anthropic"])
@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
def test_a_question_and_a_tool_turn_are_answered(url, provider, streamed):
    plain, called = run(CODE, timeout=120, url=url, provider=provider, streamed=streamed)
    for text, stop, usage, pieces in (plain, called):
        assert text.strip() and stop in ("end", "length")
        assert usage[0] > 5 and 0 < usage[1] <= 12
        assert pieces > 1 if streamed else pieces == 1
    # The result of the tool has reached the model: it makes the prompt longer.
    assert called[2][0] > plain[2][0] + 20


def test_both_styles_read_the_same_words(url):
    texts = {
        run(CODE, timeout=120, url=url, provider=provider, streamed=streamed)[0][0]
        for provider in ("ollama", "anthropic")
        for streamed in (True, False)
    }
    assert len(texts) == 1
