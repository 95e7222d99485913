# The vfs module without the file system of the host.

from vfs import *  # noqa: F403

del VfsPosix  # noqa: F821
