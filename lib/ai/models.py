"""The models that a provider offers, asked for live: one at a time, never the whole list.

for id in fetch_models(provider="gemini"): ...
"""

from micropython import const

from ai import exchange, styles, usetypes
from net import http
from net.errors import Error
from net.jsonscan import Scanner, fields
from net.jsontext import loads

_BUFFER = const(256)
_PAGES = const(50)

# style: where the list stands, the name of a model in it, the value that leads to the next page,
# and the queries of the first page and of one more
_LISTS = {
    "openai": ("data", "id", None, "", ""),
    "anthropic": ("data", "id", "last_id", "?limit=100", "?limit=100&after_id="),
    "gemini": ("models", "name", "nextPageToken", "?pageSize=100", "?pageSize=100&pageToken="),
}
_METHODS = "supportedGenerationMethods"


def fetch_models(provider=None, key=None, use="general", url=None):
    """Yields the ids of the models that can be asked. Error as for a question.

    provider, key, url   None: those of the use-type
    """
    # A model has to be named in the options of a question, but not to list models.
    overrides = {"provider": provider, "key": key, "url": url, "model": "-"}
    options = usetypes.options(use, overrides)
    style = styles.load(options["style"])
    array, name, _, query, more = _LISTS[options["style"]]
    last = None
    for _ in range(_PAGES):
        values = {}
        yield from _page(style, options, query, array, name, values)
        token = _next(options["style"], values)
        if not token or token == last:
            return
        last = token
        query = more + token


def _page(style, options, query, array, name, values):
    marks = (("last_id",), ("has_more",), ("nextPageToken",))
    scanner = Scanner((array,), want=marks)
    buf = bytearray(_BUFFER)
    with http.request(
        "GET",
        options["url"] + "/models" + query,
        headers=exchange.headers(style, options),
        timeout=options["timeout"],
        parse_headers=(),
    ) as response:
        if response.status_code != 200:
            raise style.error(response.status_code, exchange.read_error(response))
        while True:
            n = response.readinto(buf)
            if not n:
                break
            for element in scanner.feed(bytes(memoryview(buf)[:n])):
                id = _id(element, name)
                if id:
                    yield id
    _close(scanner, options)
    values.update(scanner.values)


def _close(scanner, options):
    try:
        scanner.close()
    except Error:
        raise Error("protocol", "%s sent no list of models" % options["name"], "check the url")


# The id of an element; None for one that cannot be asked.
def _id(element, name):
    raw, methods = fields(element, (name, _METHODS))
    if raw is None or methods is not None and b'"generateContent"' not in methods:
        return None
    id = loads(raw)
    return id[7:] if id.startswith("models/") else id


def _next(style, values):
    mark = _LISTS[style][2]
    raw = values.get((mark,))
    if not raw or raw == b"null" or values.get(("has_more",)) == b"false":
        return None
    return loads(raw)
