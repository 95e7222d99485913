"""python -m tools.demo: the tour on a new board; fails when an answer contradicts the tool."""

import subprocess
import sys
import time

import pexpect

from tools import image
from tools.board import BoardError
from tools.demo import play, tour
from tools.demo.judge import judge
from tools.localmodel.child import ChildError
from tools.run import ends_on_signals, stage

_FLASH = "build/demo.bin"


def _play() -> str:
    with ends_on_signals(), stage(_FLASH, fresh=True, output=subprocess.DEVNULL) as scene:
        return play(scene.board, tour(scene.weather.url))


def main() -> int:
    start = time.monotonic()
    try:
        wrong = judge(_play())
    except (
        BoardError,
        ChildError,
        OSError,
        image.CompileError,
        pexpect.ExceptionPexpect,
    ) as error:
        wrong = str(error).splitlines()[0]
    print(f"\ndemo: {wrong or 'passed'} ({time.monotonic() - start:.1f} s)", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
