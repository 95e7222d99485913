"""Append-only records, one line of JSON each, made to survive a power cut.

log.append("history/chat.log", ["user", "Hello"])
for record in log.records("history/chat.log"): ...

A record is in the flash when append() returns. What a power cut tore is a line that is not JSON:
it is passed over, and the next record starts a line of its own.
"""

import json
import os

from store import paths

# Longer lines are not ours: a writer keeps its records to a fraction of this.
_LINE_MAX = 8192
_SLICE = 256


def append(name, *records):
    """Add records. They are whole in the file, or the last one is torn and will be passed over."""
    full = paths.path(name)
    torn = _is_torn(full)
    with open(full, "ab") as file:
        if torn:
            file.write(b"\n")
        for record in records:
            file.write(json.dumps(record).encode() + b"\n")


def records(name):
    """Yields the records in order, as JSON gives them; none if there is no such log."""
    try:
        file = open(paths.DATA + "/" + name, "rb")
    except OSError:
        return
    with file:
        for line in _lines(file):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            yield record


def clear(name):
    """Forget all records; returns whether there were any."""
    return paths.remove(paths.DATA + "/" + name)


# Lines of a bounded length; a longer one is left out without being loaded. In slices, since
# readline(n) allocates n bytes before it reads one.
def _lines(file):
    pieces = []
    size = 0
    while True:
        piece = file.readline(_SLICE)
        if not piece:
            return
        size += len(piece)
        if size <= _LINE_MAX:
            pieces.append(piece)
        if piece.endswith(b"\n"):
            if size <= _LINE_MAX:
                yield pieces[0] if len(pieces) == 1 else b"".join(pieces)
            pieces = []
            size = 0


def _is_torn(full):
    try:
        if not os.stat(full)[6]:
            return False
        with open(full, "rb") as file:
            file.seek(-1, 2)
            return file.read(1) != b"\n"
    except OSError:
        return False
