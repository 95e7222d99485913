"""Asking from a script: no history, no tools run, no exception for what a provider does.

reply = ask("Name a colour.", temperature=0)
text, err, calls = ask([{"role": "user", "content": "..."}], tools=[{...}])
"""

import json

from ai import exchange, usetypes
from ai.reply import Reply, fold
from net.errors import Error


def ask(messages, **overrides):
    """Ask once; returns a Reply, which unpacks as text, error, calls.

    messages   a str, or a list of {"role", "content"}; roles system user assistant tool, with
               "tool_calls" [{"id", "name", "args"}] and "tool_call_id"
    overrides  use provider model key url timeout (seconds) max_tokens temperature system tools;
               tools: [{"name", "description", "parameters"}], parameters a JSON Schema
    """
    reply = Reply()
    try:
        for delta in _deltas(messages, overrides):
            fold(reply, delta)
    except Error as error:
        reply.error = error
    return reply


def ask_simple(prompt, **overrides):
    """Ask once; returns (text, None), or (None, Error)."""
    text, error, _ = ask(prompt, **overrides)
    return (None, error) if error else (text, None)


def stream(messages, **overrides):
    """Ask once; an iterator of pieces of text. Its .reply is the Reply when it is at its end.

    Raises the Error that ask() would return.
    """
    return Stream(_deltas(messages, overrides))


class Stream:
    """Pieces of text as they come; .reply has the rest."""

    def __init__(self, deltas):
        self.reply = Reply()
        self._deltas = deltas

    def __iter__(self):
        return self

    def __next__(self):
        for delta in self._deltas:
            fold(self.reply, delta)
            if delta[0] == "text":
                return delta[1]
        raise StopIteration

    def close(self):
        """End it early: the connection is closed."""
        self._deltas.close()


def _deltas(messages, overrides):
    unknown = [name for name in overrides if name not in usetypes.OVERRIDES]
    if unknown:
        raise TypeError("unknown: %s; known: %s" % (unknown[0], " ".join(usetypes.OVERRIDES)))
    system, parts = _parts(messages)
    if system and overrides.get("system") is None:
        overrides["system"] = system
    options = usetypes.options(overrides.get("use") or "general", overrides)
    return exchange.run(options, parts, _tools(overrides.get("tools")))


def _parts(messages):
    if isinstance(messages, str):
        return None, (("user", messages),)
    system = []
    parts = []
    names = {}
    for message in messages:
        role, text = message["role"], message.get("content") or ""
        if role in ("system", "developer"):
            system.append(text)
        elif role == "user":
            parts.append(("user", text))
        elif role == "assistant":
            _add_assistant(parts, names, text, message.get("tool_calls") or ())
        elif role == "tool":
            id = message["tool_call_id"]
            parts.append(("result", id, names.get(id, ""), not message.get("is_error"), text))
        else:
            raise ValueError("unknown role: %r" % role)
    return "\n\n".join(system), parts


def _add_assistant(parts, names, text, calls):
    if text:
        parts.append(("text", text))
    for call in calls:
        function = call.get("function") or call  # as OpenAI writes it, or as a Reply has it
        args = function.get("args") or function.get("arguments") or "{}"
        names[call["id"]] = function["name"]
        parts.append(("call", call["id"], function["name"]))
        parts.append(("args", call["id"], args if isinstance(args, str) else json.dumps(args)))
    parts.append(("stop", "calls" if calls else "end"))


def _tools(tools):
    return [
        (
            tool["name"],
            json.dumps(tool.get("description") or "").encode(),
            json.dumps(tool.get("parameters") or {"type": "object", "properties": {}}).encode(),
        )
        for tool in tools or ()
    ]
