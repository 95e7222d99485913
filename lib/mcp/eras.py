"""Which protocol a server speaks: 2026-07-28 without a handshake, or initialize as before.

open(connection) asks with server/discover first and falls back; the verdict is kept per address.
What is an answer about the era and what is only a failure stands in _is_modern. (Specification
2026-07-28, Versioning; the official TypeScript SDK decides in the same way.)
"""

from micropython import const

from mcp import exchange, headers, jsonrpc
from net.errors import Error

MODERN = ("2026-07-28",)
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
CLIENT = {"name": "antos", "version": "0.1.0"}
_META = "io.modelcontextprotocol/"
_KNOWN_MAX = const(8)
# What happened is no answer about the era: it is to be told, and to be asked again.
_NO_VERDICT = ("auth", "net", "timeout", "memory", "config", "rate", "overload")

_known = {}  # url -> (era, version, server, instructions)


def open(conn):
    """Find out what the server speaks and say hello; sets era, version, server, instructions."""
    known = _known.get(conn.link.url)
    if known and known[0] == "modern":
        conn.era, conn.version, conn.server, conn.instructions = known
        return
    if not known and _is_modern(conn):
        return
    try:
        initialize(conn)
    except Error as error:
        if jsonrpc.code_of(error) != jsonrpc.UNSUPPORTED_VERSION or not _is_modern(conn):
            raise


def initialize(conn):
    """The handshake of 2025-11-25 and before; also for a session that has to be made anew."""
    conn.era = "legacy"
    conn.version = conn.session = None
    members = (
        (b"protocolVersion", jsonrpc.dump(LEGACY[0])),
        (b"capabilities", _capabilities(conn)),
        (b"clientInfo", jsonrpc.dump(CLIENT)),
    )
    got = {}
    result = exchange.result(conn, "initialize", members, got)
    version = result.get("protocolVersion") if isinstance(result, dict) else None
    if version not in LEGACY:
        raise _stranger(conn, version)
    conn.version = version
    conn.session = got["session"]
    exchange.notify(conn, "notifications/initialized")
    _greet(conn, result)


def forget(url):
    """Ask anew at the next connection: the server has changed its mind."""
    _known.pop(url, None)


def fields(conn, method, name):
    """The headers of a request, as pairs."""
    pairs = []
    if conn.version:
        pairs.append(("MCP-Protocol-Version", conn.version))
    if conn.session:
        pairs.append(("Mcp-Session-Id", conn.session))
    if conn.era == "modern" and method:
        pairs.append(("Mcp-Method", method))
        if name is not None:
            pairs.append(("Mcp-Name", headers.encode(name)))
    return tuple(pairs)


def meta(conn, id):
    """The member `_meta` of a request's params, as members: () if there is nothing to say."""
    pairs = []
    if conn.era == "modern":
        pairs.append((_META + "protocolVersion", jsonrpc.dump(conn.version)))
        pairs.append((_META + "clientInfo", jsonrpc.dump(CLIENT)))
        pairs.append((_META + "clientCapabilities", _capabilities(conn)))
    if conn.on_progress:
        pairs.append(("progressToken", b"%d" % id))
    if not pairs:
        return ()
    members = (b'"%s":%s' % (key.encode(), value) for key, value in pairs)
    return ((b"_meta", b"{" + b",".join(members) + b"}"),)


def _capabilities(conn):
    return b'{"elicitation":{}}' if conn.on_elicit else b"{}"


# Whether the server answers as one of the modern era; False: it is for the handshake.
def _is_modern(conn):
    conn.era = "modern"
    conn.version = MODERN[0]
    conn.session = None
    for more in (True, False):
        try:
            result = exchange.result(conn, "server/discover")
        except Error as error:
            if error.kind in _NO_VERDICT:
                raise
            if jsonrpc.code_of(error) != jsonrpc.UNSUPPORTED_VERSION:
                return False
            supported = error.data.get("supported") if isinstance(error.data, dict) else None
            version = _mutual(supported, MODERN)
            if version and more:
                conn.version = version
                continue
            if supported and not version and not _mutual(supported, LEGACY):
                raise _stranger(conn, supported)
            return False
        result = result if isinstance(result, dict) else {}
        version = _mutual(result.get("supportedVersions"), MODERN)
        if version:
            conn.version = version
            _greet(conn, result)
        return bool(version)


def _mutual(versions, ours):
    if not isinstance(versions, list):
        return None
    return next((version for version in ours if version in versions), None)


def _greet(conn, result):
    inside = result.get("_meta")
    info = result.get("serverInfo")
    if not info and isinstance(inside, dict):
        info = inside.get(_META + "serverInfo")
    info = info if isinstance(info, dict) else {}
    conn.server = str(info.get("title") or info.get("name") or conn.link.name)
    conn.instructions = result.get("instructions")
    if len(_known) >= _KNOWN_MAX:
        _known.clear()
    _known[conn.link.url] = (conn.era, conn.version, conn.server, conn.instructions)


def _stranger(conn, theirs):
    theirs = ", ".join(str(one) for one in theirs) if isinstance(theirs, list) else theirs
    words = "%s speaks MCP %s, and this is %s to %s"
    return Error("protocol", words % (conn.link.name, theirs, LEGACY[-1], MODERN[0]))
