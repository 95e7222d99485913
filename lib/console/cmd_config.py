"""config: shows and changes the settings. A secret is never shown."""

from console import commands
from console.screen import short
from net.errors import Error

_MASK = "(set)"
_NOT_SET = "(not set)"
# What may stand after a known beginning; other beginnings are the user's own.
_KNOWN = (
    ("wifi.", ("ssid", "password")),
    ("console.", ("color", "width", "debug")),
)


def run(rest, out):
    """config: all; config KEY: one; config PREFIX.: some; config KEY VALUE: set it."""
    key, _, value = rest.partition(" ")
    if key.startswith("-"):
        raise commands.usage("config has no option %s" % short(key, 20))
    if value.strip():
        _set(key, _unquote(value.strip()), out)
    elif not key or key.endswith("."):
        _list(key, out)
    elif not _show(key, out):
        _list(key + ".", out, _missing(key))


def delete(rest, out):
    """Delete one setting."""
    from store import config

    key = rest.strip()
    if not key or " " in key:
        raise commands.usage("config -d takes one KEY")
    if not config.delete(key):
        raise _missing(key)
    if key == "console.color":
        out.color = True
    out.write("%s is deleted\n" % key)


def _list(prefix, out, missing=None):
    from store import config

    count = 0
    for key, value in config.items(prefix):
        out.write("  %s = %s\n" % (key, _MASK if value is None else value))
        count += 1
    if not count and missing:
        raise missing
    if not count:
        out.write("no settings yet\n  try: config ai.general.provider ollama\n")


def _show(key, out):
    value = _seen(key)
    if value is not None:
        out.write("%s = %s\n" % (key, value))
    return value is not None


def _set(key, value, out):
    from store import config

    _check(key, value)
    old = _seen(key)
    config.set(key, value)
    if key.startswith("ai.") and key.endswith(".provider") and old not in (None, value):
        _part(key, old, out)
    out.write("%s: %s -> %s\n" % (key, _NOT_SET if old is None else old, _seen(key)))
    if key == "console.color":
        out.color = value != "off"
    if key.startswith("wifi."):
        from console import shell

        shell.join(out)


# A key must not reach a provider that it is not for.
def _part(key, old, out):
    from ai import usetypes

    use = key[3:-9]
    for name in usetypes.forget_provider(use):
        out.write("ai.%s.%s is forgotten: it was for %s\n" % (use, name, old))


# A value as a person may see it, None if there is none.
def _seen(key):
    from store import config

    value = config.get(key)
    return _MASK if value is not None and config.is_secret(key) else value


def _missing(key):
    return Error("config", "there is no setting '%s'" % short(key, 60), "config lists them")


def _check(key, value):
    for start, names in _KNOWN:
        if key.startswith(start) and key[len(start) :] not in names:
            raise Error("config", "no setting '%s'" % short(key, 60), "config " + start + names[0])
    if key.startswith("ai."):
        _check_ai(key, value)


def _check_ai(key, value):
    from ai import catalogue, usetypes

    use, dot, name = key[3:].partition(".")
    if not dot or name not in usetypes.SETTINGS:
        known = " ".join(usetypes.SETTINGS)
        raise Error("config", "no setting '%s'" % short(key, 60), "ai.TYPE. and one of: " + known)
    if name == "provider":
        catalogue.find(value)


def _unquote(value):
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value
