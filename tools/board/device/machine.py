# Stand-in for the machine module: what MicroPython's unix port has of it, and what a shell uses.

import _hw
from micropython import const
from umachine import *  # noqa: F403

PWRON_RESET = const(1)
HARD_RESET = const(2)
WDT_RESET = const(3)
DEEPSLEEP_RESET = const(4)
SOFT_RESET = const(5)

_pins = {}
_clock = [160000000]


def reset():
    _hw.halt(b"R")


def reset_cause():
    return _hw.REGS[_hw.CAUSE]


def unique_id():
    return bytes(_hw.REGS[_hw.MAC : _hw.MAC + 6])


def freq(hz=None):
    if hz is None:
        return _clock[0]
    if hz not in (20000000, 40000000, 80000000, 160000000, 240000000):
        raise ValueError("frequency must be 20MHz, 40MHz, 80Mhz, 160MHz or 240MHz")
    _clock[0] = hz


# A pin reads what was last written to it, whoever holds the object.
class Pin:
    IN = const(1)
    OUT = const(3)
    OPEN_DRAIN = const(7)
    PULL_DOWN = const(1)
    PULL_UP = const(2)

    def __init__(self, id, mode=-1, pull=-1, *, value=None):
        if not isinstance(id, int) or not 0 <= id < 40:
            raise ValueError("invalid pin")
        self._id = id
        self.init(mode, pull, value=value)

    def init(self, mode=-1, pull=-1, *, value=None):
        if value is None:
            value = _pins.get(self._id, pull == Pin.PULL_UP)
        _pins[self._id] = int(bool(value))

    def value(self, value=None):
        if value is None:
            return _pins[self._id]
        _pins[self._id] = int(bool(value))

    __call__ = value

    def on(self):
        _pins[self._id] = 1

    def off(self):
        _pins[self._id] = 0

    def toggle(self):
        _pins[self._id] ^= 1

    def __repr__(self):
        return f"Pin({self._id})"
