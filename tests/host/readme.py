"""What README.md shows: the transcript, and every command a reader would copy."""

import re

from device import ROOT

TEXT = (ROOT / "README.md").read_text()


def transcript() -> str:
    """The block after the mark `transcript:`."""
    return re.search(r"<!-- transcript.*?-->\n```\n(.*?)```", TEXT, re.S)[1]


def script() -> str:
    """The Python example."""
    return re.search(r"```python\n(.*?)```", TEXT, re.S)[1]


def commands(section: str) -> list:
    """The indented lines under a heading, without what follows two or more blanks."""
    body = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", TEXT, re.S | re.M)[1]
    body = re.sub(r"^```.*?^```", "", body, flags=re.S | re.M)
    lines = [line[4:] for line in body.splitlines() if re.match(r" {4}\S", line)]
    return [re.split(r" {2,}", line)[0] for line in lines]


def sections() -> list:
    """The headings."""
    return re.findall(r"^## (.*)$", TEXT, re.M)


def shape(transcript: str) -> list:
    """A transcript without what differs between machines: times, ports and the model's words.

    One entry a line: a typed line and a call in full, "text" for a run of the model's words.
    """
    rows = []
    for line in transcript.strip().splitlines():
        line = re.sub(r":\d{4,5}/", ":PORT/", re.sub(r"\d+(\.\d+)? ?m?s\b", "TIME", line))
        exact = line.startswith(("antos>", "["))
        if exact or rows[-1:] != ["text"]:
            rows.append(line.rstrip() if exact else "text")
    return rows[:-1] if rows[-1:] == ["antos>"] else rows
