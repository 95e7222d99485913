"""The one table of commands: dispatch, help and usage errors all read it.

row, rest = find("mcp add weather https://host/mcp")
run(row, rest, out)

A command module has a function per row: run(rest, out) unless the row names another. `rest` is
what follows the row's words on the console line, as typed. What a command finds wrong with it
it raises: usage("NAME is missing"); the row's usage is shown with it.
"""

import gc
import sys

from micropython import const

from net.errors import Error

_ENOSPC = const(28)
_RESERVE = const(1024)
_OURS = ("ai", "console", "mcp", "net", "store")
NAME, MODULE, USAGE, SUMMARY, FUNCTION = const(0), const(1), const(2), const(3), const(4)

# A name of several words comes before the shorter ones it begins with. If its usage does not go
# on after it, it takes nothing more: "ai clear" is the command, "ai clear air?" a question.
TABLE = (
    ("ai -tools", "cmd_tools", "ai -tools", "ask every MCP server for its tools", "gather"),
    ("ai tools list", "cmd_tools", "ai tools list", "the tools a model may use", "run"),
    ("ai tools clear", "cmd_tools", "ai tools clear", "no tools: chat is plain again", "clear"),
    ("ai tools", "cmd_tools", "ai tools", "the same as ai tools list", "run"),
    ("ai config", "cmd_ai_config", "ai config [TYPE]", "choose who answers, and try it", "run"),
    (
        "ai models",
        "cmd_ai_config",
        "ai models [PROVIDER] [PART]",
        "the models that a provider offers",
        "models",
    ),
    ("ai clear", "cmd_ai", "ai [-u TYPE] clear", "forget the conversation", "clear"),
    ("ai", "cmd_ai", "ai [-u TYPE] QUESTION", "ask the model; it may use tools", "run"),
    (
        "mcp add",
        "cmd_mcp",
        'mcp add NAME URL [--token TOKEN] [--header "KEY: VALUE"]',
        "register an MCP server",
        "add",
    ),
    ("mcp del", "cmd_mcp", "mcp del NAME", "forget a server and its tools", "delete"),
    ("mcp test", "cmd_mcp", "mcp test NAME", "connect, and show what it offers", "test"),
    ("mcp tools", "cmd_mcp", "mcp tools NAME", "its tools with their arguments", "tools"),
    ("mcp call", "cmd_mcp", "mcp call NAME TOOL [{JSON}]", "run one of its tools", "call"),
    ("mcp", "cmd_mcp", "mcp", "the registered MCP servers", "run"),
    ("?", "cmd_ask", "? QUESTION", "how do I ... with this board?", "run"),
    ("config -d", "cmd_config", "config -d KEY", "delete a setting", "delete"),
    ("config", "cmd_config", "config [KEY [VALUE]]", "show and change settings", "run"),
    ("help", "cmd_help", "help [COMMAND]", "this list", "run"),
)


def find(line):
    """The row a console line calls and what follows its words, or None: then it is Python."""
    line = line.strip()
    if line.startswith("?"):
        line = "? " + line[1:]
    for row in TABLE:
        rest = _after(row[NAME], line)
        if rest is not None and not (rest and _ends(row)):
            return None if line[0] != "?" and _assigns(rest) else (row, rest)
    return None


def run(row, rest, out):
    """Run a row; whatever goes wrong is on the screen when this returns."""
    before = tuple(sys.modules)
    # Room to say that there was none, and to clear up.
    reserve = bytearray(_RESERVE)
    try:
        if rest and row[USAGE] == row[NAME]:
            name = row[NAME]
            raise Error("usage", "no command '%s %s'" % (name, rest), "help " + name)
        _function(row)(rest, out)
    except Exception as error:
        del reserve
        out.error(explain(error, row[USAGE]))
    finally:
        _unload(before)


# What a command loaded goes with it, and so do its connections: the heap at the prompt is that of
# a fresh start. What a program of the user loaded stays. The modules are emptied, too: one stale
# pointer on the stack would keep all of them (measured: 72 KB).
def _unload(before):
    gc.collect()
    for name in tuple(sys.modules):
        if name not in before and name.split(".")[0] in _OURS:
            sys.modules[name].__dict__.clear()
            del sys.modules[name]
            package, _, last = name.rpartition(".")
            if package in before:
                delattr(sys.modules[package], last)


def usage(message):
    """The error of a command that was called the wrong way."""
    return Error("usage", message)


def explain(error, hint=""):
    """What was raised, as an Error for a person; `hint` is the usage of what was called.

    A traceback is shown only with "config console.debug on".
    """
    if setting("console.debug", "off") == "on":
        sys.print_exception(error)
    if isinstance(error, Error):
        if error.kind == "usage" and not error.hint:
            error.hint = hint
        return error
    if isinstance(error, MemoryError):
        return Error("memory", "out of memory", "a shorter question, or Ctrl-D for a fresh start")
    if isinstance(error, OSError) and error.errno == _ENOSPC:
        return Error("config", "the flash is full", "import os; os.listdir() and os.remove(NAME)")
    text = "unexpected %s: %s" % (type(error).__name__, error)
    return Error("bug", text, "config console.debug on, and once more: shows where")


def setting(key, default):
    """A setting of the console. A damaged config is the default: the console repairs it."""
    from store import config

    try:
        return config.get(key, default)
    except Exception:
        return default


def words(rest):
    """The words of a line; quotes keep one together. Error("usage") for an open quote."""
    found = []
    word, quote = None, ""
    for char in rest:
        if char == quote:
            quote = ""
        elif quote or char not in "\"' \t":
            word = (word or "") + char
        elif char in "\"'":
            quote, word = char, word or ""
        elif word is not None:
            found.append(word)
            word = None
    if quote:
        raise usage("the quote %s is not closed" % quote)
    if word is not None:
        found.append(word)
    return found


def secret(line):
    """Whether a line has a secret in it: it must not come back with the up key."""
    from store import config

    parts = line.replace('"', " ").replace("'", " ").replace("(", " ").split()
    if "--token" in parts or "--header" in parts:
        return True
    return any(config.is_secret(part) for part in parts[:-1])


def _function(row):
    name = "console." + row[MODULE]
    module = __import__(name, None, None, (row[FUNCTION],))
    return getattr(module, row[FUNCTION])


# Whether a row of several words takes nothing after them.
def _ends(row):
    return " " in row[NAME] and not row[USAGE].startswith(row[NAME] + " ")


# What follows `name` in a line, or None if the line does not begin with these words.
def _after(name, line):
    for word in name.split():
        if not line.startswith(word):
            return None
        line = line[len(word) :]
        if line and line[0] not in " \t":
            return None
        line = line.lstrip()
    return line


# "ai = 5" is Python, "config == x" as well.
def _assigns(rest):
    return rest[:1] == "=" or rest[1:2] == "=" and rest[0] in "+-*/|&^%"
