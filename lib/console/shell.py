"""The console: a prompt where a line is a command or else Python.

run() returns when the person leaves for the REPL. While a line is edited Ctrl-C is a key; while
a command or a program runs it is a KeyboardInterrupt, as at the REPL. Whoever knocks as mpremote
does gets the REPL, at the prompt as well as in the middle of a command.
"""

import gc
import sys

import micropython
from micropython import const

from console import commands, python
from console.editor import LIMIT, Editor
from console.keys import Keys, Serial
from console.screen import Screen
from net.errors import Error
from store import config

VERSION = "0.1.0"
_PROMPT = "antos> "
_MORE = "...... "
_WIFI_S = const(15)
# Bytes after which garbage is collected: what stays lies close together then, and a heap of small
# holes is where loading a module fails first.
_COLLECT = const(8192)
_PACKAGES = ("ai", "mcp", "net", "store", "console")
_LEFT = "console left; import console; console.run() comes back, or Ctrl-D\n"


def run():
    """Greet, join Wi-Fi, and read lines until the person leaves."""
    micropython.kbd_intr(-1)
    gc.threshold(_COLLECT)
    try:
        _talk(*_parts())
    except (KeyboardInterrupt, EOFError):
        pass
    finally:
        micropython.kbd_intr(3)
        gc.threshold(-1)
    sys.stdout.write(_LEFT)


def _parts():
    write = sys.stdout.write
    keys = Keys(Serial())
    width = commands.setting("console.width", "0")
    editor = Editor(keys, write, int(width) if width.isdigit() else 0)
    out = Screen(write, commands.setting("console.color", "on") != "off")
    out.ask = lambda prompt, mask=False: _ask(editor, out, prompt, mask)
    return keys, editor, out


def _talk(keys, editor, out):
    out.write("AntOS %s on %s\n" % (VERSION, _machine()))
    out.write("'help' lists the commands; whatever is none is Python.\n")
    _warn(out)
    left = _leaves(keys, out, join, out)
    while not left:
        gc.collect()
        try:
            left = _next(keys, editor, out)
        except EOFError:
            left = True
        except Exception as error:
            out.error(commands.explain(error))


# Reads a line and runs it; True when the person leaves.
def _next(keys, editor, out):
    event, line = editor.read(_PROMPT)
    if event == "eof":
        _reset()
    if event != "line" or not line.strip():
        return _over(event)
    if not commands.secret(line):
        editor.remember(line)
    found = commands.find(line)
    if found:
        return _leaves(keys, out, commands.run, found[0], found[1], out)
    while python.unfinished(line):
        event, more = editor.read(_MORE)
        if event != "line":
            return _over(event)
        line += "\n" + more
    return _leaves(keys, out, python.run, line, out)


# A question of a command that runs: the keys are those of the prompt meanwhile.
def _ask(editor, out, prompt, mask):
    out.fresh()
    try:
        micropython.kbd_intr(-1)
        event, text = editor.read(prompt, mask)
    finally:
        micropython.kbd_intr(3)
    if event == "long":
        raise Error("usage", "an answer has %d bytes at most" % LIMIT, "a shorter one")
    if event in ("stop", "leave"):
        raise KeyboardInterrupt
    return None if event == "eof" else text


# No line came; True when the person leaves.
def _over(event):
    if event == "long":
        raise Error(
            "usage", "a line has %d bytes at most; it was not run" % LIMIT, "a shorter one"
        )
    return event == "leave"


# Runs something that Ctrl-C stops; True when that Ctrl-C asked for the REPL.
def _leaves(keys, out, function, *arguments):
    try:
        try:
            micropython.kbd_intr(3)
            function(*arguments)
        finally:
            micropython.kbd_intr(-1)
    except KeyboardInterrupt:
        # Again: this one may have come right before the line above.
        micropython.kbd_intr(-1)
        out.fresh()
        out.write("(stopped)\n")
        return keys.tool_waits()
    return False


def join(out):
    """Join the Wi-Fi of wifi.ssid, if there is one, and say how it went."""
    try:
        ssid = config.get("wifi.ssid")
        if not ssid:
            return
        from net import wifi

        out.write("Wi-Fi: %s, " % ssid)
        out.write(wifi.join(ssid, config.get("wifi.password"), _WIFI_S) + "\n")
    except Exception as error:
        out.error(commands.explain(error))


# A directory of such a name hides the package: it was meant for data, which lies in /data.
def _warn(out):
    import os

    there = os.listdir("/")
    for name in _PACKAGES:
        if name in there and not any(f.startswith("__init__.") for f in os.listdir("/" + name)):
            hint = "import os; os.rename('/%s', '/data/%s')" % (name, name)
            out.error(Error("config", "the directory /%s hides a part of AntOS" % name, hint))


def _machine():
    import os

    name = os.uname()
    return "MicroPython %s, %s" % (name.release, name.machine)


def _reset():
    import machine

    machine.soft_reset()
