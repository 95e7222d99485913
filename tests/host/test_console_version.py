"""The version that the board shows."""

import re

from device import ROOT


def test_the_console_shows_the_version_of_the_project():
    shown = re.search(r'VERSION = "(.*)"', (ROOT / "lib/console/shell.py").read_text())
    named = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)
    assert shown[1] == named[1]
