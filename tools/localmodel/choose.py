"""What the model is too small for: choosing a tool, and sticking to what the tool said. Pure.

tool(questions, tools) -> the function whose words the last question shares most, or None
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
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")  # a grammar has no way to write some of them
_LONGEST = 240  # characters of a sentence that is worth repeating
_MOST = 12
_FOLLOW_UP = re.compile(r"\W*(and|or|but|also|in|at|for|what about|how about)\b", re.I)
_FOLLOW_UP_MAX = 6  # words


def words(text: str) -> set:
    """The words of a text that mean something, without their plural."""
    found = re.findall(r"[a-zà-ÿ]+", text.lower().replace("_", " "))
    return {w[:-1] if len(w) > 3 and w.endswith("s") else w for w in found if w not in _STOP}


def is_follow_up(question: str) -> bool:
    """Whether a question leans on the one before: "and in Leeds?"."""
    short = len(question.split()) <= _FOLLOW_UP_MAX
    return short and bool(_FOLLOW_UP.match(question) and words(question))


def tool(questions: list, tools: list) -> dict | None:
    """The function that the last question is about; None if it is about none.

    questions: all of the conversation; those before count when the last one leans on them.
    """
    for question in reversed(questions):
        found = _best(words(question), tools)
        if found or not is_follow_up(question):
            return found
    return None


def arguments(function: dict, questions: list) -> dict:
    """The schema for the arguments that the model shall fill in from the questions.

    Only what is required is asked for, and a string has to stand in a question word for word:
    left to itself the model makes names up.
    """
    properties = properties_of(function)
    required = (function.get("parameters") or {}).get("required")
    names = [n for n in properties if n in required] if isinstance(required, list) else []
    names = names or list(properties)
    phrases = _values(function, questions)
    return {
        "type": "object",
        "properties": {name: _from_question(properties[name], phrases) for name in names},
        "required": names,
        "additionalProperties": False,
        # Without white space between tokens, of which a small model finds no end.
        "x-guidance": {"whitespace_flexible": False},
    }


def properties_of(function: dict) -> dict:
    """The parameters of a function by name; {} if its schema has none."""
    parameters = function.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    return properties if isinstance(properties, dict) else {}


def whole_question(turns: list) -> str:
    """The last question, put so that it stands for itself: the one it leans on, with the
    present arguments in place of those it had.

    turns: (question, arguments of the call it led to), the last one last
    """
    question, now = turns[-1]
    before = [turn for turn in turns[:-1] if not is_follow_up(turn[0])]
    if not before or not is_follow_up(question):
        return question
    earlier, old = before[-1]
    whole = earlier
    for name, value in old.items():
        if isinstance(value, str) and value and isinstance(now.get(name), str):
            whole = re.sub(re.escape(value), lambda _, v=now[name]: v, whole, flags=re.I)
    return whole if whole != earlier else f"{earlier} {question}"


def sentences(text: str) -> list:
    """The sentences of a tool's result, if it is made of such; else []."""
    found = [_CONTROL.sub(" ", s).strip() for s in _SENTENCE.split(text) if s.strip()]
    fit = 1 < len(found) <= _MOST and all(len(s) <= _LONGEST for s in found)
    return found if fit and not text.lstrip().startswith(("{", "[")) else []


def answers(questions: list, found: list) -> list:
    """The sentences that share the most words with the first of the questions that shares any;
    all of them if none does."""
    common = set.intersection(*map(words, found)) if found else set()
    for question in questions:
        scores = [len((words(question) - common) & words(s)) for s in found]
        best = max(scores, default=0)
        if best:
            return [s for s, score in zip(found, scores, strict=True) if score == best]
    return found


def grammar(found: list, needed: list) -> str:
    """A GBNF grammar: one or two of the sentences, one of those that are needed among them."""
    others = [s for s in found if s not in needed]
    rest = f' (" " ({_any(others)}))?' if others else ""
    return f"root ::= ({_any(needed)}){rest}"


def _from_question(schema, phrases: list) -> dict:
    if isinstance(schema, dict) and schema.get("type") == "string" and "enum" not in schema:
        return {"type": "string", "enum": phrases} if phrases else schema
    return schema


# What may be meant in the last question or, if there is nothing, in those it leans on. What the
# tool itself is about is not meant: "coat" is no town.
def _values(function: dict, questions: list) -> list:
    about = _about(function)
    for question in reversed(questions):
        found = [p for p in _phrases(question) if not _edges(p) & about]
        if found or not is_follow_up(question):
            break
    return found or _phrases(questions[-1])


# Runs of one to three words, none of which begins or ends with one that means nothing.
def _phrases(question: str) -> list:
    spoken = re.findall(r"[\w'’.-]*\w", question)
    found = []
    for start in range(len(spoken)):
        for end in range(start + 1, min(start + 4, len(spoken) + 1)):
            if not {spoken[start].lower(), spoken[end - 1].lower()} & _STOP:
                found.append(" ".join(spoken[start:end]))
    return list(dict.fromkeys(found))


def _edges(phrase: str) -> set:
    inside = phrase.split()
    return words(inside[0]) | words(inside[-1])


def _any(choices: list) -> str:
    return " | ".join(json.dumps(s, ensure_ascii=False) for s in choices)


# Of two that share as many words the one that is about less.
def _best(asked: set, tools: list) -> dict | None:
    scored = [(len(asked & about), -len(about), -i) for i, about in enumerate(map(_about, tools))]
    score, _, place = max(scored, default=(0, 0, 0))
    return tools[-place] if score else None


def _about(function: dict) -> set:
    names = " ".join(properties_of(function))
    return words(" ".join((function.get("name", ""), function.get("description") or "", names)))
