"""Whether a request that failed is worth another one, and when. Sends nothing.

seconds = wait(error, attempt, headers); if seconds is None: raise error

One rule for all providers, that of the official OpenAI and Anthropic SDKs: 408, 409, 429, 5xx
and a connection that broke before any byte, at most two more times, 0.5 to 8 s apart.
"""

import time

from micropython import const

_MORE = const(2)
_FIRST = 0.5
_LONGEST = 8
_PATIENCE = const(60)  # in all; a server that wants a longer wait is told on to the person
# The reply headers that are read here.
HEADERS = ("x-should-retry", "retry-after-ms", "retry-after")
_BUILT = const(2025)
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"


def wait(error, attempt, headers=(), random=None, now=None, spent=0):
    """Seconds to wait before the next attempt, None if there should be none.

    attempt   how many have failed already, 1 or more
    headers   of the reply that failed: a dict with lower-case names, or ()
    spent     seconds that were waited before earlier attempts: all of them share one budget
    random    a number in 0..1, now: seconds since the epoch; for tests
    """
    said = _get(headers, "x-should-retry")
    if attempt > _MORE or said == "false" or error.wait is not None and error.wait < 0:
        return None
    if said != "true" and not _is_passing(error):
        return None
    asked = _asked(headers, now)
    if asked is None and error.status:
        asked = error.wait
    if asked is not None and asked > 0:
        return asked if asked + spent <= _PATIENCE else None
    seconds = min(_FIRST * 2 ** (attempt - 1), _LONGEST)
    return seconds * (1 - 0.25 * (_random() if random is None else random))


def pause(seconds):
    """Wait; Ctrl-C ends it."""
    time.sleep_ms(int(seconds * 1000))


def _is_passing(error):
    if error.status:
        return error.status in (408, 409, 429) or error.status >= 500
    # wait is set for a connection that broke before any byte came (net.http).
    return error.kind in ("overload", "rate") or error.kind == "net" and error.wait is not None


def _asked(headers, now):
    value = _get(headers, "retry-after-ms")
    if value and _is_number(value):
        return float(value) / 1000
    value = _get(headers, "retry-after")
    if not value:
        return None
    if _is_number(value):
        return float(value)
    return _until(value, now)


# Seconds until an HTTP date: "Wed, 21 Oct 2026 07:28:00 GMT" (RFC 9110, section 5.6.7); None for
# anything else, and while the clock is not set.
def _until(date, now):
    now = time.time() if now is None else now
    here = time.gmtime(now)
    parts = date.replace(":", " ").split()
    try:
        day, month, year, hour, minute, second = parts[1:7]
        month = _MONTHS.index(month[:3]) // 3 + 1
        then = (int(year), month, int(day), int(hour), int(minute), int(second), 0, 0)
    except (ValueError, IndexError):
        return None
    if here[0] < _BUILT or then[0] < _BUILT:
        return None
    # mktime means local time on some ports; what it is off by is off in both.
    return max(0, time.mktime(then) - time.mktime(here))


def _get(headers, name):
    return headers.get(name) if headers else None


def _is_number(value):
    return value.replace(".", "", 1).isdigit()


def _random():
    import random

    return random.random()
