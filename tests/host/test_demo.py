"""The demo: the tour on a new board, with the real model and the real MCP server."""

import subprocess
import sys

import pytest
import readme
from device import ROOT


@pytest.fixture(scope="module")
def demo():
    """One run of it."""
    return subprocess.run(
        [sys.executable, "-m", "tools.demo"], cwd=ROOT, capture_output=True, text=True, timeout=240
    )


def test_the_demo_passes(demo):
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert "demo: passed" in demo.stderr


def test_the_tool_is_called_for_both_towns_and_both_are_answered(demo):
    calls = [line for line in demo.stdout.splitlines() if line.startswith("[get_weather")]
    assert len(calls) == 2
    assert "Rochdale" in calls[0] and "Leeds" in calls[1]


def test_the_transcript_in_the_readme_has_the_shape_of_the_demo(demo):
    assert readme.shape(readme.transcript()) == readme.shape(demo.stdout)
