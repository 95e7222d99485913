"""The whole scene on one machine: a model, an MCP server, and a virtual board that knows both.

with stage("build/antos.bin") as scene:
    scene.board.pty, scene.model.url, scene.weather.url

`python -m tools.run` puts a person at its console, `python -m tools.run.demo` plays the tour.
What is real and what is not stands in the README.md of each part.
"""

import contextlib
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tools import image, localmodel, weather
from tools.board import Board

CONFIG = "/data/config"
# What the stage itself wrote into the config of an earlier run; a new port may replace it.
_LOCAL = re.compile(r"http://127\.0\.0\.1:\d+(/v1|/mcp)")


class Scene(NamedTuple):
    """What runs."""

    board: Board
    model: localmodel.Model
    weather: weather.Weather


@contextlib.contextmanager
def stage(flash, fresh: bool = False, pty=True, output=None):
    """Start it all; ends it all at the end of the block, and when this process ends.

    flash   the image of the board: made if absent, kept if there, anew if `fresh`
    pty     path that shall link to the board's console; True for one without a link
    output  where the servers' own lines go, as for subprocess (None: where ours go)
    """
    with contextlib.ExitStack() as stack:
        prepare(flash, fresh)  # first: it fails at once if another board has the flash
        model, mcp = _servers(stack, output)
        provision(flash, model, mcp)
        board = stack.enter_context(Board(flash, pty=pty))
        yield Scene(board, model, mcp)


def prepare(flash, fresh: bool = False):
    """A flash image with the current lib/."""
    if fresh or not Path(flash).exists():
        image.build(flash)
    else:
        image.refresh(flash)


def provision(flash, model, mcp):
    """Tell the board where the model and the air are, where the user has not told it more."""
    config = _read(flash)
    wanted = {"wifi.ssid": "virtual"}
    if config.get("ai.general.provider", "ollama") == "ollama":
        wanted |= {"ai.general.provider": "ollama", "ai.general.model": model.model}
        wanted["ai.general.url"] = model.url + "/v1"
    new = {**wanted, **config}
    # A port that was taken last time may be free now, or the other way round.
    for key, url in (("ai.general.url", model.url + "/v1"), ("mcp.weather.url", mcp.url)):
        if _LOCAL.fullmatch(new.get(key, "")):
            new[key] = url
    if new != config:
        lines = "".join(f"{key}={value}\n" for key, value in sorted(new.items()))
        image.write_file(flash, CONFIG, lines.encode())


@contextlib.contextmanager
def ends_on_signals():
    """SIGTERM and SIGHUP leave the block in an orderly way."""
    before = {n: signal.signal(n, _leave) for n in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number, _):
    raise SystemExit(128 + number)


# Both load for a second or two, so they do it side by side.
def _servers(stack, output):
    with ThreadPoolExecutor() as pool:
        starts = [pool.submit(part.start, output=output) for part in (localmodel, weather)]
        return [stack.enter_context(start.result()) for start in starts]


def _read(flash) -> dict:
    if CONFIG not in image.list_files(flash):
        return {}
    lines = image.read_file(flash, CONFIG).decode().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)
