"""Long JSON, scanned as it comes instead of loaded. Opens nothing.

scanner = Scanner(("result", "tools"), want=(("result", "nextCursor"), ("id",)))
for chunk in ...:
    for element in scanner.feed(chunk):      # one element of the array, raw JSON
        ...
scanner.close()                              # Error "protocol" if the document is not whole
scanner.values.get(("id",))                  # raw JSON of values beside the array

What is not asked for is passed over by counting brackets; what is yielded is for json.loads to
judge. For texts: net.jsontext.
"""

from micropython import const

from net.errors import Error
from net.jsontext import loads

_CAP = const(65536)
_VALUE_MAX = const(1024)
_KEY_MAX = const(256)
_SPACE = b" \t\r\n"
_AFTER_SCALAR = b",]} \t\r\n"

# What may come next, while no value is being passed.
_VALUE, _FIRST, _KEY, _FIRST_KEY, _COLON, _NEXT, _END = range(7)
# What the value is that is being passed; for a wanted one it is its path.
_SKIP, _ELEMENT, _NAME = range(3)


class Scanner:
    """A push scanner for the elements of one array in a document of any size.

    path      where the array stands, keys from the top; () if the document is the array, None
              for no array at all
    want      paths of values to keep
    cap       bytes of the longest element; a longer one is Error "protocol"
    kept_cap  bytes of the longest value to keep; a longer one is left out
    """

    def __init__(self, path=(), want=(), cap=_CAP, kept_cap=_VALUE_MAX):
        self.values = {}
        self.done = False
        self._path = path
        self._want = want
        self._caps = (cap, kept_cap)
        self._keys = []  # of the objects that are open: the key whose value is next
        self._in_array = False
        self._state = _VALUE
        self._span = None

    def feed(self, chunk):
        """Scan bytes; yields the elements that end in them."""
        at = 0
        while at < len(chunk):
            if self._span is None:
                at = self._navigate(chunk, at)
                continue
            at = self._span.feed(chunk, at)
            if self._span.done:
                element = self._passed()
                if element is not None:
                    yield element

    def close(self):
        """The end of the document: Error "protocol" if it is cut."""
        if self._span and not self._keys and not self._in_array and self._span.is_scalar:
            self._passed()
        if not self.done:
            raise Error("protocol", "the JSON ends in the middle")

    # One byte between values; returns where to go on.
    def _navigate(self, chunk, at):
        byte = chunk[at]
        state = self._state
        if byte in _SPACE:
            return at + 1
        if state == _NEXT and byte == 44:
            self._state = _VALUE if self._in_array else _KEY
        elif state == _COLON and byte == 58:
            self._state = _VALUE
        elif byte == 93 and self._in_array and state in (_NEXT, _FIRST):
            self._in_array = False
            self._after_value()
        elif byte == 125 and not self._in_array and self._keys and state in (_NEXT, _FIRST_KEY):
            self._keys.pop()
            self._after_value()
        elif byte == 34 and state in (_KEY, _FIRST_KEY):
            self._span = _Span(_NAME, _KEY_MAX)
            return at
        elif state in (_VALUE, _FIRST):
            return self._begin(byte, at)
        else:
            raise Error("protocol", "this is not JSON: %r" % bytes(chunk[at : at + 20]))
        return at + 1

    # A value begins: enter it if something in it is asked for, else pass it in one go.
    def _begin(self, byte, at):
        if self._in_array:
            self._span = _Span(_ELEMENT, self._caps[0])
            return at
        path = tuple(self._keys)
        if byte == 91 and path == self._path:
            self._in_array = True
            self._state = _FIRST
            return at + 1
        if byte == 123 and self._leads_on(path):
            self._keys.append(None)
            self._state = _FIRST_KEY
            return at + 1
        self._span = _Span(path, self._caps[1]) if path in self._want else _Span(_SKIP, 0)
        return at

    def _leads_on(self, path):
        n = len(path)
        for other in self._want:
            if len(other) > n and other[:n] == path:
                return True
        return self._path is not None and len(self._path) > n and self._path[:n] == path

    # A span is at its end; returns the element if it was one.
    def _passed(self):
        span = self._span
        self._span = None
        if span.what is _NAME:
            self._keys[-1] = span.text()
            self._state = _COLON
            return None
        self._after_value()
        if span.what is _ELEMENT:
            if span.size > span.cap:
                raise Error("protocol", "an element has more than %d bytes" % span.cap)
            return span.data()
        if span.what is not _SKIP and span.size <= span.cap:
            self.values[span.what] = span.data()
        return None

    def _after_value(self):
        self.done = not self._keys and not self._in_array
        self._state = _END if self.done else _NEXT


class _Span:
    """One value from its first byte to its last, kept as long as it is no longer than its cap."""

    def __init__(self, what, cap):
        self.what = what
        self.cap = cap
        self.size = 0
        self.done = False
        self.is_scalar = False
        self._pieces = []
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, chunk, start):
        """Take bytes up to the end of the value; returns where it is, or the end of the chunk."""
        at = start
        while at < len(chunk) and not self.done:
            at = self._string(chunk, at) if self._in_string else self._structure(chunk, at)
        self.size += at - start
        if self.size <= self.cap:
            self._pieces.append(bytes(memoryview(chunk)[start:at]))
        else:
            self._pieces = ()  # too long: not kept
            if self.what is _ELEMENT:
                raise Error("protocol", "an element has more than %d bytes" % self.cap)
        return at

    def data(self):
        """The bytes of the value."""
        return b"".join(self._pieces)

    def text(self):
        """The value as str; "" if it was too long to be kept. Error "protocol" if it is none."""
        if self.size > self.cap:
            return ""
        try:
            return loads(self.data())
        except ValueError:
            raise Error("protocol", "this is not JSON: %r" % self.data())

    def _string(self, chunk, at):
        if self._escaped:
            self._escaped = False
            return at + 1
        quote = chunk.find(b'"', at)
        slash = chunk.find(b"\\", at, len(chunk) if quote < 0 else quote)
        if slash >= 0:
            self._escaped = True
            return slash + 1
        if quote < 0:
            return len(chunk)
        self._in_string = False
        self.done = self._depth == 0
        return quote + 1

    def _structure(self, chunk, at):
        byte = chunk[at]
        if self.is_scalar:
            self.done = byte in _AFTER_SCALAR
            return at if self.done else at + 1
        if byte == 34:
            self._in_string = True
        elif byte in b"[{":
            self._depth += 1
        elif byte in b"]}" and self._depth:
            self._depth -= 1
            self.done = self._depth == 0
        elif not self._depth:
            if byte not in b"-0123456789tfn":
                raise Error("protocol", "this is not JSON: %r" % bytes(chunk[at : at + 20]))
            self.is_scalar = True
        return at + 1


def fields(element, names):
    """The raw JSON of members of an object, in the order of names; None for one it lacks."""
    scanner = Scanner(None, tuple((name,) for name in names), kept_cap=len(element))
    for _ in scanner.feed(element):
        pass
    scanner.close()
    return tuple(scanner.values.get((name,)) for name in names)
