"""Servers that run beside the board, each in a process of its own that ends with its parent.

The parent:  child = Child("tools.weather", ["--port", "0"]); child.report["url"]; child.stop()
The child:   parent = Parent(report_fd, end); parent.ready(url=...)

One socket joins the two. The child sends one line of JSON down it when it is ready (or what went
wrong), and takes its closing for the end of the parent: that works for a parent that crashed or
was killed as well. Serving is not done here.
"""

import json
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

HOST = "127.0.0.1"
_ROOT = Path(__file__).resolve().parents[2]


class ChildError(Exception):
    """The server could not be started."""


class Child:
    """A server in a process of its own, ready when the constructor returns."""

    def __init__(self, module: str, arguments: list, output=None, patience: float = 60):
        self._module = module
        self._link, theirs = socket.socketpair()
        command = [sys.executable, "-m", module, *arguments, "--report", str(theirs.fileno())]
        self._process = subprocess.Popen(
            command,
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output and subprocess.STDOUT,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C is for the parent, which then ends the child
        )
        theirs.close()
        try:
            self.report = self._wait(patience)
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    def stop(self, patience: float = 5):
        """End it; returns when it is gone. Twice is once."""
        self._link.close()
        self._process.terminate()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _wait(self, patience) -> dict:
        self._link.settimeout(patience)
        try:
            with self._link.makefile("rb") as lines:
                line = lines.readline()
        except TimeoutError:
            raise ChildError(f"{self._module} is not ready after {patience:g} s") from None
        if not line:
            raise ChildError(f"{self._module} ended before it was ready")
        report = json.loads(line)
        if "error" in report:
            raise ChildError(report["error"])
        return report


class Parent:
    """The child's end of the link; without a descriptor there is no parent to think of."""

    def __init__(self, descriptor: int | None, end):
        self._link = None
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: end())
        if descriptor is not None:
            self._link = socket.socket(fileno=descriptor)
            threading.Thread(target=self._watch, args=(end,), daemon=True).start()

    def ready(self, **facts):
        """Tell the parent: what it needs to know, or error="..."."""
        if self._link:
            try:
                self._link.sendall(json.dumps(facts).encode() + b"\n")
            except OSError:
                pass  # it is gone; _watch has seen that too

    def _watch(self, end):
        try:
            while self._link.recv(64):
                pass
        except OSError:
            pass
        end()


def listen(port: int) -> socket.socket:
    """A listening socket on this port of 127.0.0.1, or on a free one if it is taken."""
    try:
        return _bind(0 if _answers(port) else port)
    except OSError:
        return _bind(0)


# Asked first: macOS lets a second server bind next to one that listens on all addresses.
def _answers(port) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return port != 0 and probe.connect_ex((HOST, port)) == 0


def _bind(port) -> socket.socket:
    # With the protocol named: asyncio sets TCP_NODELAY on its connections only then.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(64)
    except BaseException:
        listener.close()
        raise
    return listener
