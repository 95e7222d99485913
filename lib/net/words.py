"""What a number that a socket raised means, as an Error in words. Opens nothing.

raise explain(OSError(111), "10.0.0.2:8765")   -> "nothing listens at 10.0.0.2:8765"
"""

import time

from micropython import const

from net.errors import Error

# EAGAIN EALREADY EINPROGRESS, as Linux, lwIP and macOS number them.
BUSY = (11, 35, 36, 37, 114, 115, 119, 120)
# EPIPE ECONNRESET ECONNABORTED ENOTCONN, and MBEDTLS_ERR_SSL_CONN_EOF.
GONE = (32, 53, 54, 57, 103, 104, 107, 128, -0x7280)
# ENOMEM EBUSY ENOBUFS, and MBEDTLS_ERR_SSL_ALLOC_FAILED.
_NO_MEMORY = (12, 16, 55, 105, -0x7F00)
# MBEDTLS_ERR_MPI_ALLOC_FAILED, the low seven bits of a code that was put together of two.
_LOW = const(0x7F)
_MPI_ALLOC = const(0x10)
_BUILT = const(2025)

_WORDS = (
    (GONE, "%s closed the connection"),
    ((61, 111), "nothing listens at %s"),
    ((65, 113, 118), "no way to %s"),
    ((51, 101), "no network to reach %s"),
    ((60, 110, 116), "%s does not answer"),
)
_CHECK = "check the address and that the server runs"


def explain(error, name):
    """An OSError (or the ValueError of a certificate, or a MemoryError) as an Error."""
    if isinstance(error, MemoryError) or isinstance(error, OSError) and _is_memory(error):
        return no_memory(name)
    if isinstance(error, ValueError):
        return _distrust(error, name)
    for numbers, words in _WORDS:
        if error.errno in numbers:
            return Error("net", words % name, _CHECK)
    what = error.args[1] if len(error.args) > 1 else error
    return Error("net", "%s: connection failed (%s)" % (name, what), _CHECK)


def no_memory(name):
    """The Error for a connection that found no room."""
    words = "not enough memory for a connection to %s (TLS takes about 40 KB)"
    return Error("memory", words % name, "close other connections, or restart the board")


def late(name, what, limit, total):
    """The Error for a deadline: what was waited for, and how many ms it was given."""
    if total is not None:
        words = "%s took more than %g s in all" % (name, total / 1000)
    else:
        words = "%s %s for %g s" % (name, what, limit / 1000)
    return Error("timeout", words, "the same again, or a longer timeout")


# An allocation can fail inside any step of TLS, and each has a number of its own, such as -17040;
# the text says so where it is built in (https://github.com/micropython/micropython-lib/issues/538).
def _is_memory(error):
    number = error.errno
    if number in _NO_MEMORY or "ALLOC_FAILED" in str(error):
        return True
    return isinstance(number, int) and number < -_LOW and -number & _LOW == _MPI_ALLOC


# A board without a clock lives in the year 2000, where no certificate holds yet
# (https://github.com/micropython/micropython/issues/10832).
def _distrust(error, name):
    why = "; ".join(str(error).strip().split("\n"))
    year = time.localtime()[0]
    if year < _BUILT:
        words = "%s cannot be trusted while the clock says %d (%s)" % (name, year, why)
        return Error("net", words, "import ntptime; ntptime.settime()")
    return Error("net", "%s cannot be trusted: %s" % (name, why), "check the address")
