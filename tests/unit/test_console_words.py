"""console.screen, console.commands and console.python: what a line means and what is shown."""

from console import cmd_ai, cmd_help, cmd_mcp, commands, python, screen
from net.errors import Error


class Out(screen.Screen):
    """A screen that keeps what it shows."""

    def __init__(self, color=False):
        self.shown = []
        super().__init__(self.shown.append, color)

    @property
    def text(self):
        return "".join(self.shown)


def name(line):
    found = commands.find(line)
    return found and found[0][commands.NAME]


def raised(function, *arguments):
    try:
        function(*arguments)
    except Error as error:
        return error
    raise AssertionError("nothing was raised")


def test_text_of_others_cannot_drive_the_terminal():
    assert screen.clean("a\x1b[2Jb\x07c\x9b1md\x7f\r\x00") == "a[2Jbc1md"
    assert screen.clean("lines\n\tand é 漢 😀") == "lines\n\tand é 漢 😀"


def test_a_short_form_is_one_line_and_says_that_it_was_cut():
    assert screen.short("  two\n lines\x1b ", 20) == "two lines"
    assert screen.short("x" * 50, 20) == "x" * 16 + " ..."
    assert screen.short(" " * 100 + "x", 20).endswith(" ...")
    assert screen.short("x" * 20, 20) == "x" * 20


def test_an_error_is_one_line_and_a_try_line_on_lines_of_their_own():
    out = Out()
    out.write("half a reply")
    out.error(Error("net", "host: refused\x1b[31m\nmore", "config ai.general.url URL"))
    assert out.text == (
        "half a reply\nai: host: refused[31m more\n  try: config ai.general.url URL\n"
    )


def test_dim_lines_are_plain_when_color_is_off():
    plain, colored = Out(), Out(color=True)
    for out in (plain, colored):
        out.write("text")
        out.dim("[tool \x1b{}]")
    assert plain.text == "text\n[tool {}]\n"
    assert colored.text == "text\n\x1b[2m[tool {}]\x1b[0m\n"


def test_the_longest_words_win():
    for line, expected in (
        ("ai", "ai"),
        ("ai why?", "ai"),
        ("ai -tools", "ai -tools"),
        ("ai tools list", "ai tools list"),
        ("  ai  tools   clear ", "ai tools clear"),
        ("ai clear", "ai clear"),
        ("mcp add w http://h/", "mcp add"),
        ("mcp", "mcp"),
        ("config -d key", "config -d"),
        ("?how", "?"),
        ("? how", "?"),
        ("help", "help"),
    ):
        assert name(line) == expected, line


def test_a_question_that_begins_like_a_command_is_a_question():
    assert name("ai clear air, what is it?") == "ai"
    assert name("ai tools list for a carpenter") == "ai"
    assert name("ai -toolsmith") == "ai"
    assert commands.find("ai clear air")[1] == "clear air"


def test_what_is_no_command_is_python():
    for line in ("ai = 3", "import ai", "ai.ask('x')", "config.get('x')", "help(x)", "mcp == 1"):
        assert commands.find(line) is None, line
    assert commands.find("mcp += 1") is None
    assert name("? = what") == "?"


def test_rest_of_a_line_is_as_typed():
    assert commands.find("ai  do  I need  a coat? ")[1] == "do  I need  a coat?"
    assert commands.find("?  what's that")[1] == "what's that"


def test_quotes_keep_words_together():
    assert commands.words('a \'b c\'  "d \'e" f"g h"') == ["a", "b c", "d 'e", "fg h"]
    assert commands.words("''") == [""]
    assert commands.words("") == []
    assert raised(commands.words, "a 'b").kind == "usage"


def test_a_word_too_many_is_an_error_with_help():
    out = Out()
    commands.run(*commands.find("mcp frobnicate"), out)
    assert out.text == "ai: no command 'mcp frobnicate'\n  try: help mcp\n"


def test_wrong_use_shows_the_usage_of_that_row():
    for line in (
        "mcp add w",
        "mcp add w ftp://host",
        "mcp add a.b http://host/",
        "mcp add w http://host/ --token",
        "mcp add w http://host/ --header nothing",
        "mcp add w http://host/ --nonsense x",
        "mcp add 'w http://host/",
    ):
        out = Out()
        commands.run(*commands.find(line), out)
        assert out.text.startswith("ai: "), out.text
        assert out.text.endswith("\n  try: mcp add NAME URL " + USAGE_END), (line, out.text)


USAGE_END = '[--token TOKEN] [--header "KEY: VALUE"]\n'


def test_every_row_names_a_function_that_is_there():
    for row in commands.TABLE:
        assert callable(commands._function(row)), row


def test_help_shows_every_row_and_one_of_them():
    out = Out()
    cmd_help.run("", out)
    for row in commands.TABLE:
        assert row[commands.USAGE] in out.text and row[commands.SUMMARY] in out.text
    out = Out()
    cmd_help.run("mcp", out)
    assert "mcp add NAME" in out.text and "config" not in out.text
    assert raised(cmd_help.run, "nonsense", out).kind == "usage"


def test_every_kind_of_exception_becomes_words():
    assert commands.explain(MemoryError()).kind == "memory"
    assert "flash is full" in commands.explain(OSError(28)).message
    assert "OSError: 5" in commands.explain(OSError(5)).message.replace("[Errno 5] EIO", "5")
    bug = commands.explain(ValueError("odd"))
    assert bug.message == "unexpected ValueError: odd" and "debug" in bug.hint


def test_deltas_of_a_turn_are_shown_safely():
    out = Out()
    for delta in (
        ("think", "hidden"),
        ("text", "Let me look.\x1b]0;x\x07"),
        ("tool", "get_weather", '{"city":"Rochdale"}'),
        ("result", "1", "get_weather", True, "Rain\nall day " + "x" * 200),
        ("tool", "get_time", ""),
        ("result", "2", "get_time", False, "no such tool"),
        ("text", "Yes"),
        ("text", ", you do."),
        ("usage", 1, 2),
        ("stop", "length"),
    ):
        cmd_ai.show(delta, out)
    lines = out.text.split("\n")
    assert lines[0] == "Let me look.]0;x"
    assert lines[1] == '[get_weather {"city":"Rochdale"}]'
    assert lines[2].startswith("[-> Rain all day xxx") and lines[2].endswith(" ...]")
    assert lines[3] == "[get_time {}]"
    assert lines[4] == "[-> failed: no such tool]"
    assert lines[5] == "Yes, you do."
    assert lines[6] == "[the provider cut the reply: length]"


def test_use_type_and_question_of_a_line():
    assert cmd_ai._use("why not -u?") == ("general", "why not -u?")
    assert cmd_ai._use("-u code  fix it") == ("code", "fix it")
    assert cmd_ai._use("-u code") == ("code", "")
    assert raised(cmd_ai._use, "-u").kind == "usage"
    assert "-x" in raised(cmd_ai._use, "-x y").message


def test_arguments_of_a_schema_are_named():
    schema = b'{"properties":{"days":{},"city":{}},"required":["city"]}'
    assert cmd_mcp._arguments(schema) == "city, days?"
    assert cmd_mcp._arguments(b"{}") == ""
    assert cmd_mcp._arguments(b"nonsense") == "..."
    assert cmd_mcp._arguments(b"[1]") == "..."


def test_blocks_and_brackets_go_on():
    for text in (
        "for i in x:",
        "if x:  # why",
        "@wrap",
        "f(1,",
        "x = '''a",
        "a = 1 + \\",
        "def f():\n    return 1",
        "x = [\n1,",
        "f('(' + \"'\",",
    ):
        assert python.unfinished(text), text


def test_complete_code_does_not_go_on():
    for text in (
        "x = 1",
        "print('(')",
        "x = {1: 2}",
        "'it\\'s'",
        "x = 'open",
        "# if x:",
        "for i in x:\n    pass\n",
        "f(1,\n2)",
        "x = '''a\nb'''",
        "x = ')('",
    ):
        assert not python.unfinished(text), text


def test_python_runs_in_the_names_of_main_and_they_persist():
    import __main__

    out = Out()
    python.run("made_here = [i for i in range(3)]", out)
    python.run("made_here.append(9)", out)
    python.run("for i in range(2):\n    made_here.append(i)\n", out)
    assert __main__.made_here == [0, 1, 2, 9, 0, 1] and not out.text


def test_an_unknown_word_is_a_mistyped_command():
    for line, word in (("frobnicate", "frobnicate"), ("hlep mcp", "hlep"), ("wifi scan", "wifi")):
        out = Out()
        python.run(line, out)
        assert out.text == "ai: no command '%s'\n  try: help\n" % word, out.text


def test_an_error_of_the_library_is_no_traceback():
    import __main__

    __main__.boom = Boom
    out = Out()
    python.run("boom()", out)
    assert out.text == "ai: gone\n  try: again\n"


def Boom():
    raise Error("net", "gone", "again")
