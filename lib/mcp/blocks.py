"""One block of a tool's result as text for a model. Pure.

text_of(b'{"type": "text", "text": "cold"}') -> "cold"
"""

from net.jsonscan import fields
from net.jsontext import loads


def text_of(element):
    """One raw element of a result's content as text; what is no text is described."""
    kind, text, data, mime, resource = fields(
        element, ("type", "text", "data", "mimeType", "resource")
    )
    kind = _str(kind)
    if kind == "text" and text is not None:
        return _str(text)
    if kind in ("image", "audio"):
        # Base64: four characters stand for three bytes.
        return "[%s %s, %d bytes]" % (kind, _str(mime), (len(data or b"") - 2) * 3 // 4)
    if kind == "resource" and resource is not None:
        return _resource(resource)
    if kind == "resource_link":
        name, uri = fields(element, ("name", "uri"))
        return "[link %s %s]" % (_str(name), _str(uri))
    return str(element, "utf-8")


def _resource(raw):
    text, blob, uri, mime = fields(raw, ("text", "blob", "uri", "mimeType"))
    if text is not None:
        return _str(text)
    return "[resource %s %s, %d bytes]" % (_str(uri), _str(mime), (len(blob or b"") - 2) * 3 // 4)


def _str(raw):
    if raw is None:
        return ""
    value = loads(raw)
    return value if isinstance(value, str) else ""
