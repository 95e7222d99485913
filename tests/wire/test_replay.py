"""Recorded traffic through all of the device's code: over HTTP, in every framing, and judged by
what the official SDKs read in the same bytes."""

import json
import re

import pytest
from device import ROOT, run
from replay_server import FRAMINGS, Replay

CASSETTES = ROOT.parent / "shared" / "wire" / "cassettes"
PROVIDERS = ("anthropic", "gemini", "groq", "moonshot", "ollama", "openai")
STOPS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "stop": "end",
    "STOP": "end",
    "tool_use": "calls",
    "tool_calls": "calls",
    "max_tokens": "length",
    "length": "length",
    "MAX_TOKENS": "length",
}

pytestmark = pytest.mark.skipif(not CASSETTES.exists(), reason="the recordings are not here")

CODE = """
import ai, gc
from store import paths
paths.DATA = "data"
from net import retry
from net.errors import Error
retry.pause = lambda seconds: None

def said(error):
    return error and [error.kind, error.message, error.hint]

def ask(row):
    gc.collect()
    where, provider, listed = row
    names = {"provider": provider, "key": "k", "url": where}
    if listed:
        return {"models": list(ai.fetch_models(**names))}
    if not provider:
        names["provider"] = None
    reply = ai.ask("x", model="m", **names)
    calls = [[call["name"], call["args"]] for call in reply.calls or ()]
    return {"text": reply.text, "calls": calls, "stop": reply.stop, "usage": reply.usage,
            "error": said(reply.error)}

result = [ask(row) for row in rows]
"""


def names():
    return sorted(
        str(path.relative_to(CASSETTES).with_suffix("")) for path in CASSETTES.glob("*/*.json")
    )


def recording(name):
    return json.loads((CASSETTES / f"{name}.json").read_text())


def row(url, index, name, oracle):
    provider = name.split("/")[0]
    listed = "models" in oracle
    return f"{url}/{index}", provider if provider in PROVIDERS else None, listed


@pytest.fixture(scope="module")
def oracle():
    return json.loads((CASSETTES / "ORACLE.json").read_text())


@pytest.mark.parametrize("framing", FRAMINGS)
def test_every_recording_is_read_as_the_official_sdk_reads_it(framing, oracle, counts):
    wrong = []
    rows = counts.setdefault(framing, {})
    with Replay(map(recording, names()), framing) as server:
        asked = [row(server.url, i, n, oracle.get(n, {})) for i, n in enumerate(names())]
        found = run(CODE, timeout=240, heap=8192, rows=asked)
    for name, got in zip(names(), found, strict=True):
        why = differs(got, oracle.get(name), recording(name))
        count = rows.setdefault(name.split("/")[0], [0, 0])
        count[0] += not why
        count[1] += 1
        if why:
            wrong.append((name, why))
    assert not wrong, "\n".join(map(str, wrong))


def differs(got, wanted, recorded):
    """What is not as the SDK read it, None if all is."""
    if wanted is None:
        return native(got, recorded)
    if "models" in wanted:
        return models(got["models"], wanted["models"])
    if "error" in wanted:
        return error(got, wanted["error"], recorded)
    calls = [[call["name"], arguments(call)] for call in wanted["tool_calls"]]
    found = [[name, value(args)] for name, args in got["calls"]]
    text = (wanted["text"] or "") + (wanted.get("refusal") or "")
    stop = STOPS.get(wanted["finish"])
    if stop is None:  # the stream came to its end without a word why
        stop = "end"
    if calls and stop == "end":
        stop = "calls"
    capped = stop == "length" and not text and not calls
    if bool(got["error"]) != capped:
        return "error", got["error"]
    for what, mine, theirs in (
        ("text", got["text"], text),
        ("calls", found, calls),
        ("stop", got["stop"], stop),
        ("usage", got["usage"], usage(wanted["usage"])),
    ):
        if mine != theirs:
            return what, mine, theirs
    return None


def usage(wanted):
    if not wanted:
        return None
    first = wanted.get("prompt", wanted.get("input"))
    rest = ("completion", "output", "candidates", "thoughts")
    return [first, sum(wanted.get(name) or 0 for name in rest)]


def arguments(call):
    args = call.get("arguments", call.get("args", call.get("input")))
    return value(args) if isinstance(args, str) else args or {}


# A capped reply ends in the middle of an argument.
def value(args):
    try:
        return json.loads(args or "{}")
    except ValueError:
        return args


def models(found, wanted):
    wanted = [id.removeprefix("models/") for id in wanted]
    return None if found and set(found) <= set(wanted) else ("models", found, wanted)


def error(got, wanted, recorded):
    if wanted["cls"] == "UnknownApiResponseError":  # a framing that the SDK does not take
        return None if got["text"] and not got["error"] else ("error", got["error"])
    if not got["error"]:
        return "no error", got
    body = wanted["body"] if isinstance(wanted["body"], dict) else {}
    body = body.get("error") if isinstance(body.get("error"), dict) else body
    said = plain(body.get("message") or wanted["message"])
    shown = got["error"][1].partition(": ")[2]
    if said[:40] not in plain(shown) and plain(shown)[:40] not in said:
        return "words", shown, said
    if not got["error"][2] or got["error"][0] not in kinds(wanted["status"]):
        return "kind or hint", got["error"]
    return None


def kinds(status):
    if status in (401, 403):
        return ("auth",)
    if status == 429:
        return ("rate",)
    if not status or status < 500:
        return ("request", "auth", "overload", "rate")
    return ("overload", "timeout")


# Without accounts: they are not shown.
def plain(words):
    return " ".join(re.sub(r"(org|proj|sk|ak)-[\w*.-]+|\(hidden\)", "_", words).split())


# Ollama's own API, which is not asked for, but understood: no SDK has read these.
def native(got, recorded):
    body = json.loads(recorded["response"]["body"])
    if "error" in body:
        return None if got["error"] and body["error"] in got["error"][1] else got
    calls = [c["function"] for c in body["message"]["tool_calls"]]
    wanted = [[c["name"], c["arguments"]] for c in calls]
    found = [[name, value(args)] for name, args in got["calls"]]
    return None if found == wanted and got["stop"] == "calls" else (found, wanted, got)
