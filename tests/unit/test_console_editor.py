"""console.editor: one line at a prompt. The screen is a small terminal that shows the outcome."""

from console.editor import LIMIT, Editor
from console.keys import Keys


class Line:
    """A serial line with all of it typed at once, or, if slow, key by key."""

    def __init__(self, data, slow):
        self.bytes = list(data)
        self.slow = slow

    def ready(self, ms):
        return ms < 0 or bool(self.bytes) and not (ms == 0 and self.slow)

    def read(self):
        if not self.bytes:
            raise EOFError
        return self.bytes.pop(0)


class Terminal:
    """Enough of a terminal to see what a person sees: rows of `width` columns that wrap."""

    def __init__(self, width):
        self.width = width
        self.cells = {}
        self.row = self.column = 0
        self.asked = 0
        self.text = ""

    def write(self, text):
        self.text += text
        at = 0
        while at < len(text):
            at += self.escape(text[at:]) if text[at] == "\x1b" else self.put(text[at])

    def put(self, char):
        if char == "\n":
            self.row, self.column = self.row + 1, 0
        elif char == "\r":
            self.column = 0
        else:
            if self.column == self.width:
                self.row, self.column = self.row + 1, 0
            self.cells[self.row, self.column] = char
            self.column += 1
        return 1

    def escape(self, text):
        if text[1] == "7":
            self.saved = self.row, self.column
            return 2
        if text[1] == "8":
            self.row, self.column = self.saved
            return 2
        end = 2
        while not text[end].isalpha():
            end += 1
        number, kind = text[2:end], text[end]
        if kind == "K":
            for column in range(self.column, self.width):
                self.cells.pop((self.row, column), None)
        elif kind == "D":
            self.column = max(self.column - int(number), 0)
        elif kind == "C":
            self.column = min(self.column + int(number), self.width)
        elif kind == "n":
            self.asked += 1
        else:
            raise ValueError(text)
        return end + 1

    def line(self, row):
        return "".join(self.cells.get((row, c), " ") for c in range(self.width)).rstrip()


def seen(data, **more):
    """What the first row shows when all was typed and the line is not entered."""
    terminal = edit(data, **more)[2]
    assert terminal.row == 0
    return terminal.line(0)


def edit(data, width=40, slow=True, lines=(), known=True, mask=False):
    """What comes of typing: (event, text, terminal, editor)."""
    terminal = Terminal(width)
    line = Line(data if isinstance(data, bytes) else data.encode(), slow)
    editor = Editor(Keys(line), terminal.write, width if known else 0)
    for text in lines:
        editor.remember(text)
    terminal.editor = editor
    try:
        event, text = editor.read("> ", mask)
    except EOFError:
        event, text = "eof of the line", None
    return event, text, terminal, line


def entered(data, **more):
    event, text, _, _ = edit(data, **more)
    assert event == "line", event
    return text


LEFT, RIGHT, UP, DOWN = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
HOME, END, DELETE = "\x1b[H", "\x1b[F", "\x1b[3~"


def test_a_line_is_what_was_typed_and_what_the_screen_shows():
    for slow in (True, False):
        event, text, terminal, _ = edit("ai grüß 😀\r", slow=slow)
        assert (event, text) == ("line", "ai grüß 😀")
        assert terminal.line(0) == "> ai grüß 😀"


def test_a_secret_is_stars_on_the_screen_and_nothing_earlier_comes_up():
    for slow in (True, False):
        typed = UP + "sk-é9" + LEFT + "x\x0c" + "\r"
        event, text, terminal, _ = edit(typed, slow=slow, lines=["earlier"], mask=True)
        assert (event, text, terminal.line(0)) == ("line", "sk-éx9", "> ******")
        assert "sk" not in terminal.text and "earlier" not in terminal.text


def test_keys_edit_in_the_middle():
    assert entered("held" + LEFT + "lo worl" + "\r") == "hello world"
    assert entered("xhello" + HOME + DELETE + END + "!\r") == "hello!"
    assert entered("abc" + LEFT + LEFT + "\x0b\r") == "a"
    assert entered("abc" + LEFT + "\x15\r") == "c"
    assert entered("one two  " + "\x17\x17" + "1\r") == "1"
    assert entered("one two" + "\x17\r") == "one "
    assert entered("\x01b\x01a\x05c\r") == "abc"
    assert entered("ab" + LEFT + "\x04\r") == "a"


def test_a_character_of_several_bytes_is_one_for_every_key():
    assert entered("aé漢" + LEFT + LEFT + "\x7fb\r") == "bé漢"
    assert entered("é漢\x7f\r") == "é"
    assert entered("漢é" + HOME + DELETE + "\r") == "é"


def test_keys_at_the_ends_do_nothing():
    assert entered(LEFT + "\x7f" + UP + DOWN + "a" + RIGHT + DELETE + "b\r") == "ab"


def test_screen_shows_the_line_after_each_kind_of_edit():
    for keys in (
        "held" + LEFT + "lo worl",
        "xhello world" + HOME + DELETE,
        "hello\x15hello world",
    ):
        _, _, terminal, _ = edit(keys + "\r")
        assert terminal.line(0) == "> hello world", keys


def test_up_and_down_walk_through_the_last_lines_and_back_to_the_draft():
    lines = ("one", "two", "three")
    assert entered(UP + "\r", lines=lines) == "three"
    assert entered(UP + UP + UP + UP + "\r", lines=lines) == "one"
    assert entered("dra" + UP + UP + DOWN + DOWN + "ft\r", lines=lines) == "draft"
    assert entered(UP + "\x7f\x7f" + "\r", lines=lines) == "thr"


def test_ten_lines_are_remembered_each_once():
    lines = ["line %d" % i for i in range(12)] + ["line 5"]
    assert entered(UP * 30 + "\r", lines=lines) == "line 2"
    assert entered(UP * 2 + "\r", lines=lines) == "line 11"


def test_a_line_wider_than_the_terminal_stays_in_its_row_until_it_is_entered():
    text = "".join("%d-" % i for i in range(60))
    for slow in (True, False):
        shown = seen(text, slow=slow)
        assert shown.startswith("> ") and text.endswith(shown[2:]) and len(shown) > 15
        _, got, terminal, _ = edit(text + "\r", slow=slow)
        rows = "".join(terminal.line(row) for row in range(terminal.row))
        assert (got, rows) == (text, "> " + text), rows


def test_a_wide_line_can_be_edited_at_its_start():
    keys = "x" * 100 + HOME + "ab" + RIGHT + DELETE
    assert entered(keys + "\r") == "abx" + "x" * 98
    assert seen(keys) == "> abx" + "x" * 34


def test_wide_characters_count_twice():
    assert entered("漢" * 30 + "\r", width=20) == "漢" * 30
    assert len(seen("漢" * 30, width=20)) <= 2 + 9


def test_backspace_through_a_wide_line_leaves_a_clean_row():
    assert seen("y" * 90 + "\x7f" * 88) == "> yy"


def test_a_line_that_is_dropped_is_shown_to_its_end():
    _, _, terminal, _ = edit("abc" + LEFT + LEFT + "\x03")
    assert terminal.line(0) == "> abc^C"


def test_the_terminal_is_asked_for_its_width_once_and_only_when_somebody_types():
    assert edit("x" * 100 + "\r", width=200, known=False)[2].asked == 1
    assert edit("x" * 100 + "\r", known=True)[2].asked == 0
    assert edit("\r\x03\r\x01", known=False)[2].asked == 0


def test_what_the_terminal_tells_is_used():
    answer = "\x1b[1;30R"
    assert 2 < len(seen(answer + "z" * 60, width=30, known=False)) < 30


def test_pasted_lines_come_one_by_one():
    line = Line(b"one\r\ntwo\nthree\r", False)
    editor = Editor(Keys(line), Terminal(40).write, 40)
    assert [editor.read("> ")[1] for _ in range(3)] == ["one", "two", "three"]


def test_a_tab_is_four_spaces():
    assert entered("\tx\r") == "    x"


def test_a_line_that_is_too_long_is_told_from_one_that_fits():
    assert edit("a" * LIMIT + "\r", slow=False)[:2] == ("line", "a" * LIMIT)
    event, text, terminal, _ = edit("a" * (LIMIT + 50) + "\rrest\r", slow=False)
    assert event == "long" and len(text) == LIMIT
    assert terminal.editor.read("> ") == ("line", "rest")


def test_a_line_that_was_too_long_may_be_cut():
    assert edit("a" * (LIMIT + 1) + "\x7f\r", slow=False)[0] == "line"


def test_ctrl_c_drops_a_line_and_leaves_at_an_empty_one():
    assert edit("half\x03")[:2] == ("stop", "half")
    assert edit("\x03")[0] == "leave"
    assert edit("x\x7f\x03")[0] == "leave"


def test_a_tool_that_knocks_leaves_whatever_is_typed():
    event, _, _, line = edit("import shutil\r\x03\r\x01")
    assert event == "leave" and bytes(line.bytes) == b"\r\x01"
    assert edit("\r\x03")[0] == "leave"


def test_ctrl_d_at_an_empty_prompt_is_an_event():
    assert edit("\x04")[0] == "eof"


def test_the_prompt_is_written_once_a_line():
    for keys in ("x" * 100 + HOME + "ab\r", "abc" + LEFT + "d\x03", UP + "\x15\r"):
        _, _, terminal, _ = edit(keys, lines=("one",))
        assert terminal.text.count("> ") == 1
    assert edit("abc\x0c\r")[2].text.count("> ") == 2
