"""The servers that `mcp add` has stored, by name. Their tokens are secrets.

connect_named("weather"); servers() -> [("weather", "http://...")]
"""

from mcp import client
from net.errors import Error
from store import config

_open = []  # [name, connection]: the one that was used last stays open for the next call


def servers():
    """All stored servers: a list of (name, url)."""
    return list(rows())


def rows():
    """Yields (name, url) of all stored servers."""
    for key, url in config.items("mcp."):
        if key.endswith(".url"):
            yield key[4:-4], url


def add(name, url, token=None, headers=()):
    """Store a server, in place of one of the same name."""
    delete(name)
    config.set("mcp.%s.url" % name, url)
    if token:
        config.set("mcp.%s.token" % name, token)
    for key, value in headers:
        config.set("mcp.%s.header.%s" % (name, key), value)


def delete(name):
    """Forget a server and its secrets; returns whether it was there."""
    close()
    there = config.get("mcp.%s.url" % name) is not None
    for key, _ in list(config.items("mcp.%s." % name)):
        config.delete(key)
    return there


def connect_named(name, **more):
    """Connect to a stored server; returns a Connection. Error "config" if there is none."""
    url = config.get("mcp.%s.url" % name)
    if url is None:
        raise Error("config", "no MCP server %r" % name, "mcp lists them, mcp add NAME URL")
    start = "mcp.%s.header." % name
    headers = [(key[len(start) :], config.get(key)) for key, _ in config.items(start)]
    return client.connect(url, config.get("mcp.%s.token" % name), headers, **more)


def entries(name):
    """Yields (tool, description, schema) of a server, the last two as raw JSON."""
    with connect_named(name) as connection:
        yield from connection.entries()


def run(server, tool, args_text):
    """Call a tool of a stored server; returns (ok, text). Never raises an Error.

    The connection stays open for the next call of the same server.
    """
    try:
        return _connection(server).call_text(tool, args_text)
    except Error as error:
        close()
        return False, str(error)
    except BaseException:
        close()
        raise


def close():
    """Close the connection that run() keeps."""
    while _open:
        _open.pop()[1].close()


def _connection(name):
    if not _open or _open[0][0] != name:
        close()
        _open.append((name, connect_named(name)))
    return _open[0][1]
