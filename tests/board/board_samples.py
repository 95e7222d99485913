"""Small programs for a board under test, and the console that talks to it."""

import time

import serial

BOOT = 'print("boot.py runs")\n'

# A console as a user's program writes one: poll, read a character, echo it.
LOOP = """\
import select
import sys

poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
print("loop ready")
try:
    while True:
        if poll.poll(1000):
            sys.stdout.write("<" + sys.stdin.read(1) + ">")
except KeyboardInterrupt:
    print("loop left")
"""

BUSY = """\
print("bu" + "sy")
while True:
    pass
"""

PROMPT = b">>> "
RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"


class Console:
    """A serial client that waits for what it expects, up to a deadline."""

    def __init__(self, url: str):
        self.port = serial.serial_for_url(url, timeout=0)
        self._unread = b""

    def expect(self, what: bytes, seconds: float = 5) -> bytes:
        """All that comes up to and with `what`; fails when it does not come in time."""
        end = time.monotonic() + seconds
        while what not in self._unread:
            assert time.monotonic() < end, f"{what!r} did not come, but {self._unread[-400:]!r}"
            data = self.port.read(4096)
            self._unread += data
            if not data:
                time.sleep(0.001)
        seen, _, self._unread = self._unread.partition(what)
        return seen + what

    def type(self, text):
        self.port.write(text if isinstance(text, bytes) else text.encode())

    def run(self, line: str) -> str:
        """What a line at the friendly prompt prints."""
        self.type(line + "\r")
        self.expect(b"\r\n")
        return self.expect(PROMPT)[: -len(PROMPT)].decode()

    def paste(self, code: str):
        """Start a program of several lines from the friendly prompt, in paste mode."""
        self.type(b"\x05")
        self.expect(b"=== ")
        for line in code.splitlines():
            self.type(line + "\r")
            self.expect(b"\r\n=== ")
        self.type(b"\x04")
        self.expect(b"\r\n")

    def busy(self):
        """Start a program that never ends; it runs when this returns."""
        self.paste(BUSY)
        self.expect(b"busy\r\n")

    def prompt(self):
        """Come to a fresh prompt, whatever lies unread."""
        self.type("\rprint(40 + 2, 'marks')\r")
        self.expect(b"42 marks\r\n" + PROMPT)

    def close(self):
        self.port.close()
