"""python -m tools.weather [--port 8765]: a small MCP server with canned weather."""

import argparse
import sys

from tools.localmodel.child import HOST, Parent, listen
from tools.localmodel.web import Server
from tools.weather import PORT, server, towns


def _arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m tools.weather", description=__doc__)
    parser.add_argument("--port", type=int, default=PORT, help="0: any")
    parser.add_argument("--report", type=int, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def main(argv=None) -> int:
    args = _arguments(argv)
    web = Server()
    parent = Parent(args.report, web.end)
    with listen(args.port) as listener:
        port = listener.getsockname()[1]
        url = f"http://{HOST}:{port}/mcp"
        if args.port and port != args.port:
            print(f"weather: port {args.port} is taken, using {port}", flush=True)
        print(f"weather: ready at {url} (canned data of {len(towns.names())} towns)", flush=True)
        parent.ready(url=url, port=port)
        web.serve(server.app(), listener)
    return 0


if __name__ == "__main__":
    sys.exit(main())
