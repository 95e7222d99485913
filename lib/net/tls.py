"""TLS with verified certificates. There is no way here to leave the check out.

wrap(sock, "api.openai.com") -> a socket; the handshake runs with the first byte
"""

from net.errors import Error

# Root certificates: DER, any number of them one after the other in one file.
ROOTS = ("/data/roots.der", "/lib/roots.der")
_HINT = "copy root certificates (DER, one after the other) to " + ROOTS[0]

_context = None


def wrap(sock, host):
    """A TLS socket on top of a connected one. Error "config" without root certificates.

    The clock has to be right: certificates have a time from which they hold.
    """
    return context().wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)


def context():
    """The one context, made at first use: parsing the roots takes time and memory."""
    global _context
    if _context is None:
        import tls

        made = tls.SSLContext(tls.PROTOCOL_TLS_CLIENT)
        made.verify_mode = tls.CERT_REQUIRED
        path, roots = _roots()
        try:
            made.load_verify_locations(roots)
        except (ValueError, OSError):
            raise Error("config", "the root certificates in %s cannot be read" % path, _HINT)
        _context = made
    return _context


def forget():
    """Read the root certificates again at the next use."""
    global _context
    _context = None


def _roots():
    for path in ROOTS:
        try:
            with open(path, "rb") as file:
                return path, file.read()
        except OSError:
            continue
    raise Error("config", "no root certificates on this board: https cannot be verified", _HINT)
