"""mcp: the servers that bring tools, without any model."""

import json
import time

from console import commands
from console.screen import short
from net.errors import Error

_LONGEST = 32  # characters of a server's name


def run(rest, out):
    """List the servers."""
    from mcp import registry

    count = 0
    for row in registry.rows():
        out.write("  %-12s %s\n" % (row[0], row[1]))
        count += 1
    if not count:
        out.write("no MCP server yet\n  try: mcp add NAME URL\n")


def add(rest, out):
    """mcp add NAME URL [--token TOKEN] [--header "KEY: VALUE"]..."""
    from mcp import registry

    plain, token, headers = _options(commands.words(rest))
    if len(plain) != 2:
        raise commands.usage("mcp add takes a NAME and a URL")
    name, url = plain
    _check_name(name)
    _check_url(url)
    was = dict(registry.rows()).get(name)
    registry.add(name, url, token, tuple(headers))
    out.write("%s: %s%s\n" % (name, "" if was in (None, url) else was + " -> ", url))
    out.write("  try: ai -tools\n")


def delete(rest, out):
    """Forget a server and the tools that came from it."""
    from ai import tools
    from mcp import registry

    name = _named(rest, registry)
    count = sum(1 for row in tools.rows() if row[1] == name)
    tools.replace(name, ())
    registry.delete(name)
    out.write("%s is forgotten, and %d tools of it\n" % (name, count))


def test(rest, out):
    """Connect, and show what answers and what it offers."""
    from mcp import registry

    name = _named(rest, registry)
    start = time.ticks_ms()
    with _connect(name) as connection:
        took = time.ticks_diff(time.ticks_ms(), start)
        what = (connection.server, connection.version, connection.era, took)
        out.write("%s: " % name + short("%s, MCP %s (%s), %d ms" % what, 200) + "\n")
        _list(connection, out)


def tools(rest, out):
    """The tools of a server, with their arguments."""
    from mcp import registry

    with _connect(_named(rest, registry)) as connection:
        _list(connection, out)


def call(rest, out):
    """Run one tool: mcp call NAME TOOL [{JSON}]."""
    import mcp
    from console.dialog import Dialog
    from mcp import registry

    name, _, rest = rest.partition(" ")
    tool, _, text = rest.strip().partition(" ")
    name = _named(name, registry)
    if not tool:
        raise commands.usage("which TOOL? 'mcp tools %s' lists them" % name)
    text = text.strip() or "{}"
    _check_object(text)
    dialog = Dialog(out, name)
    with mcp.connect_named(
        name, on_elicit=dialog.elicit, on_progress=dialog.progress
    ) as connection:
        ok, result = connection.call_text(tool, text)
    if not ok:
        raise Error("tool", "%s: %s" % (tool, result), "mcp tools " + name)
    out.clean(result)
    out.fresh()


def _connect(name):
    import mcp

    return mcp.connect_named(name)


def _list(connection, out):
    for name, description, schema in connection.entries():
        out.write("  %s(%s)\n" % (short(str(name), 64), short(_arguments(schema), 200)))
        if description:
            out.write("      %s\n" % short(json.loads(description), 200))


# "city, days?" of a schema: what is not required has a question mark.
def _arguments(schema):
    try:
        schema = json.loads(schema)
        required = schema.get("required") or ()
        names = sorted(schema.get("properties") or ())
        return ", ".join(n if n in required else n + "?" for n in names)
    except (ValueError, AttributeError, MemoryError):
        return "..."


# The plain words of "mcp add", the token and the headers.
def _options(words):
    plain, token, headers = [], None, []
    rest = iter(words)
    for word in rest:
        if word == "--token":
            token = _value(word, rest)
        elif word == "--header":
            key, colon, value = _value(word, rest).partition(":")
            if not (colon and key.strip() and value.strip()):
                raise commands.usage('--header takes "KEY: VALUE"')
            headers.append((key.strip(), value.strip()))
        elif word.startswith("--"):
            raise commands.usage("mcp add has no option %s" % word)
        else:
            plain.append(word)
    return plain, token, headers


def _value(option, rest):
    for word in rest:
        return word
    raise commands.usage("%s needs a value" % option)


# The name of a server that is there.
def _named(rest, registry):
    name = rest.strip()
    if not name or " " in name:
        raise commands.usage("which server? It takes one NAME")
    if not any(row[0] == name for row in registry.rows()):
        raise Error("config", "no MCP server '%s'" % short(name, 40), "mcp lists them")
    return name


def _check_name(name):
    good = all(c.isalpha() or c.isdigit() or c in "-_" for c in name)
    if not good or len(name) > _LONGEST:
        raise commands.usage(
            "NAME has letters, digits, - and _, %d at most: not '%s'" % (_LONGEST, short(name, 40))
        )


def _check_url(url):
    scheme, _, rest = url.partition("://")
    host = rest.split("/")[0]
    if scheme not in ("http", "https") or not host or host[0] == ":":
        raise commands.usage("URL begins with http:// or https:// and a host: not '%s'" % url)


def _check_object(text):
    try:
        good = isinstance(json.loads(text), dict)
    except ValueError:
        good = False
    if not good:
        raise commands.usage('the arguments are a JSON object, such as {"city": "Leeds"}')
