"""The prompt: commands, Python, keys and Ctrl-C, over the serial line."""

import pytest
from serial_console import REPL


def test_an_expression_prints_and_a_statement_runs(console):
    assert console.run("6 * 7") == "42\n"
    assert console.run("x = [1, 2]") == ""
    assert console.run("x + [3]") == "[1, 2, 3]\n"
    assert console.run("None") == ""
    assert console.run("print('a', 'b')") == "a b\n"


def test_a_block_goes_on_until_an_empty_line(console):
    console.start_block("for i in range(3):", "    print(i)")
    assert console.prompt() == "\n0\n1\n2\n"


def test_an_error_in_python_is_its_traceback_without_ours(console):
    assert console.run("1 / 0") == (
        "Traceback (most recent call last):\n"
        '  File "<console>", line 1, in <module>\n'
        "ZeroDivisionError: divide by zero\n"
    )
    assert "SyntaxError" in console.run("x = = 1")
    assert console.run("x") == "ai: no command 'x'\n  try: help\n"


def test_a_mistyped_command_is_one_line_and_a_try_line(console):
    assert console.run("frobnicate") == "ai: no command 'frobnicate'\n  try: help\n"
    assert console.run("hlep mcp") == "ai: no command 'hlep'\n  try: help\n"


def test_help_lists_the_commands_and_knows_each(console):
    text = console.run("help")
    for usage in ("ai [-u TYPE] QUESTION", "mcp add NAME URL", "config [KEY [VALUE]]", "? QUEST"):
        assert usage in text
    assert console.run("help config").count("\n") == 2
    assert console.run("help nothing") == "ai: no command 'nothing'\n  try: help [COMMAND]\n"


def test_names_are_those_of_the_repl(console):
    console.run("kept = 'here'")
    console.leave()
    console.type("kept\r")
    console.expect("'here'\r\n")
    console.type("import console; console.run()\r")
    console.prompt()
    assert console.run("kept") == "'here'\n"


def test_keys_edit_the_line_on_the_wire(console):
    console.type("prnt(1)\x1b[D\x1b[D\x1b[D\x1b[D\x1b[Di\x05\x7f, 'é漢')\r")
    assert console.prompt().endswith("\n1 é漢\n")
    console.type("\x1b[A\x1b[A\x1b[B\x1b[200~\r")
    assert console.prompt().endswith("\n1 é漢\n")


def test_pasted_lines_run_one_after_the_other_whatever_ends_them(console):
    console.type("a = 1\nb = 2\r\nfor i in (a, b):\r\n    print('got', i)\r\n\r\nprint('end')\r")
    text = console.expect("\nend\r\nantos> ")
    assert text.count("got 1\n") == 1 and text.count("got 2\n") == 1


def test_a_line_of_many_columns_arrives_whole(console):
    text = "0123456789" * 40
    assert console.run(f"print(len('{text}'))") == "400\n"


def test_a_line_that_is_too_long_is_refused_and_the_next_one_runs(console):
    console.type("'" + "x" * 5000 + "'\r")
    assert "ai: a line has 4096 bytes at most" in console.prompt()
    assert console.run("6 * 7") == "42\n"


def test_ctrl_c_drops_what_is_typed(console):
    console.type("half a li")
    console.expect("half a li")
    console.type("\x03")
    assert console.prompt() == "^C\n"
    assert console.run("6 * 7") == "42\n"


def test_ctrl_c_in_a_block_drops_the_block(console):
    console.send("if True:")
    console.type("    print('never')")
    console.expect("never')")
    console.type("\x03")
    console.prompt()
    assert console.run("6 * 7") == "42\n"


def busy(console):
    """Start a program that never ends; it runs when this returns."""
    console.start_block("def spin():", "    print('spins')", "    while True:", "        pass")
    console.prompt()
    console.send("spin()")
    console.expect("spins\r\n")


def test_ctrl_c_stops_a_program_and_stays_at_the_prompt(console):
    busy(console)
    console.type("\x03")
    assert console.prompt().endswith("(stopped)\n")
    assert console.run("6 * 7") == "42\n"


def test_ctrl_c_at_an_empty_prompt_leaves_and_says_how_to_come_back(console):
    console.type("\x03")
    assert "import console; console.run() comes back" in console.expect(REPL)
    console.type("6 * 7\r")
    console.expect("42\r\n" + REPL)
    console.type("import console; console.run()\r")
    assert "AntOS" in console.prompt()


def test_ctrl_d_at_an_empty_prompt_starts_anew(console):
    console.run("x = 5")
    console.type("\x04")
    assert "soft reboot" in console.prompt()
    assert "no command" in console.run("x")


def test_a_program_that_exits_starts_anew(console):
    console.type("import sys; sys.exit()\r")
    assert "soft reboot" in console.prompt()


def knock(console):
    """What mpremote sends to get the raw REPL, in two writes."""
    console.type("\r\x03")
    console.type("\r\x01")
    console.expect("raw REPL; CTRL-B to exit\r\n>")
    console.type("print(6 * 7)\x04")
    console.expect("OK42\r\n\x04\x04>")


def test_a_tool_gets_the_raw_repl_at_the_prompt(console):
    knock(console)


def test_a_tool_gets_the_raw_repl_when_a_line_is_half_typed_and_it_is_not_run(console):
    console.run("x = 5")
    console.type("x = 6")
    console.expect("x = 6")
    knock(console)
    console.type("print(x)\x04")
    console.expect("OK5\r\n")


def test_a_tool_gets_the_raw_repl_in_the_middle_of_a_block(console):
    console.send("if True:")
    console.type("    x = 6")
    console.expect("x = 6")
    knock(console)


def test_a_tool_gets_the_raw_repl_while_a_program_runs(console):
    busy(console)
    knock(console)


def test_the_banner_says_what_it_is_and_what_to_type(console):
    console.type("\x04")
    text = console.prompt()
    assert "AntOS 0.1.0 on MicroPython" in text and "'help' lists the commands" in text


@pytest.mark.parametrize("line", ["config", "help", "mcp"])
def test_a_command_leaves_most_of_the_heap_free(console, line):
    free = "gc.collect(); gc.mem_free()"
    console.run("import gc")
    console.run(line)  # names it brings are kept for good
    before = int(console.run(free).split()[-1])
    for _ in range(5):
        console.run(line)
    assert before - int(console.run(free).split()[-1]) < 1_000


def test_a_block_that_is_too_large_for_the_heap_is_one_line_and_the_console_goes_on(console):
    console.run("import gc; gc.collect()")
    console.run("x = [bytearray(500) for _ in range((gc.mem_free() - 40000) // 544)]")
    console.type("f('''\r")
    for _ in range(40):
        console.type("y" * 2000 + "\r")
    assert "ai: out of memory\n  try: " in console.prompt(seconds=20)
    console.type("\x03")
    console.run("del x")
    assert console.run("6 * 7") == "42\n"


def test_a_directory_that_hides_a_package_is_told_at_the_start(console, virtual):
    console.run("import os; os.mkdir('/mcp')")
    console.type("\x04")
    text = console.prompt()
    assert "ai: the directory /mcp hides a part of AntOS\n  try: import os; os.rename(" in text


def test_a_damaged_config_does_not_take_the_console_away(console, virtual):
    console.run("f = open('/data/config', 'wb'); f.write(b'\\xff\\xfe\\n\\0=\\xc3\\n'); f.close()")
    console.restart()
    assert console.run("6 * 7") == "42\n"
    console.run("config")
    assert console.run("6 * 7") == "42\n"
