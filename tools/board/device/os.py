# The os module without the ways to the host, and with uname() as a chip has it.

import sys
from collections import namedtuple

from uos import *  # noqa: F403

del system, getenv, putenv, unsetenv, VfsPosix  # noqa: F821

_uname = namedtuple("uname", ("sysname", "nodename", "release", "version", "machine"))


def uname():
    release = "{}.{}.{}".format(*sys.implementation[1])
    version = sys.version.split("; MicroPython ")[-1]
    return _uname("esp32", "esp32", release, version, "Virtual board (AntOS), no chip")


def sync():
    pass
