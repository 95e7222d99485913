"""API styles: one module each, with request, feed, error, PATH, STREAM_PATH and HEADERS.

load("openai") -> the module
"""

from net.errors import Error

NAMES = ("anthropic", "gemini", "openai")


def load(name):
    """The module of a style, imported when it is first asked for. Error "config" if unknown."""
    if name not in NAMES:
        raise Error("config", "no API style %r" % name, "one of: " + ", ".join(NAMES))
    return getattr(__import__("ai.styles." + name).styles, name)
