"""MCP servers: their tools, from a script or the REPL.

with mcp.connect("http://10.0.0.2:8765/mcp") as server:
    server.tools(), server.call("get_weather", {"city": "Leeds"})
mcp.servers()      those that `mcp add` has stored; mcp.connect_named("weather")

Nothing is loaded before it is used.
"""

# What a script uses, and the module it comes from; no module has the name of a function.
_FACE = {"connect": "client", "connect_named": "registry", "servers": "registry"}
_MODULES = ("client", "content", "elicit", "eras", "exchange", "headers", "jsonrpc", "listen")
_MODULES += ("registry", "trim", "wire")


def __getattr__(name):
    module = _FACE.get(name, name)
    if module not in _MODULES:
        raise AttributeError(name)
    value = getattr(__import__("mcp." + module), module)
    if module != name:
        value = globals()[name] = getattr(value, name)
    return value
