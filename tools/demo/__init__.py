"""The tour of a new board, played over its serial console; prints what a person would see.

play(board, lines, out) types lines, each when the prompt is there, and copies the console to out.
"""

import re
import sys

import pexpect.fdpexpect
import serial

PROMPT = "antos> "
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Transcript:
    """Collects what the console printed as plain text, and shows it as it comes."""

    def __init__(self, out):
        self._out = out
        self.text = ""

    def write(self, text: str):
        self.text += text
        self._out.write(_COLOUR.sub("", text.replace("\r", "")))

    def flush(self):
        self._out.flush()

    def plain(self) -> str:
        """All of it, without carriage returns and colours."""
        return _COLOUR.sub("", self.text.replace("\r", ""))


def tour(weather_url: str) -> tuple:
    """The lines that `make run` suggests."""
    return (
        f"mcp add weather {weather_url}",
        "ai -tools",
        "ai do I need a coat in Rochdale?",
        "ai and in Leeds?",
    )


def play(board, lines, out=sys.stdout, patience: float = 120) -> str:
    """Type the lines at the board's console; returns the transcript.

    patience   seconds that one line may take; pexpect.TIMEOUT after it
    """
    transcript = Transcript(out)
    with serial.Serial(board.pty) as port:
        console = pexpect.fdpexpect.fdspawn(port, encoding="utf-8", timeout=patience)
        board.reset()
        # The prompt may be that of the life before; the answer to this is not.
        console.expect_exact(PROMPT)
        console.send("print('here' + 'after')\r")
        console.expect_exact("\nhereafter")
        console.expect_exact(PROMPT)
        console.logfile_read = transcript
        transcript.write(PROMPT)
        for line in lines:
            console.send(line + "\r")
            console.expect_exact(PROMPT)
    out.write("\n")
    # The last prompt waits for a person; there is none.
    return transcript.plain().removesuffix(PROMPT)
