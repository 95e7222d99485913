"""python -m tools.board --flash FILE --pty PATH: run a virtual board in the foreground."""

import argparse
import signal
import sys
import threading
from pathlib import Path

from tools import image
from tools.board import HEAP, Board, BoardError


def _arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m tools.board", description=__doc__)
    parser.add_argument("--flash", required=True, metavar="FILE", help="made if it is not there")
    parser.add_argument("--pty", metavar="PATH", help="path that shall link to the console")
    parser.add_argument("--tcp", type=int, metavar="PORT", help="for socket://localhost:PORT")
    parser.add_argument("--rfc2217", type=int, metavar="PORT", help="with DTR and RTS")
    parser.add_argument("--heap", type=int, default=HEAP, metavar="BYTES")
    parser.add_argument("--fresh", action="store_true", help="start from a new flash image")
    return parser.parse_args(argv)


def _prepare(flash: str, fresh: bool):
    if fresh or not Path(flash).exists():
        image.build(flash)
    else:
        image.refresh(flash)


def _run(args) -> int:
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    _prepare(args.flash, args.fresh)
    board = Board(args.flash, args.heap, args.pty or True, args.tcp, args.rfc2217)
    with board:
        print(f"console: {board.pty}", flush=True)
        if args.tcp is not None:
            print(f"tcp: socket://localhost:{board.tcp_port}", flush=True)
        if args.rfc2217 is not None:
            print(f"rfc2217: rfc2217://localhost:{board.rfc2217_port}", flush=True)
        ended.wait()
    return 0


def main(argv=None) -> int:
    try:
        return _run(_arguments(argv))
    except (BoardError, OSError, ValueError, image.CompileError) as error:
        print(f"board: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
