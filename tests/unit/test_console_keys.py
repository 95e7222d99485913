"""console.keys: bytes of a serial line become keys."""

from console.keys import Keys


class Line:
    """A serial line: what was typed, with None where nothing came for a while."""

    def __init__(self, *pieces):
        self.bytes = []
        for piece in pieces:
            self.bytes += [None] if piece is None else list(piece)

    def ready(self, ms):
        if self.bytes and self.bytes[0] is None:
            self.bytes.pop(0)
            return False
        return bool(self.bytes)

    def read(self):
        return self.bytes.pop(0)


def typed(*pieces):
    """The keys of what was typed."""
    line = Line(*pieces)
    keys = Keys(line)
    found = []
    while line.bytes or keys.pending():
        if keys.pending():
            found.append(keys.key())
    return found


def test_characters_are_keys_ascii_or_not():
    assert typed("aé漢😀".encode()) == ["a", "é", "漢", "😀"]


def test_cr_lf_and_cr_lf_are_one_line_end_each():
    assert typed(b"\r") == ["enter"]
    assert typed(b"\n") == ["enter"]
    assert typed(b"a\r\nb\r\n") == ["a", "enter", "b", "enter"]
    assert typed(b"\r\r\n\n") == ["enter", "enter", "enter"]
    assert typed(b"\r", None, b"\na") == ["enter", "a"]


def test_arrows_and_their_neighbours_are_named():
    for data, name in (
        (b"\x1b[A", "up"),
        (b"\x1bOB", "down"),
        (b"\x1b[C", "right"),
        (b"\x02", "left"),
        (b"\x1b[H", "home"),
        (b"\x1b[1~", "home"),
        (b"\x1b[4~", "end"),
        (b"\x1b[3~", "delete"),
        (b"\x7f", "back"),
        (b"\x08", "back"),
        (b"\x17", "word"),
    ):
        assert typed(data) == [name], data


def test_unknown_sequences_are_swallowed_whole():
    for data in (b"\x1b[200~", b"\x1b[1;5C", b"\x1b[?1;2c", b"\x1bx", b"\x1b[15~", b"\x1bOP"):
        assert typed(data + b"a") == ["", "a"], data


def test_a_lone_escape_does_not_eat_the_next_key():
    assert typed(b"\x1b", None, b"a") == ["", "a"]
    assert typed(b"\x1b\r") == ["", "enter"]
    assert typed(b"\x1b[\x03") == ["", "stop"]


def test_an_endless_sequence_ends():
    keys = typed(b"\x1b[" + b"1;" * 40 + b"A")
    assert keys[0] == "" and keys[-1] == "A"


def test_broken_utf_8_is_dropped_and_what_follows_is_not():
    assert typed(b"\xffa") == ["", "a"]
    assert typed(b"\xc3a") == ["", "a"]
    assert typed(b"\xe6\xbc\r") == ["", "enter"]
    assert typed(b"\xc3", None, b"b") == ["", "b"]


def test_a_control_character_in_utf_8_is_dropped():
    assert typed("\x9b31m".encode()) == ["", "3", "1", "m"]


def test_the_terminal_tells_its_width():
    keys = Keys(Line(b"\x1b[24;132R"))
    assert keys.key() == "" and keys.columns == 132
    keys = Keys(Line(b"\x1b[1;R"))
    assert keys.key() == "" and keys.columns == 0


def test_enter_with_ctrl_c_at_its_heels_is_a_knock():
    keys = Keys(Line(b"\r\x03"))
    assert keys.key() == "enter" and keys.knocked()


def test_enter_and_a_later_ctrl_c_are_no_knock():
    keys = Keys(Line(b"\r", None, b"\x03"))
    assert keys.key() == "enter" and not keys.knocked() and keys.key() == "stop"


def test_what_follows_enter_is_kept_when_it_is_no_knock():
    keys = Keys(Line(b"\r\na"))
    assert keys.key() == "enter" and not keys.knocked() and keys.key() == "a"


def test_after_an_interrupt_a_tool_is_told_and_its_ctrl_a_is_left():
    line = Line(b"\r\r\x01")
    assert Keys(line).tool_waits() and line.bytes == [1]


def test_after_an_interrupt_a_second_ctrl_c_leaves():
    assert Keys(Line(b"\x03")).tool_waits()
    assert Keys(Line(b"typed ahead\r\x03")).tool_waits()


def test_after_an_interrupt_a_person_stays_and_what_was_typed_ahead_is_dropped():
    for pieces in ((None,), (b"\r", None), (b"\n", None), (b"\r\n\r", None), (b"ai x\ry\r", None)):
        line = Line(*pieces)
        assert not Keys(line).tool_waits(), pieces
        assert not line.bytes, pieces
