"""How long an exchange may take: to connect, without a byte, and in all.

deadlines = Deadlines(10000, 60000, None); deadlines.left(limit, since); deadlines.over()
"""

import time


class Deadlines:
    """How long things may take, in ms; None for no limit. `total` starts now."""

    def __init__(self, connect=10000, idle=60000, total=None):
        self.connect = connect
        self.idle = idle
        self.total = total
        self._end = None if total is None else time.ticks_add(time.ticks_ms(), total)

    def extend(self, ms):
        """Give all of it `ms` more."""
        if self._end is not None:
            self._end = time.ticks_add(self._end, ms)

    def over(self):
        """Whether the time in all has passed."""
        return self._end is not None and time.ticks_diff(self._end, time.ticks_ms()) <= 0

    def left(self, limit, since):
        """ms until the first of two deadlines: `limit` ms after the ticks `since`, and the
        total. None if there is none."""
        now = time.ticks_ms()
        left = None if limit is None else limit - time.ticks_diff(now, since)
        if self._end is None:
            return left
        rest = time.ticks_diff(self._end, now)
        return rest if left is None else min(left, rest)
