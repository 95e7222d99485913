"""python -m tools.image --out FILE: the flash image of this source tree."""

import argparse
import sys

from tools import image


def _arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m tools.image", description=__doc__)
    parser.add_argument("--out", required=True, metavar="FILE")
    parser.add_argument("--size", choices=image.SIZES, default="4M")
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a file /data/KEY that holds VALUE (may be given several times)",
    )
    return parser.parse_args(argv)


def _data(pairs: list) -> dict:
    files = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise SystemExit(f"image: --data {pair}: this is not KEY=VALUE")
        files["/data/" + key.lstrip("/")] = value.encode()
    return files


def main(argv=None) -> int:
    args = _arguments(argv)
    extra = _data(args.data)
    try:
        files = image.project_files()
    except image.CompileError as error:
        print(f"image: {error}", file=sys.stderr)
        return 1
    image.build(args.out, image.SIZES[args.size], {**files, **extra})
    print(f"{args.out}: {args.size}, {len(files) + len(extra)} files; no program in its app area")
    return 0


if __name__ == "__main__":
    sys.exit(main())
