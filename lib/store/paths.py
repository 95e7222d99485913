"""Where data lies, and how a file is replaced. Never at /ai, /mcp or /net: such a directory
would hide the package of that name.

paths.DATA = "data"     in a test: below the current directory
"""

import os

DATA = "/data"


def path(name):
    """The path of a data file, its directories made."""
    full = DATA + "/" + name
    make_dirs(full[: full.rindex("/")])
    return full


def make_dirs(folder):
    """Make a directory and those above it; ones that are there are fine."""
    for end in range(1, len(folder) + 1):
        if end == len(folder) or folder[end] == "/":
            try:
                os.mkdir(folder[:end])
            except OSError:
                pass  # there already; if it could not be made, opening a file in it says so


def replace(name, lines, mode="w"):
    """Write a data file anew, from an iterable of lines (mode "wb": of bytes). A power cut leaves
    the old or the new.

    A rename is atomic on LittleFS. If `lines` raises, the old file stays.
    """
    full = path(name)
    part = full + ".new"
    try:
        with open(part, mode) as file:
            for line in lines:
                file.write(line)
    except BaseException:
        remove(part)
        raise
    os.rename(part, full)


def remove(full):
    """Remove a file; returns whether it was there."""
    try:
        os.remove(full)
    except OSError:
        return False
    return True


def read_lines(name):
    """The lines of a data file, one at a time; none if it is not there."""
    try:
        file = open(DATA + "/" + name)
    except OSError:
        return
    with file:
        for line in file:
            yield line
