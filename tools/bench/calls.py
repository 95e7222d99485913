"""Calls a second of one tool of the official Python MCP server, over HTTP on the loopback."""

import logging
import sys

from tools.image import ROOT

_COUNT = 200
_START = """
import json, time
import mcp
from mcp import eras
from net import http
n = count
text = "x" * size
"""
_OURS = """
with mcp.connect(url) as c:
    start = time.ticks_us()
    for i in range(n):
        %s
        assert c.call("echo", {"text": text}) == text
    result = n * 1e6 / time.ticks_diff(time.ticks_us(), start)
"""
# What a script does without a client: the same message, a connection each, the whole reply read.
_REQUESTS = """
import requests
body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "echo", "arguments": {"text": text}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "requests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}}}
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
    "Host": url.split("/")[2], "Mcp-Method": "tools/call", "Mcp-Name": "echo",
    "MCP-Protocol-Version": "2026-07-28"}
start = time.ticks_us()
for i in range(n):
    r = requests.post(url, data=json.dumps(body), headers=headers)
    assert json.loads(r.content)["result"]["content"][0]["text"] == text
    r.close()
result = n * 1e6 / time.ticks_diff(time.ticks_us(), start)
"""
_ROWS = (
    ("ours, one connection", _OURS % "pass"),
    ("ours, a connection each", _OURS % "http.close_idle()"),
    ("requests, a connection each", _REQUESTS),
)
_SIZES = (10, 2000)  # characters of the argument and of the result


def rows():
    """Yields (what, calls a second)."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "wire")]
    from device import run
    from mcp_sdk_server import SdkServer

    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    with SdkServer(json=True) as server:
        for size in _SIZES:
            for what, code in _ROWS:
                names = {"url": server.url, "count": _COUNT, "size": size}
                yield f"{size:5} B  {what}", run(_START + code, timeout=120, **names)
