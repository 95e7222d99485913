# What runs before boot.py: makes a board of the process, then does what a chip's main() does.
#
# Called once, with the globals of __main__ and the addresses of registers and flash; removes
# itself from what the program can see. Nothing is printed that a chip would not print.

import io
import sys

import _hw
import micropython
from micropython import const

_CTRL_C = const(3)

_BOOT = const(1)
_MAIN = const(2)
_REPL = const(3)


def start(world, raw, regs, flash, size):
    micropython.kbd_intr(-1)
    _hw.attach(regs, flash, size)
    _stand_ins()
    _file_system()
    sys.path[:] = ["", ".frozen", "/lib"]
    sys.argv[:] = []
    for name in ("prelude", "_nvs"):
        sys.modules.pop(name, None)
    world.pop("__file__", None)
    _programs(world, raw)


def _stand_ins():
    for name in ("vfs", "os", "machine", "esp32", "network", "socket"):
        __import__(name)
    # The old names would lead to the modules that are hidden.
    for name in ("os", "machine", "socket"):
        sys.modules["u" + name] = sys.modules[name]


def _file_system():
    import os

    import esp32
    import vfs

    part = esp32.Partition.find(esp32.Partition.TYPE_DATA, label="vfs")[0]
    vfs.umount("/")
    try:
        vfs.mount(vfs.VfsLfs2(part), "/")
    except OSError:
        # As the first start of a chip does with an empty partition.
        print("Performing initial setup")
        vfs.VfsLfs2.mkfs(part)
        vfs.mount(vfs.VfsLfs2(part), "/")
    os.chdir("/")


# boot.py, then main.py unless boot.py failed or a host asked for the raw REPL.
def _programs(world, raw):
    import gc

    gc.collect()
    _hw.REGS[_hw.STATE] = _BOOT
    _hw.event(b"B")
    if _run("boot.py", world) and not raw:
        _hw.REGS[_hw.STATE] = _MAIN
        _run("main.py", world)
    _hw.REGS[_hw.STATE] = _REPL


def _run(name, world):
    import os

    try:
        os.stat(name)
    except OSError:
        return True
    world["__file__"] = name
    try:
        micropython.kbd_intr(_CTRL_C)
        execfile(name, world)  # noqa: F821
        micropython.kbd_intr(-1)
        return True
    except SystemExit:
        micropython.kbd_intr(-1)
        _hw.halt(b"S")
    except BaseException as error:
        micropython.kbd_intr(-1)
        _report(error)
    return False


# The traceback as a chip prints it: without the line of this file.
def _report(error):
    text = io.StringIO()
    sys.print_exception(error, text)
    for line in text.getvalue().split("\n")[:-1]:
        if not line.startswith('  File "prelude.py"'):
            print(line)
