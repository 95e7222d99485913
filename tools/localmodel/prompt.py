"""From the messages of a request to what the model reads. Pure.

request(body) -> (messages, functions)      raises ValueError with words for the client
"""

import json

from tools.localmodel import choose
from tools.localmodel.engine import CONTEXT

ANSWER_MAX = 200  # tokens, where the request names no number
_FACTS_MAX = 4000  # characters
_QUESTION_MAX = 1000
# Characters, of which a token has more than three; the answer needs room as well.
_PROMPT_MAX = (CONTEXT - 2 * ANSWER_MAX) * 3
_EXAMPLE = (
    {"role": "system", "content": "Copy the values from the text into JSON."},
    {"role": "user", "content": "Text: is the train to Bath late?\nCopy: station"},
    {"role": "assistant", "content": '{"station":"Bath"}'},
)


def request(body) -> tuple:
    """The messages and the functions offered in a request's body."""
    if not isinstance(body, dict):
        raise ValueError("the body is not a JSON object")
    messages = body.get("messages")
    if not messages or not isinstance(messages, list) or not all(map(_is_message, messages)):
        raise ValueError("'messages' is not a list of messages with a role each")
    tools = body.get("tools") or []
    if not isinstance(tools, list):
        raise ValueError("'tools' is not a list")
    return messages, [function for function in map(_function, tools) if function]


def questions(messages) -> list:
    """What the user said, the last last."""
    return [text(m)[-_QUESTION_MAX:] for m in messages if m["role"] == "user"]


def for_arguments(schema: dict, asked: list) -> list:
    """Messages that make the model fill in the arguments of a call."""
    text = " ".join(asked[-2:] if choose.is_follow_up(asked[-1]) else asked[-1:])
    names = ", ".join(schema["properties"])
    return [*_EXAMPLE, {"role": "user", "content": f"Text: {text}\nCopy: {names}"}]


def from_facts(messages) -> dict:
    """A request for the answer to the last question, out of what the tool said."""
    turns = _turns(messages) or [("", {})]
    question = choose.whole_question(turns)
    facts = _facts(messages)[:_FACTS_MAX]
    ask = f"{question}\n\nFacts: {facts}\n\nRepeat the fact that answers the question."
    found = choose.sentences(facts)
    more = {"messages": [{"role": "user", "content": ask}], "temperature": 0}
    if found:
        needed = choose.answers([turns[-1][0], question], found)
        more |= {"grammar": choose.grammar(found, needed), "response_format": None}
    return more


def cut(messages) -> list:
    """The latest messages that fit the model's context, the system prompt among them; text
    only."""
    plain = [{"role": m["role"], "content": text(m)} for m in messages if m["role"] != "tool"]
    plain = [m for m in plain if m["content"]]
    head = [m for m in plain[:1] if m["role"] == "system"]
    for message in head:
        message["content"] = message["content"][: _PROMPT_MAX // 2]
    room = _PROMPT_MAX - sum(len(m["content"]) for m in head)
    kept = []
    for message in reversed(plain[len(head) :]):
        if room <= 0:
            break
        message["content"] = message["content"][-room:]
        room -= len(message["content"])
        kept.insert(0, message)
    return head + kept


def text(message) -> str:
    """The text of a message, also of one in parts."""
    content = message.get("content")
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content or ""


def _is_message(message) -> bool:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        return False
    return isinstance(message.get("content") or "", (str, list))


def _function(tool) -> dict | None:
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    described = function.get("description")
    schema = function.get("parameters")
    return {
        "name": function["name"],
        "description": described if isinstance(described, str) else "",
        "parameters": schema if isinstance(schema, dict) else {},
    }


# [(question, arguments of the last call it led to)]
def _turns(messages) -> list:
    found = []
    for message in messages:
        if message["role"] == "user":
            found.append((text(message)[-_QUESTION_MAX:], {}))
        elif message.get("tool_calls") and found:
            found[-1] = found[-1][0], _arguments_of(message)
    return found


def _arguments_of(message) -> dict:
    try:
        args = json.loads(message["tool_calls"][-1]["function"]["arguments"])
    except (KeyError, ValueError, TypeError, IndexError):
        return {}
    return args if isinstance(args, dict) else {}


# The results at the end: a client may have run several tools.
def _facts(messages) -> str:
    found = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        found.insert(0, text(message))
    return "\n".join(found)
