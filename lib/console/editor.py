"""Edits one line at a prompt, and remembers the last ones. Knows no command.

editor = Editor(Keys(Serial()), sys.stdout.write)
event, text = editor.read("antos> ")

The line scrolls sideways in one row of the terminal, so one that is longer than the terminal is
wide cannot spoil the screen. What comes fast (a paste) is drawn when it pauses.
"""

from micropython import const

LIMIT = const(4096)  # bytes of a line
_REMEMBER = const(10)  # lines
_WIDTH = const(80)  # until the terminal has told
# Save the cursor, go right as far as it goes, ask where that is, come back.
_ASK = "\x1b7\x1b[999C\x1b[6n\x1b8"
_WIDE = (
    (0x1100, 0x115F),
    (0x2E80, 0xA4CF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE6F),
    (0xFF00, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x3FFFD),
)
_FLAT = ((0x0300, 0x036F), (0x200B, 0x200F), (0xFE00, 0xFE0F))


class Editor:
    """The lines of one console. `width` is the terminal's, 0 to ask it."""

    def __init__(self, keys, write, width=0):
        self._keys = keys
        self._write = write
        self._width = width
        self._asked = False
        self._lines = []
        self._start("")

    def read(self, prompt, mask=False):
        """Read a line: (event, text). With `mask` the screen shows a star for each character,
        and the up key brings no earlier line.

        "line"   a line was entered
        "long"   one of more than LIMIT bytes was; what of it fits
        "stop"   Ctrl-C with something typed: the line is dropped
        "leave"  Ctrl-C with nothing typed, or a tool knocked
        "eof"    Ctrl-D with nothing typed
        """
        self._start(prompt)
        self._mask = mask
        self._write(prompt)
        while True:
            key = self._keys.key()
            event = self._end(key) if key in ("enter", "stop", "eof") else None
            if event:
                return event, self._text()
            self._apply(key)
            if not self._keys.pending():
                self._show()

    def remember(self, line):
        """Put a line where the up key finds it."""
        if line in self._lines:
            self._lines.remove(line)
        self._lines.append(line)
        if len(self._lines) > _REMEMBER:
            self._lines.pop(0)

    def _start(self, prompt):
        self._prompt = prompt
        self._mask = False
        self._buf = bytearray()  # UTF-8
        self._at = 0  # the cursor
        self._left = 0  # what is at the left edge
        self._shown = 0  # up to where it is on the screen; -1 when all has to be drawn anew
        self._over = False
        self._back = 0  # how many lines back in the history
        self._draft = ""

    # What a key that may end the line does, or None if it goes on.
    def _end(self, key):
        if key == "enter":
            return self._enter()
        if self._buf:
            if key == "stop":
                if self._at < len(self._buf):
                    self._move("end")
                self._show()
                self._write("^C\n")
                return "stop"
            self._apply("delete")
            return None
        self._write("\n")
        return "leave" if key == "stop" else "eof"

    def _enter(self):
        if self._keys.knocked():
            self._write("\n")
            return "leave"
        # The whole of it, for who scrolls back: it may wrap now.
        if self._left or self._shown < 0:
            self._write(self._home() + "\x1b[K")
            self._shown = 0
        self._write(self._seen(self._shown) + "\n")
        return "long" if self._over else "line"

    def _apply(self, key):
        if len(key) == 1:
            self._insert(key.encode())
        elif key == "tab":
            self._insert(b"    ")
        elif key in ("up", "down"):
            self._browse(1 if key == "up" else -1)
        elif key in ("left", "right", "home", "end"):
            self._move(key)
        elif key in ("back", "delete", "kill", "clear", "word"):
            self._cut(key)
        elif key == "redraw":
            self._write("\r" + self._prompt)
            self._shown = -1

    def _insert(self, data):
        if len(self._buf) + len(data) > LIMIT:
            self._over = True
            return
        if self._at < len(self._buf):
            self._shown = -1
        self._buf[self._at : self._at] = data
        self._at += len(data)

    def _move(self, key):
        if key == "home":
            self._at = 0
        elif key == "end":
            self._at = len(self._buf)
        else:
            self._at = self._beside(self._at, -1 if key == "left" else 1)
        self._shown = -1

    def _cut(self, key):
        start, end = self._at, self._at
        if key == "back":
            start = self._beside(start, -1)
        elif key == "delete":
            end = self._beside(end, 1)
        elif key == "kill":
            end = len(self._buf)
        else:
            start = 0 if key == "clear" else self._word()
        self._buf[start:end] = b""
        self._at = start
        self._shown = -1
        self._over = False

    # Where the character before or after a place begins.
    def _beside(self, at, step):
        at += step
        while 0 < at < len(self._buf) and self._buf[at] & 0xC0 == 0x80:
            at += step
        return min(max(at, 0), len(self._buf))

    # Where the word before the cursor begins.
    def _word(self):
        at = self._at
        while at and self._buf[at - 1] == 0x20:
            at -= 1
        while at and self._buf[at - 1] != 0x20:
            at -= 1
        return at

    def _browse(self, step):
        back = self._back + step
        if self._mask or not 0 <= back <= len(self._lines):
            return
        if not self._back:
            self._draft = self._text()
        self._back = back
        line = self._lines[-back] if back else self._draft
        self._buf = bytearray(line.encode())
        self._at = len(self._buf)
        self._shown = -1

    def _text(self, start=0, end=LIMIT):
        return str(self._buf[start:end], "utf-8")

    # What the screen shows of a part of the line.
    def _seen(self, start=0, end=LIMIT):
        text = self._text(start, end)
        return "*" * len(text) if self._mask else text

    # Brings the screen up to date.
    def _show(self):
        self._ask()
        room = (self._width or self._keys.columns or _WIDTH) - len(self._prompt) - 1
        if self._at < self._left or _columns(self._text(self._left, self._at)) > room:
            self._left = self._scroll(room // 2)
            self._shown = -1
        if self._shown < 0:
            self._draw(room)
        else:
            self._write(self._seen(self._shown, self._at))
        self._shown = self._at

    # The left edge that puts the cursor `columns` from it.
    def _scroll(self, columns):
        left = self._at
        while left and columns > 0:
            left = self._beside(left, -1)
            columns -= _columns(self._text(left, self._beside(left, 1)))
        return left

    def _draw(self, room):
        end = self._left
        while end < len(self._buf) and room > 0:
            after = self._beside(end, 1)
            room -= _columns(self._text(end, after))
            if room >= 0:
                end = after
        self._write(self._home() + self._seen(self._left, end) + "\x1b[K")
        back = _columns(self._text(self._at, end)) if self._at < end else 0
        if back:
            self._write("\x1b[%dD" % back)

    # To where the line begins. The prompt is written once a line: programs wait for it.
    def _home(self):
        return "\r\x1b[%dC" % len(self._prompt)

    # Asks the terminal how wide it is, once: somebody types, so there is one.
    def _ask(self):
        if not (self._asked or self._width):
            self._asked = True
            self._write(_ASK)


def _columns(text):
    count = 0
    for char in text:
        code = ord(char)
        count += 1 if code < 0x300 else 2 if _in(_WIDE, code) else 0 if _in(_FLAT, code) else 1
    return count


def _in(ranges, code):
    for first, last in ranges:
        if first <= code <= last:
            return True
    return False
