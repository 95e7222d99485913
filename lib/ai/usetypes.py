"""What is asked for, and who answers it: the settings of a use-type, from config.

options("code", {"temperature": 0}) -> all that a request needs, in one dict

A setting is looked up as ai.<use>.<key>, then as ai.general.<key>. Model, key and url belong to
a provider: they are not taken from a use-type that another provider answers, so a key never
reaches a provider that it is not for.
"""

from ai import catalogue
from net.errors import Error
from store import config

USES = ("general", "chat", "code", "help")
OVERRIDES = (
    "use",
    "provider",
    "model",
    "key",
    "url",
    "timeout",
    "max_tokens",
    "temperature",
    "system",
    "tools",
)
SETTINGS = OVERRIDES[1:9] + ("tools_level",)
_OF_PROVIDER = ("model", "key", "url", "tools_level")
_LEVELS = ("native", "textual", "none")
_NUMBERS = (("max_tokens", int), ("temperature", float), ("timeout", float))
_TIMEOUT = 120  # seconds without a byte: a local model may load first
_FIRST = "config ai.general.provider groq (or ollama openai moonshot gemini anthropic)"


def get(use, key):
    """A setting of a use-type as str, or of "general"; None if neither has it."""
    value = config.get("ai.%s.%s" % (use, key))
    return config.get("ai.general." + key) if value is None else value


def forget_provider(use):
    """Forget what a use-type has set for its provider; returns the names of these settings."""
    return [name for name in _OF_PROVIDER if config.delete("ai.%s.%s" % (use, name))]


def check(use):
    """Error "config" if this is no use-type: neither a usual one nor one with a setting."""
    if use in USES:
        return
    if use and all(c.isalpha() or c.isdigit() or c in "_-" for c in use):
        for _ in config.items("ai.%s." % use):
            return
    raise Error(
        "config",
        "no use-type %r" % use,
        "one of: %s; or config ai.NAME.provider PROVIDER makes one" % " ".join(USES),
    )


def options(use, overrides):
    """The options of a request: who, where, with what. Error "config" or "auth" in words.

    overrides: those of ai.ask; None counts as not given. What is not set is not in the result.
    """
    check(use)
    given = {key: value for key, value in overrides.items() if value is not None}
    chosen = given.get("provider") or (None if "url" in given else get(use, "provider"))
    found = _of_row(chosen, use, given)
    for key in OVERRIDES[2:9]:
        value = given.get(key)
        if value is None:
            value = _setting(use, key, chosen)
        if value is not None:
            found[key] = value
    level = _setting(use, "tools_level", chosen)
    if level is not None:
        found["tools_level"] = _level(use, level)
    for key, kind in _NUMBERS:
        if key in found:
            found[key] = _number(use, key, found[key], kind)
    return _checked(found, use)


def _of_row(chosen, use, given):
    if chosen is None:
        if "url" not in given and get(use, "url") is None:
            raise Error("config", "no provider is set", _FIRST)
        return _base("", "this server", "openai", "bearer", "native")
    id, name, style, url, auth, model, level, quirks = catalogue.find(chosen)
    found = _base(id, name, style, auth, level)
    found["url"] = url
    if model:
        found["model"] = model
    found.update(quirks)
    return found


def _base(id, name, style, auth, level):
    return {
        "provider": id,
        "name": name,
        "style": style,
        "auth": auth,
        "tools_level": level,
        "timeout": _TIMEOUT,
        "stream": True,
    }


def _setting(use, key, chosen):
    for scope in (use, "general"):
        value = config.get("ai.%s.%s" % (scope, key))
        if value is not None and (key not in _OF_PROVIDER or get(scope, "provider") == chosen):
            return value
    return None


def _level(use, level):
    if level in _LEVELS:
        return level
    raise Error(
        "config",
        "tools_level is not %r" % level,
        "config ai.%s.tools_level one of: %s" % (use, " ".join(_LEVELS)),
    )


def _number(use, key, value, kind):
    try:
        return kind(value)
    except (ValueError, TypeError):
        raise Error(
            "config",
            "%s is not a number: %r" % (key, value),
            "config ai.%s.%s NUMBER" % (use, key),
        )


def _checked(found, use):
    if "model" not in found:
        who = found["provider"] or found["url"]
        raise Error("config", "no model is set for " + who, "config ai.%s.model MODEL" % use)
    # A server without a row may want no key.
    if found["auth"] and "key" not in found:
        if found["provider"]:
            raise Error("auth", "no key is set for " + found["name"], "config ai.%s.key KEY" % use)
        found["auth"] = ""
    found["url"] = found["url"].rstrip("/")
    found["mark"] = "%s/%s" % (found["provider"] or found["url"], found["model"])
    return found
