"""The result of a tool as the text that a model reads. Opens nothing.

shown = Content(8192); shown.element(b'{"type":"text","text":"hi"}'); str(shown) -> "hi"

Text is taken as it is. Of images, sounds and other bytes a model with no eyes gets their kind and
size, of links where they lead. What is too long says so.
"""

from micropython import const

from mcp import jsonrpc, trim
from net.jsontext import loads

_RAW_MAX = const(512)


class Content:
    """Collects the blocks of one result, up to `limit` characters."""

    def __init__(self, limit):
        self._limit = limit
        self._blocks = []
        self._size = 0
        self._left_out = 0

    def element(self, raw):
        """Take one block of `content`, JSON."""
        if self._size >= self._limit:
            self._left_out += 1
            return
        text = _block(raw)
        self._size += len(text)
        self._blocks.append(text)

    def structured(self, raw):
        """Take `structuredContent`, JSON: shown only where there is no block."""
        if not self._blocks and raw is not None:
            if raw.find(b"\\u") >= 0:
                raw = jsonrpc.dump(loads(raw))  # plain characters are shorter, and can be read
            self._blocks.append(_cut(str(raw, "utf-8"), self._limit))

    @property
    def empty(self):
        """Whether nothing came."""
        return not self._blocks

    def __str__(self):
        blocks = self._blocks
        text = blocks[0] if len(blocks) == 1 else "\n".join(blocks)  # no copy of the usual case
        text = _cut(text, self._limit + 64)
        if self._left_out:
            text += "\n[cut: %d more blocks]" % self._left_out
        return text


def _block(raw):
    try:
        block = loads(raw)
    except (ValueError, RuntimeError):
        block = None
    if not isinstance(block, dict):
        return _cut(str(raw, "utf-8"), _RAW_MAX)
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return block["text"]
    if kind in ("image", "audio"):
        return "[%s %s, %d bytes]" % (kind, block.get("mimeType"), _bytes(block.get("data")))
    if kind == "resource" and isinstance(block.get("resource"), dict):
        return _resource(block["resource"])
    if kind == "resource_link":
        return _link(block)
    return _cut(str(raw, "utf-8"), _RAW_MAX)


def _resource(resource):
    uri = resource.get("uri")
    text = resource.get("text")
    if isinstance(text, str):
        return "[resource %s]\n%s" % (uri, text)
    kind = resource.get("mimeType") or "bytes"
    return "[resource %s: %s, %d bytes]" % (uri, kind, _bytes(resource.get("blob")))


def _link(block):
    words = [str(block[k]) for k in ("title", "name", "description") if block.get(k)]
    return "[link %s: %s]" % (block.get("uri"), ", ".join(words))


# How many bytes a text in base64 stands for, also when it was shortened.
def _bytes(data):
    if not isinstance(data, str):
        return 0
    size = trim.size_of(data)
    padding = len(data) - len(data.rstrip("=")) if size == len(data) else 0
    return size * 3 // 4 - padding


def _cut(text, limit):
    if len(text) <= limit:
        return text
    return "%s\n[cut: %d of %d characters]" % (text[:limit], limit, len(text))
