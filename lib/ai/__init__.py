"""Language models: ask them, from a script or the REPL.

print(ai.ask("Name a colour."))
reply, err, calls = ai.ask(messages, use="code", tools=[...])
for piece in ai.stream("Tell me a story."): print(piece, end="")

Nothing is loaded before it is used.
"""

# What a script uses, and the module it comes from. No module has the name of a function: importing
# it would put it in the place of the function.
_FACE = {
    "ask": "client",
    "ask_simple": "client",
    "stream": "client",
    "providers": "catalogue",
    "fetch_models": "models",
}
# MicroPython asks here for submodules as well, before it looks for their files.
_MODULES = ("catalogue", "chat", "client", "exchange", "history", "models", "probe", "reply")
_MODULES += ("styles", "tools", "usetypes")


def __getattr__(name):
    module = _FACE.get(name, name)
    if module not in _MODULES:
        raise AttributeError(name)
    value = getattr(__import__("ai." + module), module)
    if module != name:
        value = globals()[name] = getattr(value, name)
    return value
