"""uvicorn for a server that its parent ends: see tools.localmodel.child.

web = Server(); web.serve(app, listener)        until web.end(), from any thread or signal
"""

import contextlib

import uvicorn


class Server:
    """Runs one ASGI application."""

    def __init__(self):
        self._uvicorn = None
        self._ended = False

    def serve(self, app, listener):
        """Serve on a listening socket until the end."""
        # An open event stream must not keep it from ending.
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        self._uvicorn = _Quiet(config)
        self._uvicorn.should_exit = self._ended
        self._uvicorn.run(sockets=[listener])

    def end(self):
        """Come to an orderly end; before serve() as well."""
        self._ended = True
        if self._uvicorn:
            self._uvicorn.should_exit = True


class _Quiet(uvicorn.Server):
    """Leaves signals to us: uvicorn would raise them again after an orderly end."""

    @contextlib.contextmanager
    def capture_signals(self):
        yield
