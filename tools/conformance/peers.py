"""Servers that people run, other than the SDK that the tests have: one call each.

for peer in PEERS: peers.install(peer); words = peers.check(peer)
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tools.conformance import suite

_HERE = Path(__file__).parent
_SECONDS = 30
_CODE = """
import mcp
with mcp.connect(url, timeout=20) as c:
    names = [row[0] for row in c.entries()]
    result = [c.era, c.version, len(names), c.call("echo", {"message": "grüße"})]
"""


@dataclass
class Peer:
    """A package, how it is started, and the era that it has to be spoken to in."""

    package: str
    module: str
    era: str

    @property
    def home(self) -> Path:
        return suite.HOME / self.package.replace("==", "-")


PEERS = (
    Peer("mcp==1.30.0", "mcp.server.fastmcp", "legacy"),
    Peer("fastmcp==4.2.3", "fastmcp", "modern"),
    Peer("@modelcontextprotocol/server-everything@2026.8.31", "", "legacy"),
)


def install(peer: Peer) -> None:
    """Install its package under build/conformance, unless it is there."""
    if peer.module:
        suite.pip(peer.home, peer.package)
    else:
        suite.npm(peer.package)


def check(peer: Peer) -> str:
    """Start it, list and call its tools with the device's client; what there was to say. Raises
    AssertionError if it is not right."""
    sys.path.insert(0, str(suite.ROOT / "tests"))
    from device import run

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with _started(peer, port) as process:
        _wait(process, port)
        era, version, count, said = run(_CODE, url=f"http://127.0.0.1:{port}/mcp")
    assert era == peer.era, f"spoken to as {era}, not {peer.era}"
    assert said == "Echo: grüße", f"its echo says {said!r}"
    return f"{era} {version}, {count} tools"


@contextlib.contextmanager
def _started(peer, port):
    environment = os.environ | {"PORT": str(port)}
    if peer.module:
        line = [peer.home / "bin" / "python", _HERE / "peer_server.py", peer.module, str(port)]
    else:
        everything = suite.HOME / "node_modules" / "@modelcontextprotocol" / "server-everything"
        line = [suite.node(), everything / "dist" / "index.js", "streamableHttp"]
        environment["NODE_OPTIONS"] = f"--require {_HERE / 'loopback.cjs'}"
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(
        list(map(str, line)), env=environment, stderr=subprocess.DEVNULL, **quiet
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(process, port):
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError(f"it does not listen (exit {process.poll()})")
