"""What the model is too small for: choosing a tool, and sticking to what the tool said. Pure.

tool(question, earlier, tools) -> the tool whose words the question shares most, or None
"""

import json
import re

_STOP = frozenset(
    "a about again all also am an and any are as at be been but by can could did do does for from "
    "had has have how i if in into is it its just let like may me my need no not of on or our out "
    "please shall should so some tell than that the their them then there these they this those "
    "to too us use was we were what when where which who why will with would yes you your".split()
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST = 240  # characters of a sentence that is worth repeating
_MOST = 12
_FOLLOW_UP = 5  # words


def words(text: str) -> set:
    """The words of a text that mean something, without their plural."""
    found = re.findall(r"[a-zà-ÿ]+", text.lower().replace("_", " "))
    return {w[:-1] if len(w) > 3 and w.endswith("s") else w for w in found if w not in _STOP}


def tool(question: str, earlier: str, tools: list) -> dict | None:
    """The function of the request's tools that the question is about; None if it is about none.

    earlier: the question before, which counts when this one says too little ("and in Leeds?").
    """
    return _best(words(question), tools) or _follow_up(question, earlier, tools)


def arguments(schema: dict, question: str) -> dict:
    """The schema for the arguments that the model shall fill in from a question.

    Only what is required is asked for, and a string has to stand in the question word for word:
    left to itself the model makes names up.
    """
    properties = schema.get("properties") or {}
    names = [name for name in schema.get("required") or properties if name in properties]
    phrases = _phrases(question)
    return {
        "type": "object",
        "properties": {name: _from_question(properties[name], phrases) for name in names},
        "required": names,
        "additionalProperties": False,
        # Without white space between tokens, of which a small model finds no end.
        "x-guidance": {"whitespace_flexible": False},
    }


def is_follow_up(question: str) -> bool:
    """Whether a question is too short to stand for itself."""
    return len(question.split()) <= _FOLLOW_UP


def whole_question(question: str, earlier: str, before: dict, now: dict) -> str:
    """A follow-up put as a question of its own: the earlier one with the new arguments in it.

    before, now: the arguments of the earlier and of the present call.
    """
    if not earlier or not is_follow_up(question):
        return question
    whole = earlier
    for name, value in before.items():
        if isinstance(value, str) and value and isinstance(now.get(name), str):
            whole = re.sub(re.escape(value), lambda _, v=now[name]: v, whole, flags=re.I)
    return whole if whole != earlier else f"{earlier} {question}"


def sentences(text: str) -> list:
    """The sentences of a tool's result, if it is made of such; else []."""
    found = [s.strip() for s in _SENTENCE.split(text) if s.strip()]
    fit = 1 < len(found) <= _MOST and all(len(s) <= _LONGEST for s in found)
    return found if fit and not text.lstrip().startswith(("{", "[")) else []


def answers(question: str, found: list) -> list:
    """The sentences that share the most words with a question; all if none shares any."""
    asked = words(question)
    common = set.intersection(*(words(s) for s in found)) if found else set()
    scores = [len((asked - common) & words(s)) for s in found]
    best = max(scores, default=0)
    return [s for s, score in zip(found, scores, strict=True) if score == best]


def grammar(found: list, needed: list) -> str:
    """A GBNF grammar: one or two of the sentences, one of those that are needed among them."""
    others = [s for s in found if s not in needed]
    rest = f' (" " ({_any(others)}))?' if others and len(needed) < len(found) else ""
    return f"root ::= ({_any(needed)}){rest}"


def _from_question(property: dict, phrases: list) -> dict:
    if property.get("type") == "string" and "enum" not in property and phrases:
        return {"type": "string", "enum": phrases}
    return property


# Runs of one to three words, none of which begins or ends with one that means nothing.
def _phrases(question: str) -> list:
    spoken = re.findall(r"[\w'’.-]*\w", question)
    found = []
    for start in range(len(spoken)):
        for end in range(start + 1, min(start + 4, len(spoken) + 1)):
            edges = {spoken[start].lower(), spoken[end - 1].lower()}
            if not edges & _STOP:
                found.append(" ".join(spoken[start:end]))
    return list(dict.fromkeys(found))


def _any(choices: list) -> str:
    return " | ".join(json.dumps(s, ensure_ascii=False) for s in choices)


def _follow_up(question, earlier, tools):
    return _best(words(earlier), tools) if earlier and is_follow_up(question) else None


# Of two that share as many words the one that is about less.
def _best(asked: set, tools: list) -> dict | None:
    scored = [(len(asked & about), -len(about), -i) for i, about in enumerate(map(_about, tools))]
    score, _, place = max(scored, default=(0, 0, 0))
    return tools[-place] if score else None


def _about(function: dict) -> set:
    names = " ".join(function.get("parameters", {}).get("properties") or ())
    return words(" ".join((function.get("name", ""), function.get("description") or "", names)))
