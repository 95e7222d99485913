"""peer_server.py mcp.server.fastmcp|fastmcp PORT: a server of that package with one tool.

Run by the Python that the package is installed for.
"""

import importlib
import sys


def echo(message: str) -> str:
    """Say the same."""
    return f"Echo: {message}"


def main(package, port):
    server_class = importlib.import_module(package).FastMCP
    if package == "fastmcp":
        server = server_class("peer")
        server.tool(echo)
        server.run(transport="http", host="127.0.0.1", port=port, show_banner=False)
    else:
        server = server_class("peer", host="127.0.0.1", port=port)
        server.tool()(echo)
        server.run(transport="streamable-http")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
