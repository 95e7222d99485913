"""Talks to a board's console as a person would, through pytest-embedded's dut."""

PROMPT = "antos> "
REPL = ">>> "


class Console:
    """The console of a board that runs main.py."""

    def __init__(self, dut, board):
        self.dut = dut
        self.board = board

    def start(self):
        """Come to a fresh prompt from wherever the board is, with default settings."""
        if self.board is None:
            self.restart()
            self._forget()
        self.type("\r")
        self.run("config console.color off")

    def restart(self):
        """Leave what runs, and start anew with a soft reset."""
        self.leave()
        self.type("\x04")
        self.expect("soft reboot")
        self.prompt()

    def leave(self):
        """Leave for the REPL, from wherever the board is."""
        self.type("\r\x03")
        self.type("\r\x02")  # from the raw REPL as well
        self.expect(REPL)

    def type(self, text):
        """Press keys."""
        self.dut.write(text.encode() if isinstance(text, str) else text)

    def expect(self, text, seconds=10):
        """Wait for this text; returns what came before it, with \\n for every line end."""
        before = self.dut.expect_exact(text, timeout=seconds, return_what_before_match=True)
        return before.decode(errors="replace").replace("\r\n", "\n")

    def prompt(self, seconds=10):
        """Wait for the next prompt; returns the lines that came before it."""
        return self.expect("\r\n" + PROMPT, seconds) + "\n"

    def send(self, line):
        """Enter a line, and wait for its echo; what may be typed there is cleared."""
        self.type("\x15" + line + "\r")
        self.expect(line)

    def start_block(self, *lines):
        """Enter the lines of a block and the empty one that ends it."""
        for line in lines:
            self.send(line)
            self.expect("\r\n...... ")
        self.type("\r")

    def run(self, line, seconds=10):
        """What a line prints: from the end of its echo to the next prompt."""
        self.send(line)
        return self.prompt(seconds)[1:]

    def _forget(self):
        for line in self.run("config").splitlines():
            key, equals, _ = line.strip().partition(" = ")
            if equals:
                self.run("config -d " + key)


def complaint(text):
    """Checks that it is one line that says what, and one that says what to try."""
    lines = text.splitlines()
    assert len(lines) == 2, text
    assert lines[0].startswith("ai: ") and lines[1].startswith("  try: "), text
    return lines[0]
