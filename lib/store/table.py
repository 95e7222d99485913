"""Lines of key=value in one file: what config and secrets have in common.

A newline and a backslash in a value are escaped. A line that cannot be read is kept as it is.
"""

from store import paths

_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"))


def get(name, key):
    """The value of a key, None if it has none."""
    start = key + "="
    for line in paths.read_lines(name):
        if line.startswith(start):
            return _unescape(line[len(start) :].rstrip("\n"))
    return None


def keys(name):
    """The keys, as they stand in the file."""
    for line in paths.read_lines(name):
        key, equals, _ = line.partition("=")
        if equals:
            yield key


def put(name, key, value):
    """Set a key, or remove it if value is None; returns whether it was there."""
    found = get(name, key) is not None
    if value is None and not found:
        return False
    line = "" if value is None else key + "=" + _escape(value) + "\n"
    paths.replace(name, _changed(name, key, line))
    return found


# The lines with this one in its place: files stay in the order of their keys.
def _changed(name, key, new):
    start = key + "="
    for line in paths.read_lines(name):
        if line.startswith(start):
            continue
        if new and line > new:
            yield new
            new = ""
        yield line if line.endswith("\n") else line + "\n"
    if new:
        yield new


def _escape(value):
    for plain, escaped in _ESCAPES:
        value = value.replace(plain, escaped)
    return value


def _unescape(value):
    if "\\" not in value:
        return value
    parts = value.split("\\\\")
    for i in range(len(parts)):
        parts[i] = parts[i].replace("\\n", "\n").replace("\\r", "\r")
    return "\\".join(parts)
