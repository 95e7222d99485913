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
EVENT_FD = const(8)
FLASH_FD = const(9)
MAC = const(16)
SSID = const(64)

BLOCK = const(4096)

REGS = None
ERASED = None
FLASH = None
_events = None


def attach(regs):
    global REGS, ERASED, FLASH, _events
    REGS = uctypes.bytearray_at(regs, BLOCK)
    ERASED = uctypes.bytearray_at(regs + BLOCK, BLOCK)
    # By number, both were opened before: there is no path to them.
    FLASH = open(REGS[FLASH_FD], "r+b", 0)
    _events = open(REGS[EVENT_FD], "wb", 0)


# The device under the file system.
#
# On the chip it is C: it takes no memory, and no Ctrl-C arrives while it runs. LittleFS
# relies on both, since a collection in the middle of its work closes files behind its back,
# and an exception through it leaves its lists broken. So here, too, nothing is allocated
# (frames of this size lie on the C stack), and there is no jump in the bytecode, which is
# where MicroPython looks for a pending interrupt. tests/board/test_board_life.py holds it to that.
class Disk:
    def __init__(self, start, size):
        self.start = start
        self.file = FLASH
        self.blank = ERASED
        zero, count, block = (lambda _: 0), (lambda _: size // BLOCK), (lambda _: BLOCK)
        self.operations = (zero, zero, zero, zero, count, block, self.erase)

    def readblocks(self, block, buf, offset=0):
        self.file.seek(self.start + block * BLOCK + offset)
        self.file.readinto(buf)

    def writeblocks(self, block, buf, offset=0):
        self.file.seek(self.start + block * BLOCK + offset)
        self.file.write(buf)

    def erase(self, block):
        self.file.seek(self.start + block * BLOCK)
        self.file.write(self.blank)
        return 0

    def ioctl(self, operation, arg):
        return self.operations[operation](arg)


# Ask the chip for something: B the console may type, S soft reset, R reset, X give up.
def event(what):
    _events.write(what)


# For requests that end this run: nothing after it is executed.
def halt(what):
    import time

    event(what)
    while True:
        time.sleep(1)
