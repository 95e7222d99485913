"""A real language model on this machine, where the board's provider `ollama` looks for one.

from tools import localmodel
with localmodel.start() as model:       # a process of its own, which ends with this one
    model.url, model.model              # http://127.0.0.1:11434, its name

What it can do and what it cannot stands in README.md.
"""

from tools.localmodel.child import Child

PORT = 11434
NAME = "smollm2:135m"


class Model:
    """A running server; its OpenAI-compatible API is at `url`/v1."""

    def __init__(self, port: int, output):
        self._child = Child("tools.localmodel", ["--port", str(port)], output)
        self.url = self._child.report["url"]
        self.port = self._child.report["port"]
        self.model = NAME
        self.pid = self._child.pid

    def stop(self):
        """End it; returns when its process is gone."""
        self._child.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def start(port: int | None = None, output=None) -> Model:
    """Start it and wait until it answers, which takes a second or two.

    port: None for 11434, 0 for any. A port that is taken is replaced by a free one: read `.port`.
    output: where its own lines go, as for subprocess (None: where ours go).
    """
    return Model(PORT if port is None else port, output)
