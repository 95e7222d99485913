"""ai -tools, ai tools list, ai tools clear: the tools that a model may use."""

from console.screen import short


def run(rest, out):
    """List them: name, server, what it is for."""
    from ai import tools

    count = 0
    for name, server, _, description in tools.rows():
        first = description.strip().split("\n")[0]
        out.write("  %-20s %-12s %s\n" % (short(name, 64), server or "-", short(first, 100)))
        count += 1
    if not count:
        out.write("no tools; 'ai -tools' asks the MCP servers for theirs\n")


def gather(rest, out):
    """Ask every configured server; one that does not answer keeps the tools it had."""
    from ai import tools
    from mcp import registry

    names = [row[0] for row in registry.rows()]
    for name in names:
        _gather(name, tools, registry, out)
    if not names:
        out.write("no MCP server yet\n  try: mcp add NAME URL\n")


def _gather(name, tools, registry, out):
    from console import commands

    out.write(name + ": ")
    try:
        count = tools.replace(name, registry.entries(name))
        out.write("%d tool%s\n" % (count, "" if count == 1 else "s"))
    except Exception as error:
        out.write("no answer, its old tools stay\n")
        out.error(commands.explain(error))


def clear(rest, out):
    """Take all of them away."""
    from ai import tools

    count = tools.count()
    tools.clear()
    out.write("%d tools cleared; 'ai -tools' brings them back\n" % count)
