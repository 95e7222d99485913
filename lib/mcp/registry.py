"""The servers that `mcp add` has stored, by name. Their tokens are secrets.

connect_named("weather"); servers() -> [("weather", "http://...")]
"""

import time

from micropython import const

from mcp import client
from net.errors import Error
from store import config

_HINT = "mcp lists them, mcp add NAME URL"
_KEPT_MAX = const(2)
_KEPT_MS = const(60000)
# Errors after which a connection is as good as before: the server has answered.
_ANSWERED = ("request", "tool")

_kept = []  # [name, connection, ticks of its last use], the oldest first
_callbacks = {}


def servers():
    """All stored servers: a list of (name, url)."""
    return list(rows())


def rows():
    """Yields (name, url) of all stored servers."""
    for key, url in config.items("mcp."):
        if key.endswith(".url"):
            yield key[4:-4], url


def add(name, url, token=None, headers=()):
    """Store a server, in place of one of the same name. headers: pairs."""
    delete(name)
    config.set("mcp.%s.url" % name, url)
    if token:
        config.set("mcp.%s.token" % name, token)
    for key, value in headers:
        config.set("mcp.%s.header.%s" % (name, key), value)


def delete(name):
    """Forget a server and its secrets; returns whether it was there."""
    _drop(name)
    there = config.get("mcp.%s.url" % name) is not None
    for key, _ in list(config.items("mcp.%s." % name)):
        config.delete(key)
    return there


def bind(on_elicit=None, on_progress=None):
    """Say who is asked and told while run() calls a tool; as for mcp.connect."""
    close()
    _callbacks["on_elicit"] = on_elicit
    _callbacks["on_progress"] = on_progress


def connect_named(name, **more):
    """Connect to a stored server; returns a Connection. Error "config" if there is none.

    more  timeout, on_elicit, on_progress as for mcp.connect
    """
    url = config.get("mcp.%s.url" % name)
    if url is None:
        raise Error("config", "no MCP server %r" % name, _HINT)
    start = "mcp.%s.header." % name
    headers = [(key[len(start) :], config.get(key)) for key, _ in config.items(start)]
    token = config.get("mcp.%s.token" % name)
    return client.connect(url, token, headers, label=name, **more)


def entries(name):
    """Yields (tool, description, schema) of a server, the last two as JSON in bytes."""
    with connect_named(name) as connection:
        yield from connection.entries()


def run(server, tool, args_text):
    """Call a tool of a stored server; returns (ok, text). Never raises, but for Ctrl-C.

    The connection is kept for the next call of the same server.
    """
    try:
        return _connection(server).call_text(tool, args_text)
    except Error as error:
        if error.kind not in _ANSWERED:
            _drop(server)
        return False, str(error)
    except MemoryError:
        _drop(server)
        return False, "there is not enough memory for the answer of %s" % server
    except Exception as error:
        _drop(server)
        return False, repr(error)
    except KeyboardInterrupt:
        _drop(server)
        raise


def close():
    """Close the connections that run() keeps."""
    while _kept:
        _kept.pop()[1].close()


def _connection(name):
    _close_old()
    for i, row in enumerate(_kept):
        if row[0] == name:
            _kept.append(_kept.pop(i))
            break
    else:
        if len(_kept) == _KEPT_MAX:
            _kept.pop(0)[1].close()
        _kept.append([name, connect_named(name, **_callbacks), 0])
    _kept[-1][2] = time.ticks_ms()
    return _kept[-1][1]


def _close_old():
    while _kept and time.ticks_diff(time.ticks_ms(), _kept[0][2]) > _KEPT_MS:
        _kept.pop(0)[1].close()


def _drop(name):
    for i in range(len(_kept) - 1, -1, -1):
        if _kept[i][0] == name:
            _kept.pop(i)[1].close()
