"""Files in the LittleFS2 of a flash image, while no board is running from it.

    with open_fs("build/antos.bin") as fs:
        put(fs, "/data/note.txt", b"hello")

The file system lies where the image's own partition table says. What is written is in the
image file when the `with` ends.
"""

import contextlib
import fcntl
import mmap
import os

from littlefs import LittleFS, LittleFSError
from littlefs.context import UserContext

from tools.image import partitions

BLOCK = 4096
_GEOMETRY = {"block_size": BLOCK, "read_size": 32, "prog_size": 32, "lookahead_size": 32}
# What firmware as old as 1.25 mounts. Newer MicroPython raises it to 2.1 when it writes; then
# it is left at that.
_VERSIONS = (0x00020000, 0x00020001)


class _Partition(UserContext):
    def __init__(self, buffer):
        super().__init__(buffer=buffer)

    def read(self, cfg, block, off, size):
        start = block * cfg.block_size + off
        return bytes(self.buffer[start : start + size])

    def erase(self, cfg, block):
        start = block * cfg.block_size
        self.buffer[start : start + cfg.block_size] = b"\xff" * cfg.block_size
        return 0


def claim(path):
    """Open an image for one user at a time: a board that is on, or somebody who edits it."""
    file = open(path, "r+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise BlockingIOError(f"{path} is in use by a board that is on") from None
    return file


@contextlib.contextmanager
def open_fs(path, format: bool = False):
    """The mounted file system of an image; `format` makes a new, empty one."""
    with claim(path) as file, mmap.mmap(file.fileno(), 0) as flash:
        entry = partitions.find(flash, "vfs")
        window = memoryview(flash)[entry.offset : entry.offset + entry.size]
        fs = _mount(window, format)
        try:
            yield fs
            fs.unmount()
        finally:
            # A view that lives keeps the mapping from closing.
            fs.cfg.user_context.buffer = None
            window.release()


def _mount(window, format: bool) -> LittleFS:
    for version in _VERSIONS:
        fs = LittleFS(
            context=_Partition(window),
            mount=False,
            block_count=len(window) // BLOCK,
            disk_version=version,
            **_GEOMETRY,
        )
        if format:
            fs.format()
        try:
            fs.mount()
            return fs
        except LittleFSError as error:
            problem = error
    raise ValueError(f"there is no LittleFS in the vfs partition ({problem})")


def put(fs: LittleFS, name: str, data: bytes):
    """Write one file, making the directories it needs."""
    folder = os.path.dirname(name)
    if folder != "/":
        fs.makedirs(folder, exist_ok=True)
    with fs.open(name, "wb") as file:
        file.write(data)


def get(fs: LittleFS, name: str) -> bytes:
    """The content of one file; FileNotFoundError when there is none."""
    with fs.open(name, "rb") as file:
        return file.read()


def exists(fs: LittleFS, name: str) -> bool:
    """Whether there is a file or directory of that name."""
    try:
        fs.stat(name)
    except LittleFSError as error:
        if error.code != LittleFSError.Error.LFS_ERR_NOENT:
            raise
        return False
    return True


def walk(fs: LittleFS) -> list:
    """The full names of all files, sorted."""
    return sorted(
        f"{folder.rstrip('/')}/{name}" for folder, _, names in fs.walk("/") for name in names
    )
