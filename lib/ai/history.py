"""Conversations on flash: one log of parts per use-type, which survives a power cut.

history.append("code", ("user", "Hello")); for part in history.parts("code"): ...

A log holds what was said in small records (see lib/README.md), so reading one back takes the
memory of a record, however long the conversation. Reading repairs what an interruption left:
calls without results get one that says so, results without a call are left out.
"""

import json

from micropython import const

from store import log

_PIECE = const(512)  # characters of a record of text
# How many fields a part of each kind has; what does not fit is not ours.
_FIELDS = {"user": 2, "text": 2, "opaque": 3, "call": 3, "args": 3, "result": 5, "stop": 2}
_INTERRUPTED = "interrupted: no result"


def append(use, *parts):
    """Add parts; they are in the flash when this returns. Long texts become several records."""
    log.append(_file(use), *_records(parts))


def parts(use):
    """The conversation; can be iterated again and again."""
    return Parts(use)


def clear(use):
    """Forget a conversation; returns whether there was one."""
    return log.clear(_file(use))


class Parts:
    """The repaired parts of a conversation, and more after it if given."""

    def __init__(self, use, *more):
        self._use = use
        self._more = more

    def __iter__(self):
        yield from _repaired(_good(log.records(_file(self._use))))
        yield from self._more


class Writer:
    """Writes the deltas of a reply as it comes: text in batches, calls whole at its end."""

    def __init__(self, use):
        self._use = use
        self._text = []
        self._size = 0
        self._calls = []  # calls, their arguments and what belongs to them

    def feed(self, delta):
        """Take a delta; kinds that are not stored are passed over."""
        kind = delta[0]
        if kind == "text":
            self._text.append(delta[1])
            self._size += len(delta[1])
            if self._size >= _PIECE:
                self.flush()
        elif kind == "args":
            self._add_args(delta)
        elif kind == "call" or kind == "opaque" and self._calls:
            self._calls.append(delta)
        elif kind == "opaque":
            self._write(delta)

    def flush(self):
        """Write the text that waits."""
        self._write()

    def end(self, why):
        """The end of the reply. Calls of one that was cut are not kept: nobody will run them."""
        calls = () if why == "cut" else _sound(self._calls)
        self._calls = []
        self._write(*calls, ("stop", why))

    # Arguments join their call, whatever came in between.
    def _add_args(self, delta):
        for i in range(len(self._calls) - 1, -1, -1):
            if self._calls[i][0] in ("call", "args") and self._calls[i][1] == delta[1]:
                self._calls.insert(i + 1, delta)
                return

    def _write(self, *parts):
        if self._text:
            parts = (("text", "".join(self._text)),) + parts
            self._text = []
            self._size = 0
        if parts:
            append(self._use, *parts)


# Calls with arguments that are no JSON object get empty ones: some providers refuse the whole
# conversation ever after.
def _sound(calls):
    args = {}
    for part in calls:
        if part[0] == "args":
            args[part[1]] = args.get(part[1], "") + part[2]
    bad = [id for id, text in args.items() if not _is_object(text)]
    return [part for part in calls if part[0] != "args" or part[1] not in bad]


def _is_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _file(use):
    return "history/%s.log" % use


def _records(parts):
    for part in parts:
        at = {"user": 1, "text": 1, "opaque": 1, "args": 2, "result": 4}.get(part[0])
        if at is None or len(part[at]) <= _PIECE:
            yield part
            continue
        for start in range(0, len(part[at]), _PIECE):
            piece = part[at][start : start + _PIECE]
            yield part[:at] + (piece,) + part[at + 1 :]


def _good(records):
    for record in records:
        if isinstance(record, list) and record and _FIELDS.get(record[0]) == len(record):
            yield tuple(record)


def _repaired(parts):
    waiting = []  # (id, name) of calls without a result
    last = None  # id of the result that is being read
    stopped = False
    for part in parts:
        kind = part[0]
        if kind == "result":
            if part[1] != last:
                found = [call for call in waiting if call[0] == part[1]]
                if not found:
                    continue
                waiting.remove(found[0])
                last = part[1]
            yield part
            continue
        last = None
        if kind == "stop":
            stopped = True
        elif kind != "args" and (kind == "user" or stopped):
            for id, name in waiting:
                yield "result", id, name, False, _INTERRUPTED
            waiting = []
            stopped = False
        if kind == "call":
            waiting.append((part[1], part[2]))
        yield part
    for id, name in waiting:
        yield "result", id, name, False, _INTERRUPTED
