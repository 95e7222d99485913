"""Whether a provider answers, and whether its model can use tools: found out by asking it.

seconds = answer("code", provider="groq", key=key, model=model)
level = tools_level("code", provider="groq", key=key, model=model)

overrides are those of ai.ask: so settings can be tried before they are saved.
"""

import time

from ai import exchange, usetypes
from ai.reply import Reply, fold
from net.errors import Error

_WORD = "Say one word."
_ASK = "Use the tool report to report the number 7."
_TOOL = (
    "report",
    b'"Reports a number."',
    b'{"type":"object","properties":{"number":{"type":"integer"}},"required":["number"]}',
)


def answer(use, **overrides):
    """Ask for one word; returns (seconds, the reply's text). Error as for a question."""
    start = time.ticks_ms()
    reply = _ask(usetypes.options(use, overrides), _WORD, ())
    return time.ticks_diff(time.ticks_ms(), start) / 1000, reply.text


def tools_level(use, **overrides):
    """How the model takes tools: "native", "textual" if only in words, or "none".

    Error as for a question, except where it says that the model takes no tools.
    """
    options = usetypes.options(use, overrides)
    for level in ("native", "textual"):
        options["tools_level"] = level
        try:
            reply = _ask(options, _ASK, (_TOOL,))
        except Error as error:
            if level == "native" and error.fix != "tools":
                raise
            continue
        if any(call["name"] == _TOOL[0] for call in reply.calls or ()):
            return level
    return "none"


def _ask(options, question, tools):
    reply = Reply()
    for delta in exchange.run(options, (("user", question),), tools, degrade=False):
        fold(reply, delta)
    return reply
