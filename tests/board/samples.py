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

PROMPT = b">>> "
RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"


class Console:
    """A serial client that waits for what it expects, up to a deadline."""

    def __init__(self, url: str):
        self.port = serial.serial_for_url(url, timeout=0.05)

    def expect(self, what: bytes, seconds: float = 5) -> bytes:
        """All that comes up to and with `what`; fails when it does not come in time."""
        seen, end = b"", time.monotonic() + seconds
        while not seen.endswith(what):
            assert time.monotonic() < end, f"{what!r} did not come, but {seen[-400:]!r}"
            seen += self.port.read(1)
        return seen

    def type(self, text):
        self.port.write(text if isinstance(text, bytes) else text.encode())

    def run(self, line: str) -> str:
        """What a line at the friendly prompt prints."""
        self.type(line + "\r")
        self.expect(b"\r\n")
        return self.expect(PROMPT)[: -len(PROMPT)].decode()

    def prompt(self):
        """Come to a fresh prompt, whatever lies unread."""
        self.type("\rprint(40 + 2, 'marks')\r")
        self.expect(b"42 marks\r\n" + PROMPT)

    def close(self):
        self.port.close()
