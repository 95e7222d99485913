"""The catalogue: who can be asked. Rows only; settings are in ai.usetypes.

find("groq") -> the row. To add a provider with a known style, add a row.

quirks are data that the style reads from its options:
    cap        name of the field for max_tokens
    reasoning  field in which reasoning has to go back with tool calls
    effort     reasoning_effort to send along with tools
Sources: the providers' API references; the default models are those of late 2026.
"""

from net.errors import Error

_COMPLETION = ("cap", "max_completion_tokens")

# id, name, style, url, auth, default model, tools level, quirks
_ROWS = (
    (
        "groq",
        "Groq",
        "openai",
        "https://api.groq.com/openai/v1",
        "bearer",
        "openai/gpt-oss-20b",
        "native",
        (_COMPLETION,),
    ),
    ("ollama", "Ollama", "openai", "http://127.0.0.1:11434/v1", "", None, "native", ()),
    (
        "openai",
        "OpenAI",
        "openai",
        "https://api.openai.com/v1",
        "bearer",
        "gpt-6-luna",
        "native",
        (_COMPLETION, ("effort", "none")),
    ),
    (
        "moonshot",
        "Kimi",
        "openai",
        "https://api.moonshot.ai/v1",
        "bearer",
        "kimi-k3",
        "native",
        (_COMPLETION, ("reasoning", "reasoning_content")),
    ),
    (
        "gemini",
        "Gemini",
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        "x-goog-api-key",
        "gemini-3.5-flash-lite",
        "native",
        (),
    ),
    (
        "anthropic",
        "Anthropic",
        "anthropic",
        "https://api.anthropic.com/v1",
        "x-api-key",
        "claude-haiku-5-5",
        "native",
        (),
    ),
)
_NAMES = ("id", "name", "style", "url", "auth", "model", "tools")


def rows():
    """All rows: (id, name, style, url, auth, model, tools, quirks)."""
    return _ROWS


def find(id):
    """The row of a provider. Error "config" if there is none of that id."""
    for row in _ROWS:
        if row[0] == id:
            return row
    known = ", ".join(row[0] for row in _ROWS)
    raise Error("config", "no provider %r" % id, "config ai.general.provider one of: " + known)


def providers():
    """The catalogue for scripts: a list of dicts (id, name, style, url, auth, model, tools)."""
    return [dict(zip(_NAMES, row)) for row in _ROWS]
