"""A turn of a conversation: the only place that knows its order.

for delta in turn("general", "do I need a coat in Rochdale?"): ...

The question goes into the history with the first thing that comes back, so one that failed can be
asked again. What came before Ctrl-C or a broken line stays. The tools that the model asks for are
run, and it is asked again with their results, a bounded number of times.
"""

from micropython import const

from ai import exchange, history, reply, tools, usetypes
from net.errors import Error

_ROUNDS = const(8)
_SAME = const(3)
_RESULT_MAX = const(16384)  # characters of a result that the model gets to see
_HINT = "ask in another way, or 'ai tools clear'"


def turn(use, text, approve=None, **overrides):
    """Yields the deltas of the replies of one turn, and around each tool call
    ("tool", name, args) and ("result", id, name, ok, text).

    use        use-type: whose history and settings
    approve    callable(name, args) -> bool, asked before each call; None: all are run
    overrides  as for ai.ask
    """
    options = usetypes.options(use, overrides)
    offered = () if options["tools_level"] == "none" else tools.offered()
    question = ("user", text)
    seen = []
    for _ in range(_ROUNDS):
        said = reply.Reply(keep_text=False)
        yield from _reply(use, options, question, offered, said)
        question = None
        if not said.calls:
            return
        if said.stop == "length":
            hint = "config ai.%s.max_tokens NUMBER" % use
            raise Error("tool", "the token cap ended the reply in a tool call", hint)
        for call in said.calls:
            yield from _call(use, call, approve, seen)
    raise Error("tool", "stopped after %d rounds of tool calls" % _ROUNDS, _HINT)


# One reply: shown, folded, and written as it comes.
def _reply(use, options, question, offered, said):
    parts = history.Parts(use, question) if question else history.parts(use)
    writer = None
    try:
        for delta in exchange.run(options, parts, offered):
            if writer is None:
                if question:
                    history.append(use, question)
                writer = history.Writer(use)
            writer.feed(delta)
            reply.fold(said, delta)
            yield delta
    finally:
        if writer:
            writer.end(said.stop or "cut")


def _call(use, call, approve, seen):
    name, args = call["name"], call["args"]
    yield "tool", name, args
    if approve and not approve(name, args):
        ok, text = False, "the user declined this call"
    else:
        ok, text = tools.call(name, args)
    if len(text) > _RESULT_MAX:
        text = "%s\n[cut: %d of %d characters]" % (text[:_RESULT_MAX], _RESULT_MAX, len(text))
    result = ("result", call["id"], name, ok, text)
    history.append(use, result)
    yield result
    _guard(seen, name, args, text)


# Models get stuck: the same call with the same result does not get better.
def _guard(seen, name, args, text):
    key = hash(name + args + text)
    seen.append(key)
    if seen.count(key) >= _SAME:
        raise Error("tool", "%s was called %d times with the same result" % (name, _SAME), _HINT)
