"""python -m tools.localmodel [--port 11434]: a small language model for the board."""

import argparse
import sys
import time

from tools.localmodel import NAME, PORT, front
from tools.localmodel.child import HOST, Parent, listen
from tools.localmodel.web import Server

_READY = """\
model: {name} ready at {url} (loaded in {seconds:.1f} s)
model: it is too small to choose a tool, so this server does, by the words a question shares
model: with the tools; with a key or an Ollama of your own, point the board there"""


def _arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m tools.localmodel", description=__doc__)
    parser.add_argument("--port", type=int, default=PORT, help="0: any")
    parser.add_argument("--report", type=int, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def _engine(parent):
    from tools.localmodel.engine import Engine  # slow: not before the arguments are read

    print("model: loading ...", flush=True)
    try:
        return Engine()
    except (FileNotFoundError, RuntimeError) as error:
        print(f"model: {error}", file=sys.stderr)
        parent.ready(error=f"the local model could not be loaded: {error}")
        return None


def main(argv=None) -> int:
    args = _arguments(argv)
    web = Server()
    parent = Parent(args.report, web.end)
    start = time.monotonic()
    with listen(args.port) as listener:
        port = listener.getsockname()[1]
        if args.port and port != args.port:
            print(f"model: port {args.port} is taken, using {port}", flush=True)
        engine = _engine(parent)
        if engine is None:
            return 1
        url = f"http://{HOST}:{port}"
        seconds = time.monotonic() - start
        print(_READY.format(name=NAME, url=url, seconds=seconds), flush=True)
        parent.ready(url=url, port=port)
        web.serve(front.app(engine.url), listener)
    return 0


if __name__ == "__main__":
    sys.exit(main())
