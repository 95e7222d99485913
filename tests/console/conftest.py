"""The console over a serial line, through pytest-embedded: a virtual board, or --port.

A test takes `console` (a Console on pytest-embedded's dut, at a fresh prompt). Without --port
every test has a board of its own with new flash. With --port the tests share that board: their
settings are deleted before each, its own are lost. Servers that a test starts must be reachable
from the board: 127.0.0.1 for a virtual one, the address in ANTOS_HOST for a real one.
"""

import os

import pytest
from console_servers import WEATHER, McpScript, Server, says, use
from serial_console import Console

from tools import image
from tools.board import Board


@pytest.fixture
def embedded_services():
    """What --embedded-services would say, for these tests only."""
    return "serial"


@pytest.fixture(scope="session")
def project_image(tmp_path_factory):
    """A flash image of the source tree, never started."""
    return image.build(tmp_path_factory.mktemp("image") / "antos.bin")


@pytest.fixture
def flash(project_image, tmp_path):
    """A new flash image."""
    path = tmp_path / "flash.bin"
    path.write_bytes(project_image.read_bytes())
    return path


@pytest.fixture
def heap():
    """Bytes of heap of the virtual board; None for what it has by itself."""
    return None


@pytest.fixture
def board(request, flash, heap):
    """The virtual board that is on, or None when --port names another one."""
    if request.config.getoption("port"):
        yield None
        return
    with Board(flash, **({"heap": heap} if heap else {})) as board:
        yield board


@pytest.fixture
def port(request, board):
    """Where the console is."""
    return board.pty if board else request.config.getoption("port")


@pytest.fixture
def console(dut, board):
    """The console at a fresh prompt, with default settings, and without color."""
    console = Console(dut, board)
    console.start()
    return console


@pytest.fixture
def virtual(board):
    """The virtual board; skips with --port."""
    if board is None:
        pytest.skip("only on a virtual board")
    return board


@pytest.fixture
def host(board):
    """The address under which the board reaches a server of this computer."""
    if board is None and "ANTOS_HOST" not in os.environ:
        pytest.skip("ANTOS_HOST does not say where the board reaches this computer")
    return os.environ.get("ANTOS_HOST", "127.0.0.1") if board is None else "127.0.0.1"


@pytest.fixture
def online(console, board):
    """The console of a board that is on Wi-Fi."""
    if board:
        console.run("config wifi.ssid virtual")
    return console


@pytest.fixture
def model(online, host):
    """A scripted model that the board uses; a test puts what it shall do into `script`."""
    with Server(host, lambda request: says("Yes.")) as model:
        use(online, model)
        yield model


@pytest.fixture
def weather(online, host):
    """An MCP server that the board knows as "weather"."""
    with Server(host, McpScript(WEATHER)) as server:
        online.run(f"mcp add weather {server.url}/mcp")
        yield server
