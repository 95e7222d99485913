"""The MCP server: two tools on the official SDK. Knows the protocol, not the process.

app() -> an ASGI application that serves /mcp in both eras of the protocol
"""

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from tools.weather import towns

_NOTE = "Canned data of a dozen British towns, for demonstrations and tests. No forecast."


def get_weather(city: str) -> str:
    """Weather in a town: how warm or cold it is, rain, wind, and advice on coat and umbrella."""
    found = towns.report(city)
    if found is None:
        raise ToolError(
            f"No weather for {city!r}: not one of the towns known here. "
            f"Known towns: {', '.join(towns.names())}."
        )
    return found


def list_towns() -> str:
    """Names of all towns that have a weather report."""
    return f"Known towns: {', '.join(towns.names())}."


def app():
    """The server as an ASGI application."""
    server = MCPServer("weather", version="1.0.0", instructions=_NOTE, log_level="WARNING")
    # Text is what a small model reads; the same again as structured content only costs room.
    for tool in (get_weather, list_towns):
        server.add_tool(tool, structured_output=False)
    return server.streamable_http_app()
