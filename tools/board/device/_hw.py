# The hardware under the stand-ins: registers and flash, as memory.
#
# The addresses come from the process that runs MicroPython; tools/board/registers.py says
# what lies where in REGS.

import uctypes
from micropython import const

STATE = const(0)
CAUSE = const(1)
AIR = const(2)
NET = const(3)
EVENT = const(8)
MAC = const(16)
SSID = const(64)

BLOCK = const(4096)

REGS = None
ERASED = None
FLASH = None
_events = None


def attach(regs, flash, size):
    global REGS, ERASED, FLASH, _events
    REGS = uctypes.bytearray_at(regs, BLOCK)
    ERASED = uctypes.bytearray_at(regs + BLOCK, BLOCK)
    FLASH = memoryview(uctypes.bytearray_at(flash, size))
    _events = open(REGS[EVENT], "wb")


# Ask the chip for something: B the console may type, S soft reset, R reset.
def event(what):
    _events.write(what)


# For requests that end this run: nothing after it is executed.
def halt(what):
    import time

    event(what)
    while True:
        time.sleep(1)
