"""Whether the answers of the tour agree with what the tool said. Reads the transcript only.

judge(transcript) -> "" or one sentence about the first thing that is wrong
"""

import re

from tools.weather import towns

PROMPT = "antos> "
_NEGATION = re.compile(r"\b(no|not|never|without|unnecessary)\b|n't\b", re.I)


def judge(transcript: str) -> str:
    """ "" if every question about a town was answered from its weather, else what is wrong."""
    turns = [turn for turn in transcript.split(PROMPT)[1:] if _town(turn.partition("\n")[0])]
    if not turns:
        return "no question about the weather was asked"
    return next((wrong for wrong in map(_judge_turn, turns) if wrong), "")


def needs_coat(answer: str) -> bool | None:
    """What an answer says about a coat: True, False, or None when it says nothing."""
    sentences = [s for s in re.split(r"[.!?;\n]", answer) if re.search(r"\bcoat\b", s, re.I)]
    if not sentences:
        return None
    return not any(_NEGATION.search(sentence) for sentence in sentences)


def _judge_turn(turn: str) -> str:
    question, _, rest = turn.partition("\n")
    town = _town(question)
    lines = rest.strip().splitlines()
    calls = [line for line in lines if "get_weather" in line and town in line]
    if not calls:
        return f"{question!r}: the tool get_weather was not called for {town}"
    if any(line.startswith("[-> failed") for line in lines):
        return f"{question!r}: the tool failed"
    answer = "\n".join(line for line in lines if not line.startswith("["))
    said, right = needs_coat(answer), towns.needs_coat(town)
    if said is None:
        return f"{question!r}: the answer says nothing about a coat: {answer!r}"
    if said != right:
        return f"{question!r}: the answer contradicts the tool: {answer!r}"
    return ""


def _town(line: str) -> str | None:
    if not line.startswith("ai "):
        return None
    return next((name for name in towns.names() if name.lower() in line.lower()), None)
