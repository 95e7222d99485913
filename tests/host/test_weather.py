"""tools.weather, with the official SDK as its client."""

import asyncio
import os
import subprocess
import sys

import pytest
from device import ROOT
from mcp import Client

from tools import weather
from tools.weather import towns

ERAS = {"2026-07-28": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(scope="module")
def server():
    with weather.start(0, subprocess.DEVNULL) as server:
        yield server


def ask(url, mode, *calls):
    """(protocol version, names of the tools, results of the calls)"""

    async def go():
        async with Client(url, mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            results = [await client.call_tool(*call) for call in calls]
            return client.protocol_version, tools, results

    return asyncio.run(go())


@pytest.mark.parametrize("mode", ERAS)
def test_both_eras_list_and_call_the_tools(server, mode):
    version, tools, (leeds, all_towns) = ask(
        server.url, mode, ("get_weather", {"city": "leeds"}), ("list_towns", {})
    )
    assert version == ERAS[mode]
    assert tools == ["get_weather", "list_towns"]
    assert leeds.content[0].text == towns.report("Leeds") and not leeds.is_error
    assert all(name in all_towns.content[0].text for name in towns.names())


def test_an_unknown_town_is_an_error_for_the_model_to_read(server):
    _, _, (result,) = ask(server.url, "2026-07-28", ("get_weather", {"city": "Atlantis"}))
    assert result.is_error
    assert "Atlantis" in result.content[0].text and "Rochdale" in result.content[0].text


@pytest.mark.parametrize("town", towns.names())
def test_a_report_says_that_it_is_canned_and_advises(town):
    report = towns.report(town)
    assert "canned" in report
    assert (f"You need a coat in {town}." in report) == towns.needs_coat(town)
    assert (f"You do not need a coat in {town}." in report) != towns.needs_coat(town)


def test_a_taken_port_is_replaced_by_a_free_one(server):
    with weather.start(server.port, subprocess.DEVNULL) as other:
        assert other.port != server.port
        assert ask(other.url, "2026-07-28")[1] == ["get_weather", "list_towns"]


def test_it_is_gone_when_stopped():
    server = weather.start(0, subprocess.DEVNULL)
    server.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_it_ends_when_its_parent_is_killed():
    code = (
        "import os, signal, subprocess\n"
        "from tools import weather\n"
        "print(weather.start(0, subprocess.DEVNULL).pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=30)
    assert gone(int(done.stdout))


def gone(pid, patience=20) -> bool:
    import time

    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        # Its parent is dead; where nobody reaps orphans it stays as a zombie.
        if (
            "Z"
            in subprocess.run(
                ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True
            ).stdout.decode()
        ):
            return True
        time.sleep(0.02)
    return False
