"""What the conformance suite starts: tests/conformance/client."""

import json
import os
import subprocess

import pytest
from device import ROOT
from mcp_peer import Modern, Peer, json_reply, result, tool

CLIENT = ROOT / "tests" / "conformance" / "client"


def start(scenario, url, **context):
    names = {"MCP_CONFORMANCE_SCENARIO": scenario, "MCP_CONFORMANCE_CONTEXT": json.dumps(context)}
    return subprocess.run(
        [CLIENT, url],
        env=os.environ | names,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )


def listing(message):
    return json_reply(result(message, {"tools": [tool("add_numbers"), tool("other")]}))


@pytest.mark.parametrize("era", [Peer, Modern])
def test_a_scenario_runs_on_the_device_code(era):
    with era(tools_list=listing) as peer:
        done = start("tools_call", peer.url)
        assert done.returncode == 0, done.stdout + done.stderr
        assert peer.of("tools/call")[0]["params"]["arguments"] == {"a": 5, "b": 3}


def test_the_context_says_what_to_call():
    calls = [{"name": "other", "arguments": {"x": "ä"}}, {"name": "add_numbers", "arguments": {}}]
    with Modern(tools_list=listing) as peer:
        assert start("http-custom-headers", peer.url, toolCalls=calls).returncode == 0
        sent = [message["params"] for message in peer.of("tools/call")]
        assert [{k: p[k] for k in ("name", "arguments")} for p in sent] == calls


def test_what_goes_wrong_is_an_exit_code_that_is_not_zero():
    with Modern(tools_list=lambda m: json_reply(b"{")) as peer:
        assert start("initialize", peer.url).returncode != 0
