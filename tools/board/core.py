"""What happens to a board: supply, reset circuit, and the life of its chip.

All of it runs in the thread of the serial line (line.py). board.py is the face of it.
"""

import hashlib
import re
import selectors
from pathlib import Path

from tools.board.line import Line
from tools.board.process import RESET, Process
from tools.board.registers import AIR, BOOT, HARD, PWRON, STATE, Registers
from tools.image.flash import claim

# After RTS and DTR are both asserted the reset pin rises, slowly: a host has this long to let
# RTS go and have the chip in download mode. On a board it is a capacitor; here it also covers
# the round trip of two network messages.
_RISE = 0.15
_CRASHES = 3

_ROM = "rst:0x{:x} ({}),boot:0x{:x} ({})\r\n"
_WHY = {PWRON: (0x1, "POWERON_RESET"), HARD: (0xC, "SW_CPU_RESET")}
_FLASH_BOOT = (0x13, "SPI_FAST_FLASH_BOOT")
_DOWNLOAD_BOOT = (0x3, "DOWNLOAD_BOOT(UART0/UART1/SDIO_REI_REO_V2)")
_NOTE = "virtual board: MicroPython's unix port on a {} MB flash image\r\n"

# A chip ends lines of text with CR LF; a CR LF that the program wrote stays one.
_LINE_END = re.compile(rb"(?<!\r)\n")


class BoardError(Exception):
    """The board cannot do what was asked; the text says why."""


class Core:
    """The chip with what is around it on the board."""

    def __init__(self, flash: Path, heap: int, air: bool, download):
        self.flash, self.heap, self.air, self.download = flash, heap, air, download
        self.registers = Registers()
        self.line = Line(self.receive, self.lines)
        self.chip = None
        self.failed = ""
        self._said = b""
        self._lock = self._talker = None
        self._inbox = bytearray()
        self._writing = self._paused = False
        self._crashes = 0
        self._dtr = self._rts = self._rising = False

    @property
    def on(self) -> bool:
        return self._lock is not None

    def power_on(self):
        """Supply on: the chip starts, unless it was on already."""
        if self.on:
            return
        self._lock = claim(self.flash)
        self._crashes, self.failed = 0, ""
        self.boot(PWRON)

    def power_off(self):
        """Supply off, at once."""
        self._end()
        if self._lock:
            self._lock.close()
        self._lock = None
        self.registers[STATE] = 0

    def boot(self, cause: int):
        """Out of a hard reset into the program in flash."""
        self._end()
        if not self.on:
            return
        mac = b"\x02" + hashlib.sha256(str(self.flash.resolve()).encode()).digest()[:5]
        self.registers.clear(cause, self.air, mac)
        self._said = b""
        self._say(_ROM.format(*_WHY[cause], *_FLASH_BOOT))
        self._say(_NOTE.format(self.flash.stat().st_size >> 20))
        self.chip = Process(self.flash, self.registers, self.heap)
        self.line.watch(self.chip.line, self._on_line)
        self.line.watch(self.chip.output_fileno(), self._on_output)

    def enter_download(self):
        """Out of a hard reset into the boot loader in ROM."""
        self._end()
        self.registers.clear(PWRON, self.air, bytes(6))
        self._say(_ROM.format(*_WHY[PWRON], *_DOWNLOAD_BOOT) + "waiting for download\r\n")
        self._talker = self.download(self) if self.download else None

    def receive(self, data: bytes):
        """Bytes from outside, to whoever has the line: the program or the boot loader."""
        if self._talker:
            self.line.send(self._talker.feed(data))
        elif self.chip:
            self._inbox += data
            self._feed()

    def lines(self, dtr: bool | None = None, rts: bool | None = None):
        """DTR and RTS moved: the two transistors between them, EN and IO0.

        RTS alone pulls EN low: reset. DTR alone pulls IO0 low, which counts when EN rises.
        """
        dtr = self._dtr if dtr is None else dtr
        rts = self._rts if rts is None else rts
        before, self._dtr, self._rts = (self._dtr, self._rts), dtr, rts
        if not self.on or before == (dtr, rts):
            return
        if rts and not dtr:
            self._rising = True
            self._end()
        elif self._rising and rts:
            self.line.later(_RISE, self._risen)
        elif self._rising:
            self._risen()

    def wifi(self, up: bool):
        """The access point goes or comes."""
        self.air = up
        self.registers[AIR] = up

    # EN is high again after a reset: what IO0 says now decides.
    def _risen(self):
        if not self._rising or (self._rts and not self._dtr):
            return
        self._rising = False
        if self._dtr and not self._rts:
            self.enter_download()
        else:
            self.boot(PWRON)

    def _say(self, text: str):
        self.line.send(text.encode())

    # End what runs now. What it had printed is still sent.
    def _end(self):
        self._talker = None
        self._inbox.clear()
        if self.chip is None:
            return
        chip, self.chip = self.chip, None
        self.line.unwatch(chip.line)
        if not self._paused:
            self.line.unwatch(chip.output_fileno())
        self._writing = self._paused = False
        chip.kill()
        chip.wait()
        while self._forward(chip):
            pass
        chip.close()
        self.registers[STATE] = 0

    def _feed(self):
        while self._inbox:
            sent = self.chip.send(self._inbox)
            if not sent:
                break
            del self._inbox[:sent]
        if bool(self._inbox) != self._writing:
            self._writing = not self._writing
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._writing else 0)
            self.line.unwatch(self.chip.line)
            self.line.watch(self.chip.line, self._on_line, events)

    def _on_line(self):
        if self.chip.gone():
            self._died()
        else:
            self._feed()

    def _on_output(self):
        for _ in range(64):
            if not self._forward(self.chip):
                break
        if self.line.full():
            self._pause()

    def _forward(self, chip) -> bool:
        message = chip.receive()
        if message is None:
            return False
        data, is_text = message
        self._said = (self._said + data)[-1000:]
        self.line.send(_LINE_END.sub(b"\r\n", data) if is_text else data)
        return True

    # Some end is behind: leave the output where it is, until it has caught up.
    def _pause(self):
        if not self._paused:
            self._paused = True
            self.line.unwatch(self.chip.output_fileno())
            self.line.later(0.01, lambda chip=self.chip: self._resume(chip))

    def _resume(self, chip):
        if chip is not self.chip or not self._paused:
            return
        if self.line.full():
            self.line.later(0.01, lambda: self._resume(chip))
            return
        self._paused = False
        self.line.watch(chip.output_fileno(), self._on_output)

    # The process ended: it asked for a reset, or MicroPython crashed, as a chip may.
    def _died(self):
        booted = self.registers[STATE] >= BOOT
        status = self.chip.wait()
        while self._forward(self.chip):
            pass
        self._crashes = 0 if status == RESET or booted else self._crashes + 1
        if self._crashes < _CRASHES:
            self.boot(HARD)
        else:
            said = self._said.decode(errors="replace").strip()
            self.failed = f"MicroPython does not start (status {status}): {said}"
            self.power_off()
