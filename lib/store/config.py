"""Settings that survive a reboot: `config.get("ai.general.provider")`.

Keys are words with dots between them. Those that name a secret go to store.secrets, and only
get() gives them out; items() tells no more than that they are set.
"""

from net.errors import Error
from store import secrets, table

_FILE = "config"
_SECRET_ENDS = (".key", ".token", ".password")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"


def is_secret(key):
    """Whether a key names a secret: it ends in .key, .token or .password, or is a header."""
    return ".header." in key or key.endswith(_SECRET_ENDS)


def get(key, default=None):
    """The value of a key as str."""
    value = secrets.get(key) if is_secret(key) else table.get(_FILE, key)
    return default if value is None else value


def set(key, value):
    """Set a key. Error "config" if it is not a key."""
    _check(key)
    put = secrets.put if is_secret(key) else _put
    put(key, str(value))


def delete(key):
    """Forget a key; returns whether it was set."""
    return secrets.put(key, None) if is_secret(key) else _put(key, None)


def items(prefix=""):
    """Yields (key, value) in order for the keys that start with prefix; value None: a secret."""
    names = [key for key in table.keys(_FILE) if key.startswith(prefix)]
    names += [key for key in secrets.names() if key.startswith(prefix)]
    names.sort()
    for key in names:
        yield key, None if is_secret(key) else table.get(_FILE, key)


def _put(key, value):
    return table.put(_FILE, key, value)


def _check(key):
    good = key and not any(c not in _LETTERS for c in key)
    if not good or key[0] == "." or key[-1] == "." or ".." in key:
        raise Error("config", "%r is not a config key" % key, "words with dots: ai.general.model")
