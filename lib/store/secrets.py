"""Keys, tokens and passwords, apart from the config: what is never listed or shown.

secrets.get("ai.general.key")
"""

from store import table

_FILE = "secrets"


def get(key):
    """The secret, None if there is none."""
    return table.get(_FILE, key)


def put(key, value):
    """Set a secret, or forget it if value is None; returns whether there was one."""
    return table.put(_FILE, key, value)


def names():
    """The keys of all secrets, never a value."""
    return table.keys(_FILE)
