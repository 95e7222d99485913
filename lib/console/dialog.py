"""What an MCP server wants of the person while one of its tools runs: answers, and patience.

dialog = Dialog(out); dialog.who = "weather"
mcp.connect_named("weather", on_elicit=dialog.elicit, on_progress=dialog.progress)
"""

import time

from micropython import const

from console.screen import clean, short
from mcp import elicit

_EVERY_MS = const(1000)
_LINE = const(200)
_CHOICES_MAX = const(20)


class Dialog:
    """One screen; `who` names the server that asks (the specification wants it shown)."""

    def __init__(self, out, who=""):
        self.who = who
        self._out = out
        self._last = None

    def progress(self, done, total, message):
        """Show how far a tool is, once a second at most."""
        now = time.ticks_ms()
        if self._last is not None and time.ticks_diff(now, self._last) < _EVERY_MS:
            return
        self._last = now
        share = "%s of %s" % (done, total) if total else done
        self._out.dim(
            "[.. %s%s]" % (short(share, 40), message and " " + short(message, 120) or "")
        )

    def elicit(self, message, schema):
        """Put a server's question to the person; returns the answers, None if declined."""
        out = self._out
        out.fresh()
        out.write("%s asks: " % self.who)
        out.clean(message if isinstance(message, str) else "")
        out.fresh()
        fields = list(elicit.fields(schema))
        out.write("  Enter takes what is in [], Ctrl-D declines, Ctrl-C stops\n")
        answers = {}
        for field in fields:
            if not self._field(field, answers):
                break
        else:
            if fields or self._agrees():
                return answers
        out.write("(declined)\n")
        return None

    # Asks until the answer fits; False if there is none.
    def _field(self, field, answers):
        self._describe(field)
        while True:
            text = self._out.ask(_prompt(field))
            if text is None:
                return False
            try:
                value = elicit.convert(field, text)
            except ValueError as error:
                self._out.write("  %s\n" % short(str(error), _LINE))
                continue
            if value is not None:
                answers[field[0]] = value
            return True

    def _describe(self, field):
        _, kind, words, required, _, choices = field
        what = "yes or no" if kind == "boolean" else "" if choices else kind
        what = "several, with commas" if kind == "array" else what
        notes = ", ".join(n for n in (what, "" if required else "may stay empty") if n)
        out = self._out
        out.write("  " + short(str(words), _LINE) + (" (%s)\n" % notes if notes else "\n"))
        for value, name in choices[:_CHOICES_MAX]:
            value = short(str(value), 60)
            name = short(name, 60)
            out.write("    %s\n" % (value if name == value else "%s: %s" % (value, name)))
        if len(choices) > _CHOICES_MAX:
            out.write("    ... and %d more\n" % (len(choices) - _CHOICES_MAX))

    # A question without fields is yes or no.
    def _agrees(self):
        text = self._out.ask("  yes or no [no]> ")
        return bool(text) and text.strip().lower() in ("y", "yes")


def _prompt(field):
    name, _, _, _, default, _ = field
    if isinstance(default, bool):
        default = "yes" if default else "no"
    elif isinstance(default, list):
        default = ",".join(str(value) for value in default)
    shown = "" if default is None else " [%s]" % short(str(default), 40)
    return "  %s%s> " % (short(clean(name), 40), shown)
