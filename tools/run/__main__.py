"""python -m tools.run [--fresh]: the console of a virtual board, with all that it talks to."""

import argparse
import sys

from mpremote.main import State
from mpremote.repl import do_repl
from mpremote.transport_serial import SerialTransport

from tools import image
from tools.board import BoardError
from tools.localmodel.child import ChildError
from tools.run import ends_on_signals, stage

_FLASH = "build/antos.bin"
_CONSOLE = "build/console"
_NOT_A_TERMINAL = """\
run: this needs a terminal
try: make demo    (plays the tour without one)"""


def _tour(scene) -> str:
    return f"""\

  Try this, line by line:      (Ctrl-] leaves and stops everything)
    mcp add weather {scene.weather.url}
    ai -tools
    ai do I need a coat in Rochdale?
    ai and in Leeds?
    help
  The conversation goes on from the last time; 'ai clear' forgets it.
  From another terminal:  .venv/bin/mpremote connect {_CONSOLE} fs ls
"""


def _attach(board):
    state = State()
    # mpremote keeps other programs from its port: build/console stays free for them.
    state.transport = SerialTransport(board.open_pty())
    try:
        # Pressed only now, so that the banner is not lost.
        board.reset()
        do_repl(state, _repl_options())
    finally:
        state.transport.close()


def _repl_options():
    return argparse.Namespace(
        escape_non_printable=False, capture=None, inject_code=None, inject_file=None
    )


def _arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m tools.run", description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="start from a new flash image")
    return parser.parse_args(argv)


def _run(args):
    with ends_on_signals(), stage(_FLASH, args.fresh, _CONSOLE) as scene:
        print(_tour(scene), flush=True)
        _attach(scene.board)
    print("\nrun: all stopped; the board's flash stays in", _FLASH)


def main(argv=None) -> int:
    args = _arguments(argv)
    if not sys.stdin.isatty():
        print(_NOT_A_TERMINAL, file=sys.stderr)
        return 1
    try:
        _run(args)
    except BlockingIOError as error:
        print(f"run: {error}\ntry: end the other one (Ctrl-] there)", file=sys.stderr)
        return 1
    except (BoardError, ChildError, OSError, image.CompileError) as error:
        print(f"run: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
