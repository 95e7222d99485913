"""python -m tools.bench [SUBJECT...]: measure, and print a table."""

import argparse

from tools.bench import calls

SUBJECTS = {"calls": (calls.rows, "MCP calls a second (more is better)")}


def main(argv=None) -> int:
    """Measure; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT")
    chosen = parser.parse_args(argv).subjects or list(SUBJECTS)
    unknown = [name for name in chosen if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {unknown[0]}; there are: {' '.join(SUBJECTS)}")
    for name in chosen:
        rows, title = SUBJECTS[name]
        print(title)
        first = None
        for what, value in rows():
            first = first or value
            print(f"  {what:32}{value:10.1f}   {value / first:6.2f}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
