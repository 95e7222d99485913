"""What the console writes: clean text, dim lines, errors with their hint.

out = Screen(sys.stdout.write, color=True)
out.write("text\\n"); out.clean(text_of_a_model); out.dim("[get_weather ...]"); out.error(error)

Text that others wrote (models, tools, servers) goes through `clean`: it cannot drive the terminal.
"""


class Screen:
    """One terminal. `color` allows escape sequences of our own; it may be changed.

    ask(prompt, mask=False) reads a line from the person while a command runs: None for Ctrl-D,
    KeyboardInterrupt for Ctrl-C. The console puts it there.
    """

    ask = None

    def __init__(self, write, color=True):
        self._write = write
        self.color = color
        self._fresh = True  # at the start of a line

    def write(self, text):
        """Write text as it is."""
        if text:
            self._write(text)
            self._fresh = text[-1] == "\n"

    def clean(self, text):
        """Write text of others."""
        self.write(clean(text))

    def fresh(self):
        """Go to the start of a line, if not there."""
        if not self._fresh:
            self.write("\n")

    def dim(self, text):
        """Write a line of others' text that steps back behind the rest."""
        self.fresh()
        text = clean(text)
        self.write("\x1b[2m%s\x1b[0m\n" % text if self.color else text + "\n")

    def stop(self, why):
        """Say that a reply is not whole, if it ended for such a reason."""
        if why in ("length", "filter"):
            self.dim("[the provider cut the reply: %s]" % why)

    def error(self, error):
        """Say what went wrong and what to try, one line each; takes a net.errors.Error."""
        self.fresh()
        self.write("ai: " + short(error.message, 300) + "\n")
        if error.hint:
            self.write("  try: " + short(error.hint, 300) + "\n")


def clean(text):
    """Text without the characters that drive a terminal: C0 but LF and TAB, DEL, C1."""
    for char in text:
        if _drives(char):
            return "".join(char for char in text if not _drives(char))
    return text


def _drives(char):
    return char < " " and char not in "\n\t" or "\x7f" <= char < "\xa0"


def short(text, limit):
    """Text of others in one line of at most `limit` characters, cut with "..."."""
    # No more than can be shown is looked at: it may be long.
    cut = len(text) > 2 * limit
    line = " ".join(clean(text[: 2 * limit]).split())
    if cut or len(line) > limit:
        line = line[: limit - 4] + " ..."
    return line
