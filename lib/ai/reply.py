"""A reply put together from its deltas. Pure.

reply = Reply(); for delta in deltas: fold(reply, delta)
text, err, calls = reply
"""

from micropython import const

from net.errors import Error

_ARGS_MAX = const(32768)


class Reply:
    """What the model said.

    text    str
    error   an Error, or None
    calls   [{"id", "name", "args"}], args as JSON text; None if it wants no tool
    usage   (tokens in, tokens out), None if the provider did not say
    stop    why it ended: end calls length filter cut
    """

    def __init__(self, keep_text=True):
        self.error = None
        self.usage = None
        self.stop = None
        self._text = [] if keep_text else None
        self._calls = []

    @property
    def text(self):
        return "".join(self._text or ())

    @property
    def calls(self):
        return [
            {"id": id, "name": name, "args": "".join(args) or "{}"}
            for id, name, args, _ in self._calls
        ] or None

    def __iter__(self):
        yield self.text
        yield self.error
        yield self.calls

    def __str__(self):
        if self.error is None:
            return self.text
        hint = self.error.hint
        return "error: %s%s" % (self.error, "; try: " + hint if hint else "")

    def __repr__(self):
        return "<Reply %r>" % str(self)

    def raise_for_error(self):
        """Raise the error if there is one; else return the reply itself."""
        if self.error is not None:
            raise self.error
        return self


def fold(reply, delta):
    """Take a delta into a reply. Error "protocol" for arguments that outgrow their cap."""
    kind = delta[0]
    if kind == "text":
        if reply._text is not None:
            reply._text.append(delta[1])
    elif kind == "call":
        reply._calls.append([delta[1], delta[2], [], 0])
    elif kind == "args":
        _add_args(reply, delta[1], delta[2])
    elif kind == "usage":
        reply.usage = delta[1:]
    elif kind == "stop":
        reply.stop = delta[1]


def _add_args(reply, id, text):
    for call in reply._calls:
        if call[0] == id:
            call[3] += len(text)
            if call[3] > _ARGS_MAX:
                raise Error(
                    "protocol",
                    "the arguments for %s are longer than %d characters" % (call[1], _ARGS_MAX),
                    "ask for less at once",
                )
            call[2].append(text)
