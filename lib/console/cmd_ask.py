"""?: how to do something with this board. The model of use-type "help", told what there is.

A question stands for itself: it is answered without a history, and none is kept.
"""

from console import cmd_help, commands

_SYSTEM = """\
You help a person at the serial console of an ESP32 board that runs AntOS on MicroPython. Answer \
in a few short lines of plain text. Name the exact command to type where there is one; the only \
commands are those below. Whatever is no command is run as Python.
"""


def run(rest, out):
    """Answer a question, on the screen as it comes."""
    if not rest:
        raise commands.usage("? needs a QUESTION")
    import ai

    stream = ai.stream(rest, use="help", system=grounding())
    for piece in stream:
        out.clean(piece)
    out.fresh()
    out.stop(stream.reply.stop)


def grounding():
    """What the model is told: the table of commands, as help shows it."""
    return _SYSTEM + "\n".join(cmd_help.line(row) for row in cmd_help.matching(""))
