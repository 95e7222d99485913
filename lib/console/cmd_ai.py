"""ai: ask the model. Shows the reply as it comes, and each tool call in a dim line of its own."""

import sys

from console import commands
from console.screen import short

_ARGUMENTS = 200  # characters of a tool's arguments that are shown
_RESULT = 120


def run(rest, out):
    """ai [-u TYPE] QUESTION; with nothing: who would answer, and how to ask."""
    from ai import usetypes

    use, text = _use(rest)
    usetypes.check(use)
    if text == "clear" and rest != text:
        clear("", out, use)
    elif text:
        ask(use, text, out)
    else:
        _about(use, out)


def clear(rest, out, use="general"):
    """Forget the conversation of a use-type."""
    from ai import history

    history.clear(use)
    out.write("the conversation is forgotten\n")


def ask(use, text, out, **overrides):
    """One turn of a conversation, on the screen as it comes."""
    from ai import chat, tools

    tools.bind(_runner(out))
    flow = chat.turn(use, text, **overrides)
    try:
        for delta in flow:
            show(delta, out)
    finally:
        # Ctrl-C may come between two pieces as well: what came goes into the history then.
        flow.close()
        out.fresh()
        _hang_up()


def show(delta, out):
    """Put one delta of a turn on the screen."""
    kind = delta[0]
    if kind == "text":
        out.clean(delta[1])
    elif kind == "tool":
        out.dim("[%s %s]" % (delta[1], short(delta[2] or "{}", _ARGUMENTS)))
    elif kind == "result":
        out.dim("[%s %s]" % ("->" if delta[3] else "-> failed:", short(delta[4], _RESULT)))
    elif kind == "stop":
        out.stop(delta[1])


# Lazy: MCP is loaded when the first of its tools is called.
def _runner(out):
    dialogs = []

    def run(server, tool, args_text):
        from mcp import registry

        if not dialogs:
            from console.dialog import Dialog

            dialogs.append(Dialog(out))
            registry.bind(dialogs[0].elicit, dialogs[0].progress)
        dialogs[0].who = server
        return registry.run(server, tool, args_text)

    return run


# What a turn loaded is unloaded after it, so the connections it kept are closed.
def _hang_up():
    if "mcp.registry" in sys.modules:
        from mcp import registry

        registry.close()


# The use-type and the question of a line.
def _use(rest):
    if not rest.startswith("-"):
        return "general", rest
    option, _, rest = rest.partition(" ")
    if option != "-u":
        raise commands.usage("ai has no option %s" % short(option, 20))
    use, _, text = rest.strip().partition(" ")
    if not use:
        raise commands.usage("-u needs a TYPE, such as code")
    return use, text.strip()


def _about(use, out):
    from ai import history, usetypes
    from console import cmd_help

    cmd_help.run("ai", out)
    options = usetypes.options(use, {})
    count = sum(1 for part in history.parts(use) if part[0] == "user")
    what = (use, options["mark"], options["name"], count, "" if count == 1 else "s")
    out.write("%s: %s (%s) answers, %d question%s so far\n" % what)
