"""Which protocol a server speaks: 2026-07-28 without a handshake, or initialize as before.

open(connection) asks with server/discover first and falls back; the verdict is kept per address.
What is an answer about the era and what is only a failure stands in _verdict. (Specification
2026-07-28, Versioning; the official TypeScript SDK decides in the same way.)
"""

import json

from mcp import jsonrpc, wire
from net.errors import Error

MODERN = "2026-07-28"
_MODERN = (MODERN,)
_LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_META = "io.modelcontextprotocol/"
CLIENT = {"name": "antos", "version": "0.1.0"}

_known = {}  # url -> "modern" or "legacy"


def open(connection):
    """Find out what the server speaks and say hello; sets era, version, server, instructions."""
    if _known.get(connection.url) == "legacy":
        return initialize(connection)
    connection.era = "modern"
    connection.version = MODERN
    value, status = _discover(connection)
    era = _verdict(value, status)
    if era == "again":  # it named a version that we speak as well
        connection.version = _mutual(value)
        value, status = _discover(connection)
        era = _verdict(value, status)
    if era == "modern":
        _known[connection.url] = "modern"
        _greet(connection, value["result"])
    elif era == "legacy":
        initialize(connection)
    else:
        raise Error("protocol", "%s speaks none of our versions of MCP" % connection.url)


def initialize(connection):
    """The handshake of 2025-11-25 and before."""
    connection.era = "legacy"
    connection.version = None
    connection.session = None
    capabilities = {"elicitation": {}} if connection.on_elicit else {}
    params = {
        "protocolVersion": _LEGACY[0],
        "capabilities": capabilities,
        "clientInfo": CLIENT,
    }
    body = jsonrpc.request(connection.new_id(), "initialize", json.dumps(params).encode())
    with connection.post(body) as response:
        wire.check(response, connection.url)
        value = wire.small(response)
        if "error" in value:
            raw = json.dumps(value["error"]).encode()
            raise jsonrpc.error(raw, connection.url, response.status_code)
        if response.status_code != 200 or not isinstance(value.get("result"), dict):
            raise _no_server(connection.url, response.status_code)
        session = response.headers.get("mcp-session-id")
    _accept(connection, value["result"], session)


def meta(connection):
    """What 2026-07-28 wants in the params of every request: the member _meta, JSON bytes."""
    capabilities = {"elicitation": {}} if connection.on_elicit else {}
    value = {
        _META + "protocolVersion": connection.version,
        _META + "clientCapabilities": capabilities,
        _META + "clientInfo": CLIENT,
    }
    return json.dumps(value).encode()


def _discover(connection):
    params = b'{"_meta":' + meta(connection) + b"}"
    body = jsonrpc.request(connection.new_id(), "server/discover", params)
    with connection.post(body, "server/discover") as response:
        wire.check(response, connection.url)
        return wire.small(response), response.status_code


def _verdict(value, status):
    result = value.get("result")
    if status == 200 and isinstance(result, dict):
        return "modern" if _known_in(result.get("supportedVersions"), _MODERN) else "legacy"
    error = value.get("error")
    if isinstance(error, dict) and error.get("code") == jsonrpc.UNSUPPORTED_VERSION:
        supported = (error.get("data") or {}).get("supported")
        if _known_in(supported, _MODERN):
            return "again"
        return "legacy" if _known_in(supported, _LEGACY) else "none"
    return "legacy"


def _mutual(value):
    supported = value["error"]["data"]["supported"]
    return next(version for version in _MODERN if version in supported)


def _known_in(versions, ours):
    return isinstance(versions, list) and any(version in versions for version in ours)


def _accept(connection, result, session):
    version = result.get("protocolVersion")
    if version not in _LEGACY:
        raise Error("protocol", "%s speaks MCP %s, we do not" % (connection.url, version))
    connection.version = version
    connection.session = session
    _known[connection.url] = "legacy"
    _greet(connection, result)
    with connection.post(jsonrpc.notification("notifications/initialized")) as response:
        if response.status_code >= 300:
            raise _no_server(connection.url, response.status_code)


def _greet(connection, result):
    info = result.get("serverInfo") or (result.get("_meta") or {}).get(_META + "serverInfo") or {}
    connection.server = str(info.get("title") or info.get("name") or "?")
    connection.instructions = result.get("instructions")


def _no_server(url, status):
    words = "there is no MCP server at %s (HTTP %d)" % (url, status)
    return Error("protocol", words, "check the address: most end in /mcp", status)
