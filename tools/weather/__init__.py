"""A small MCP server with the weather of a dozen towns, from a table.

from tools import weather
with weather.start() as server:     # a process of its own, which ends with this one
    server.url                      # http://127.0.0.1:8765/mcp

It is the real protocol (the official SDK, streamable HTTP) around canned data.
"""

from tools.localmodel.child import Child

PORT = 8765


class Weather:
    """A running server; `url` is its MCP endpoint."""

    def __init__(self, port: int, output):
        self._child = Child("tools.weather", ["--port", str(port)], output)
        self.url = self._child.report["url"]
        self.port = self._child.report["port"]
        self.pid = self._child.pid

    def stop(self):
        """End it; returns when its process is gone."""
        self._child.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def start(port: int | None = None, output=None) -> Weather:
    """Start it and wait until it answers.

    port: None for 8765, 0 for any. A port that is taken is replaced by a free one: read `.port`.
    output: where its own lines go, as for subprocess (None: where ours go).
    """
    return Weather(PORT if port is None else port, output)
