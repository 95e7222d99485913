"""The one exception of this project. Knows the words, not where they are printed.

raise Error("auth", "Groq: Invalid API key", "config ai.general.key KEY")
"""


class Error(Exception):
    """What went wrong, in words for the person at the console.

    kind     auth rate overload net timeout request tool protocol config memory
    message  one sentence, says what
    hint     what to do next, shown after "try: "; "" if there is nothing to do
    status   the HTTP status that brought it, 0 if none did
    wait     seconds after which to try again, as the server said; None if it did not say,
             negative if trying again is of no use (an exhausted quota)
    fix      what to leave out or to change so that it goes through: "tools" if the model takes
             none, "cap" if the field for the token cap has another name; "" if unknown
    """

    def __init__(self, kind, message, hint="", status=0, wait=None):
        # A traceback shows the arguments, not __str__.
        super().__init__("%s; try: %s" % (message, hint) if hint else message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.status = status
        self.wait = wait
        self.fix = ""

    def __str__(self):
        return self.message
