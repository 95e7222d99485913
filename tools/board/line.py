"""The serial line: one thread that carries bytes between a board and the ends outside.

    line = Line(receive=board_gets_bytes, lines=dtr_and_rts_moved)
    line.open_pty(path); line.open_tcp(port); line.open_rfc2217(port)
    line.start()
    line.call(function)     run it in the line's thread, and return what it returns

All that happens to the board happens in that thread, so nothing needs a lock.
"""

import queue
import selectors
import socket
import threading
import time

from tools.board import ends

_TICK = 0.005


class Line:
    """Ends, timers, and what else wants to know of readable files."""

    def __init__(self, receive, lines):
        self._receive, self._lines = receive, lines
        self._selector = selectors.DefaultSelector()
        self._ends, self._listeners, self._timers = [], [], []
        self._calls = queue.SimpleQueue()
        self._wake_out, self._wake = socket.socketpair()
        self._wake_out.setblocking(False)
        self._running = False
        self.watch(self._wake_out, self._take_calls)
        self._thread = threading.Thread(target=self._run, name="board line", daemon=True)

    def open_pty(self, link: str | None) -> str:
        """Add a pty; returns the path to open."""
        end = ends.PtyEnd(link)
        self._add(end)
        return end.path

    def open_tcp(self, port: int) -> int:
        """Add a raw TCP port (0: a free one); returns its number."""
        return self._listen(port, ends.SocketEnd)

    def open_rfc2217(self, port: int) -> int:
        """Add an RFC 2217 port (0: a free one); returns its number."""
        return self._listen(port, ends.Rfc2217End)

    def start(self):
        """Begin to carry."""
        self._running = True
        self._thread.start()

    def close(self):
        """Hang up every end."""
        if self._running:
            self.call(self._stop)
        if self._thread.ident:
            self._thread.join()
        for end in list(self._ends):
            self._remove(end)
        for listener in (*self._listeners, self._wake, self._wake_out):
            listener.close()
        self._selector.close()

    def call(self, function, *args):
        """Run a function in the line's thread; returns its result or raises what it raised."""
        if not self._running or threading.current_thread() is self._thread:
            return function(*args)
        answer = queue.SimpleQueue()
        self._calls.put((function, args, answer))
        self._wake.send(b"!")
        result, error = self._answer(answer)
        if error:
            raise error
        return result

    def _answer(self, answer: queue.SimpleQueue) -> tuple:
        while True:
            try:
                return answer.get(timeout=0.5)
            except queue.Empty:
                if not self._thread.is_alive():
                    return None, RuntimeError("the board's thread has ended with an error")

    def later(self, seconds: float, function):
        """Call a function once, after a while."""
        self._timers.append((time.monotonic() + seconds, function))

    def watch(self, file, function, events=selectors.EVENT_READ):
        """Call a function whenever a file is readable (or what `events` says)."""
        self._selector.register(file, events, function)

    def unwatch(self, file):
        """The opposite; it may not be watched at all."""
        try:
            self._selector.unregister(file)
        except (KeyError, ValueError):
            pass

    def send(self, data: bytes):
        """Output of the board, to all ends."""
        for end in self._ends:
            end.put(data)

    def full(self) -> bool:
        """Whether some end is so far behind that the board has to wait."""
        return any(len(end.pending) > ends.LIMIT for end in self._ends)

    def _listen(self, port: int, kind) -> int:
        listener = ends.listen(port)
        self._listeners.append(listener)
        self.watch(listener, lambda: self._accept(listener, kind))
        return listener.getsockname()[1]

    def _accept(self, listener: socket.socket, kind):
        try:
            sock, _ = listener.accept()
        except OSError:
            return
        self._add(kind(sock, lines=self._lines))

    def _add(self, end):
        self._ends.append(end)
        self.watch(end, lambda: self._from(end))

    def _remove(self, end):
        self._ends.remove(end)
        self.unwatch(end)
        end.close()

    def _from(self, end):
        data = end.receive()
        if data:
            self._receive(data)

    def _run(self):
        try:
            while self._running:
                for key, _ in self._selector.select(self._timeout()):
                    # An earlier one in this round may have taken it away.
                    if key.fileobj in self._selector.get_map():
                        key.data()
                self._after()
        finally:
            self._running = False

    def _timeout(self):
        if any(end.pending for end in self._ends):
            return _TICK
        if self._timers:
            return max(0, min(when for when, _ in self._timers) - time.monotonic())
        return None

    def _after(self):
        for end in list(self._ends):
            if end.pending:
                end.flush()
            if end.closed:
                self._remove(end)
        now = time.monotonic()
        due = [timer for timer in self._timers if timer[0] <= now]
        self._timers = [timer for timer in self._timers if timer[0] > now]
        for _, function in due:
            function()

    def _take_calls(self):
        self._wake_out.recv(4096)
        while not self._calls.empty():
            function, args, answer = self._calls.get()
            try:
                answer.put((function(*args), None))
            except Exception as error:
                answer.put((None, error))

    def _stop(self):
        self._running = False
