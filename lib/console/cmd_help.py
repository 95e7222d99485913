"""help [COMMAND]: the table of commands, for people."""

from console import commands

_MORE = """\
Ctrl-C stops what runs; at an empty prompt it leaves for the REPL. Ctrl-D starts anew.
To leave the terminal: Ctrl-] in mpremote (and make run).
Whatever is no command is Python: print(6 * 7)
"""


def run(rest, out):
    """List the commands, or those that begin with the words given."""
    rows = tuple(matching(" ".join(rest.split())))
    if not rows:
        raise commands.usage("no command '%s'" % rest)
    for row in rows:
        out.write(line(row) + "\n")
    if not rest:
        out.write(_MORE)


def matching(name):
    """The rows whose name is `name` or begins with its words; all, in order, for ""."""
    for row in sorted(commands.TABLE):
        if not name or (row[commands.NAME] + " ").startswith(name + " "):
            yield row


def line(row):
    """A row as help shows it."""
    usage, summary = row[commands.USAGE], row[commands.SUMMARY]
    if len(usage) > 30:
        return "  %s\n  %30s  %s" % (usage, "", summary)
    return "  %-30s  %s" % (usage, summary)
