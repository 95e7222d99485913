"""What a model may use: a registry that knows neither models nor where tools come from.

tools.add("led", "Switch the LED.", {"type": "object", ...}, run)      kept in RAM
tools.bind(run)                                                        for those of the cache
ok, text = tools.call("led", '{"on": true}')

The cache is a file with a line per tool: safe name, server, name there, description and schema as
JSON, with tabs between. Lines are copied into requests and never parsed, so a tool costs no RAM.
"""

import binascii
import json

from micropython import const

from net.errors import Error
from store import log, paths

_FILE = "tools"
_NAME_MAX = const(64)  # OpenAI, Anthropic; others take as many or more
_added = {}  # name -> (description as JSON, schema as JSON, run)
_run = [None]


def add(name, description, schema, run):
    """Offer a tool of this program.

    run(args)  takes the arguments as a dict, returns the result: str, or what JSON can say
    schema     JSON Schema of the arguments: a dict, or JSON text
    """
    if name != _safe(name):
        raise Error("config", "not the name of a tool: %r" % name, "letters, digits, - and _")
    if not isinstance(schema, (str, bytes)):
        schema = json.dumps(schema)
    text = schema if isinstance(schema, bytes) else schema.encode()
    _added[name] = (json.dumps(description).encode(), text, run)


def remove(name):
    """Take a tool of add() away; returns whether it was there."""
    return _added.pop(name, None) is not None


def bind(run):
    """Say who runs the tools of the cache: run(server, tool, args as JSON text) -> (ok, text)."""
    _run[0] = run


def replace(server, entries):
    """Put the tools of one server into the cache in place of those it had; returns how many.

    entries: yields (name, description as JSON, schema as JSON), all bytes or str. If it raises,
    the cache stays as it was.
    """
    count = [0]
    paths.replace(_FILE, _replaced(server, entries, count), "wb")
    return count[0]


def rows():
    """Yields (name, server, name there, description) of all tools; server "" for one of add()."""
    for name, tool in _added.items():
        yield name, "", name, json.loads(tool[0])
    for name, server, original, description, _ in _lines():
        yield name, server, original, json.loads(description)


def offered():
    """All tools as a request wants them: (name, description as JSON, schema as JSON). Can be
    iterated again and again."""
    return _Offered()


def call(name, args_text):
    """Run a tool; returns (ok, text). Never raises: what goes wrong is for the model to read."""
    try:
        args = json.loads(args_text or "{}")
        args = {} if args is None else args
        if not isinstance(args, dict):
            raise ValueError
    except ValueError:
        return False, "the arguments are not a JSON object: " + args_text[:200]
    try:
        if name in _added:
            return True, _text(_added[name][2](args))
        for row in _lines():
            if row[0] == name:
                if not _run[0]:
                    return False, "nothing here can run " + name
                return _run[0](row[1], row[2], json.dumps(args))
    except Error as error:
        return False, str(error)
    except Exception as error:  # a tool's own: the model reads its name and words
        return False, repr(error)
    return False, "there is no tool " + name


def clear():
    """Forget the tools of the cache."""
    log.clear(_FILE)


def count():
    """How many tools there are."""
    return len(_added) + sum(1 for _ in _lines())


class _Offered:
    def __iter__(self):
        for name, tool in _added.items():
            yield name, tool[0], tool[1]
        for name, _, _, description, schema in _lines():
            yield name, description.encode(), schema.encode()


def _lines():
    for line in paths.read_lines(_FILE):
        row = line.rstrip("\n").split("\t")
        if len(row) == 5:
            yield row


def _replaced(server, entries, count):
    taken = {_key(name) for name in _added}
    for row in _lines():
        if row[1] != server:
            taken.add(_key(row[0]))
            yield "\t".join(row).encode() + b"\n"
    for original, description, schema in entries:
        original = _str(original)
        name = _unique(_safe(original), server, taken)
        taken.add(_key(name))
        row = (name, server, original.replace("\t", " ").replace("\n", " "))
        yield "\t".join(row).encode() + b"\t" + _flat(description) + b"\t" + _flat(schema) + b"\n"
        count[0] += 1


# What every provider takes: ^[A-Za-z][A-Za-z0-9_-]{0,63}$
def _safe(name):
    text = "".join(
        c if "\x20" < c < "\x7f" and (c.isalpha() or c.isdigit() or c in "_-") else "_"
        for c in name
    )
    if not text or not text[0].isalpha():
        text = "t_" + text
    return text[:_NAME_MAX]


def _unique(name, server, taken):
    if _key(name) not in taken:
        return name
    name = _safe(server + "_" + name)
    other = name
    n = 2
    while _key(other) in taken:
        end = "_%d" % n
        other = name[: _NAME_MAX - len(end)] + end
        n += 1
    return other


# Stands for a name in a set, as a number that takes no memory of its own. Two names with the same
# number only mean that one gets its server's name in front without need.
def _key(name):
    return binascii.crc32(name.encode()) & 0x3FFFFFFF


# JSON on one line: what is white space there may be a blank.
def _flat(data):
    data = data if isinstance(data, bytes) else (data or '""').encode()
    return data.replace(b"\n", b" ").replace(b"\t", b" ").replace(b"\r", b" ")


def _str(name):
    return name if isinstance(name, str) else str(name, "utf-8")


def _text(value):
    return value if isinstance(value, str) else json.dumps(value)
