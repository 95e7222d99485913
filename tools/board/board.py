"""A virtual ESP32 board, to be used from Python.

    with Board("build/antos.bin", tcp=0) as board:    on; its main.py or its REPL runs
        board.pty, board.tcp_port, board.rfc2217_port
        board.reset(); board.power_cut(); board.start(); board.wifi(False)

Several may run at once, each from its own flash file. None leaves a process behind, not even
when the process that made it is killed.
"""

import os
import time
from pathlib import Path

from tools.board.core import BoardError, Core
from tools.board.registers import MAIN, PWRON, STATE

# How this was chosen, and what it leaves to a program, is in README.md.
HEAP = 256 * 1024


class Board:
    """One board.

    flash     path of its flash image (see tools.image); in use while the board is on
    heap      bytes of heap MicroPython gets
    pty       path that shall link to the console; True for a pty without one, None for none
    tcp       port for the bytes of the line (socket://); 0 takes a free one, None none
    rfc2217   the same for RFC 2217 (rfc2217://), with DTR and RTS
    air       whether the access point "virtual" can be heard (see wifi)
    download  called with the core in download mode; returns an object whose
              feed(bytes) -> bytes answers the host in the place of the boot loader in ROM
    """

    def __init__(
        self, flash, heap: int = HEAP, pty=True, tcp=None, rfc2217=None, air=True, download=None
    ):
        self.flash = Path(flash)
        self.pty = self.tcp_port = self.rfc2217_port = None
        self._ports = (pty, tcp, rfc2217)
        self._options = (heap, air, download)
        self._core = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self, timeout: float = 10):
        """Switch the supply on; returns the board when main.py or the REPL runs."""
        try:
            if self._core is None:
                self._open()
            self._core.line.call(self._core.power_on)
            self.wait(timeout)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        """Switch off and hang up: nothing is left of the board but its flash."""
        core, self._core = self._core, None
        if core is None:
            return
        core.line.call(core.power_off)
        core.line.close()
        core.registers.close()
        self.pty = self.tcp_port = self.rfc2217_port = None

    def power_cut(self):
        """Take the supply away at once. The ports stay; start() switches on again."""
        self._core.line.call(self._core.power_off)

    def reset(self, timeout: float = 10):
        """Press the reset button; returns when main.py or the REPL runs."""
        self._core.line.call(self._core.boot, PWRON)
        self.wait(timeout)

    def wait(self, timeout: float = 10):
        """Wait until main.py or the REPL runs; TimeoutError when boot.py does not end."""
        end = time.monotonic() + timeout
        while self._core.registers[STATE] < MAIN:
            if self._core.failed:
                raise BoardError(self._core.failed)
            if time.monotonic() > end:
                raise TimeoutError("boot.py has not come to its end")
            time.sleep(0.002)

    def open_pty(self) -> str:
        """One more pty of the console, for a program that keeps others from its own; its path."""
        line = self._core.line
        return line.call(line.open_pty, None)

    def wifi(self, up: bool):
        """Take the access point out of the air, or bring it back."""
        self._core.line.call(self._core.wifi, up)

    @property
    def on(self) -> bool:
        """Whether the supply is on."""
        return self._core is not None and self._core.on

    @property
    def pid(self) -> int | None:
        """The number of the process that is the chip; None while there is none."""
        chip = self._core and self._core.chip
        return chip.pid if chip else None

    def _open(self):
        heap, air, download = self._options
        core = self._core = Core(self.flash, heap, air, download)
        pty, tcp, rfc2217 = self._ports
        if pty:
            self.pty = core.line.open_pty(None if pty is True else os.fspath(pty))
        if tcp is not None:
            self.tcp_port = core.line.open_tcp(tcp)
        if rfc2217 is not None:
            self.rfc2217_port = core.line.open_rfc2217(rfc2217)
        core.line.start()
