"""Bytes of the serial line in, keys out. Knows terminals, not what a key does.

keys = Keys(Serial())
keys.key()          "a", "é", "left", "enter"; "" for what means nothing here

A key is the character itself or a name of more than one letter. CR, LF and CR LF are one
"enter" each. Escape sequences that have no meaning here are swallowed whole.
"""

from micropython import const

# How long the rest of a key may take to come. A serial line at 9600 baud needs 1 ms a byte,
# TCP may hold a packet back for 40.
_REST_MS = const(200)
# mpremote knocks with CR and Ctrl-C in one write.
_KNOCK_MS = const(5)
# ... then sends CR and Ctrl-A in the next.
_TOOL_MS = const(120)
_LONGEST = const(24)

_STOP = const(0x03)
_LF = const(0x0A)
_CR = const(0x0D)
_ESC = const(0x1B)

_CONTROL = (
    (0x01, "home"),
    (0x02, "left"),
    (_STOP, "stop"),
    (0x04, "eof"),
    (0x05, "end"),
    (0x06, "right"),
    (0x08, "back"),
    (0x09, "tab"),
    (_LF, "enter"),
    (0x0B, "kill"),
    (0x0C, "redraw"),
    (_CR, "enter"),
    (0x0E, "down"),
    (0x10, "up"),
    (0x15, "clear"),
    (0x17, "word"),
    (0x7F, "back"),
)
# What stands between ESC [ (or ESC O) and the end.
_SEQUENCES = (
    ("A", "up"),
    ("B", "down"),
    ("C", "right"),
    ("D", "left"),
    ("H", "home"),
    ("F", "end"),
    ("1~", "home"),
    ("7~", "home"),
    ("4~", "end"),
    ("8~", "end"),
    ("3~", "delete"),
)


class Serial:
    """The console of this board, byte for byte. EOFError when there is no line any more."""

    def __init__(self):
        import select
        import sys

        self._stdin = sys.stdin.buffer
        self._poll = select.poll()
        self._poll.register(self._stdin, select.POLLIN)

    def ready(self, ms):
        """Whether a byte is there within `ms`; -1 waits for ever."""
        return bool(self._poll.poll(ms))

    def read(self):
        """The next byte, as a number."""
        data = self._stdin.read(1)
        if not data:
            raise EOFError
        return data[0]


class Keys:
    """The keys of one line; `columns` is the terminal's width once it told it, else 0."""

    def __init__(self, source):
        self.columns = 0
        self._source = source
        self._back = None
        self._after_cr = False

    def key(self):
        """The next key; waits for it."""
        byte = self._byte(-1)
        if byte == _ESC:
            return self._escape()
        if byte < 0x20 or byte == 0x7F:
            return _find(_CONTROL, byte)
        return chr(byte) if byte < 0x80 else self._character(byte)

    def pending(self):
        """Whether more was typed already."""
        if self._back is None:
            self._back = self._byte(0)
        return self._back is not None

    def knocked(self):
        """Whether a Ctrl-C came at the heels of "enter": a tool's knock, no person's."""
        byte = self._byte(_KNOCK_MS)
        if byte == _STOP:
            return True
        self._back = byte
        return False

    # A tool that wants the REPL has sent CR before its Ctrl-C and sends CR, Ctrl-A after it. Those
    # must be left unread for the REPL, so they cannot be told by reading them: what follows two
    # CRs, or one at once after another, is taken for a tool's.
    def tool_waits(self):
        """After Ctrl-C stopped a command: whether who pressed it wants the REPL.

        What a person typed ahead is dropped, as a terminal does. A second Ctrl-C wants the REPL.
        """
        for _ in range(2):
            byte = self._byte(_TOOL_MS)
            if byte is None or byte == _STOP:
                return byte == _STOP
            if byte != _CR:
                return self._drop()
        return self._source.ready(_TOOL_MS)

    # Drops what comes until it is quiet; says whether there was a Ctrl-C in it.
    def _drop(self):
        stop = False
        byte = 0
        while byte is not None:
            byte = self._byte(_TOOL_MS)
            stop = stop or byte == _STOP
        return stop

    # The next byte, or None when none comes in time. The LF of a CR LF is none.
    def _byte(self, ms):
        byte, self._back = self._back, None
        if byte is not None:
            return byte
        if not self._source.ready(ms):
            return None
        byte = self._source.read()
        second = byte == _LF and self._after_cr
        self._after_cr = byte == _CR
        return self._byte(ms) if second else byte

    def _character(self, byte):
        data = bytearray((byte,))
        for _ in range(_more(byte)):
            byte = self._byte(_REST_MS)
            if byte is None or byte & 0xC0 != 0x80:
                self._back = byte
                break
            data.append(byte)
        try:
            text = str(data, "utf-8")
        except UnicodeError:
            return ""
        # U+0080 to U+009F would drive the terminal.
        return text if len(text) == 1 and ord(text) >= 0xA0 else ""

    def _escape(self):
        kind = self._byte(_REST_MS)
        if kind is None or kind < 0x20:
            self._back = kind
            return ""
        return self._sequence() if kind in b"[O" else ""

    def _sequence(self):
        text = ""
        while len(text) < _LONGEST:
            byte = self._byte(_REST_MS)
            if byte is None or byte < 0x20:
                self._back = byte
                return ""
            text += chr(byte)
            if byte >= 0x40:
                break
        if text[-1] == "R":
            self._report(text[:-1])
        return _find(_SEQUENCES, text)

    # The answer to "where is the cursor": ROW;COLUMN.
    def _report(self, text):
        columns = text.split(";")[-1]
        if columns.isdigit():
            self.columns = int(columns)


# How many bytes follow the first one of a character.
def _more(byte):
    return 3 if byte >= 0xF0 else 2 if byte >= 0xE0 else 1 if byte >= 0xC0 else 0


def _find(table, what):
    for row in table:
        if row[0] == what:
            return row[1]
    return ""
