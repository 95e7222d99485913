# What runs before boot.py: makes a board of the process, then does what a chip's main() does.
#
# Called once, with the globals of __main__ and the address of the registers; removes itself
# from what the program can see. Nothing is printed that a chip would not print.

import io
import sys

import _hw
import micropython
from micropython import const

_CTRL_C = const(3)

_BOOT = const(1)
_MAIN = const(2)
_REPL = const(3)


def start(world, raw, regs):
    micropython.kbd_intr(-1)
    _hw.attach(regs)
    try:
        _stand_ins()
        _file_system()
    except BaseException as error:
        sys.print_exception(error)
        _hw.halt(b"X")
    sys.path[:] = ["", ".frozen", "/lib"]
    sys.argv[:] = []
    for name in ("prelude", "_nvs"):
        sys.modules.pop(name, None)
    world.pop("__file__", None)
    _programs(world, raw)


def _stand_ins():
    # A built-in module comes before a file of its name, but not before what is loaded.
    sys.modules["vfs"] = __import__("_vfs")
    del sys.modules["_vfs"]
    for name in ("os", "machine", "esp32", "network", "socket"):
        __import__(name)
    # The old names would lead to the modules that are hidden.
    for name in ("os", "machine", "socket"):
        sys.modules["u" + name] = sys.modules[name]


def _file_system():
    import os

    import esp32
    import vfs

    disk = _hw.Disk(*esp32.Partition("vfs").info()[2:4])
    vfs.umount("/")
    try:
        vfs.mount(vfs.VfsLfs2(disk), "/")
    except OSError:
        # As the first start of a chip does with an empty partition.
        print("Performing initial setup")
        vfs.VfsLfs2.mkfs(disk)
        vfs.mount(vfs.VfsLfs2(disk), "/")
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
