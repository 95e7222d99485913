"""Runs what a person types as Python, in the names of __main__: the REPL's own.

unfinished("for i in range(3):")    True: more lines belong to it
run("6 * 7", out)                   42
"""

import gc
import io
import sys

import __main__
from net.errors import Error

_KEYWORDS = (
    "and as assert async await break class continue def del elif else except finally for from "
    "global if import in is lambda nonlocal not or pass raise return try while with yield"
)
_FRAME = '  File "console/'


def unfinished(text):
    """Whether more lines belong to it: a block that no empty line ended, or an open bracket."""
    if _open(text):
        return True
    first = text.split("\n", 1)[0].strip()
    block = first.startswith("@") or first.split("#")[0].rstrip().endswith(":")
    return block and bool(text.rsplit("\n", 1)[-1].strip())


def run(text, out):
    """Run it: a value is printed unless it is None; what it raises is printed as the REPL would.

    A line that is no Python but looks like words is taken for a mistyped command.
    """
    try:
        code = compile(text + "\n", "<console>", "single")
        exec(code, __main__.__dict__)
    except Error as error:
        out.error(error)
    except (NameError, SyntaxError) as error:
        if _words(text, isinstance(error, NameError)):
            out.error(Error("usage", "no command '%s'" % text.split()[0], "help"))
        else:
            _report(error)
    except Exception as error:
        _report(error)


# Whether it reads like a command: one bare word, or, if it is no Python at all, several.
def _words(text, bare):
    parts = text.split()
    if not _is_name(parts[0]) or bare and len(parts) > 1:
        return False
    if len(parts) == 1:
        return bare
    return parts[0] not in _KEYWORDS.split() and (parts[1][0] == "-" or _is_name(parts[1][0]))


def _is_name(word):
    return not word[0].isdigit() and all(c.isalpha() or c.isdigit() or c == "_" for c in word)


# The traceback, without the frames of this console.
def _report(error):
    gc.collect()
    try:
        text = io.StringIO()
        sys.print_exception(error, text)
        lines = text.getvalue().split("\n")
    except MemoryError:
        sys.print_exception(error)
        return
    for line in lines[:-1]:
        if not line.startswith(_FRAME):
            print(line)


# Whether a bracket, a string of three quotes or a line with a backslash is open at the end.
def _open(text):
    depth, quote, at = 0, "", 0
    while at < len(text):
        char = text[at]
        if quote:
            at, quote = _in_string(text, at, quote)
            continue
        if char in "\"'":
            quote = text[at : at + 3] if text[at : at + 3] == char * 3 else char
            at += len(quote)
            continue
        if char == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        depth += (char in "([{") - (char in ")]}")
        at += 1
    return depth > 0 or len(quote) == 3 or text.endswith("\\")


# One step inside a string: the new place and the quote that is still open.
def _in_string(text, at, quote):
    if text[at] == "\\":
        return at + 2, quote
    if text.startswith(quote, at):
        return at + len(quote), ""
    # A string of one line ends there, closed or not.
    return at + 1, "" if text[at] == "\n" and len(quote) == 1 else quote
