"""python -m tools.conformance [SCENARIO...]: what the official MCP suite says about the client."""

import argparse
import sys
import time

from tools.conformance import suite

# One after the other: the suite measures times. All scenarios that need no OAuth, at the wires
# they are made for.
RUNS = (
    ("initialize", "2025-11-25"),
    ("tools_call", "2025-11-25"),
    ("tools_call", "2026-07-28"),
    ("elicitation-sep1034-client-defaults", "2025-11-25"),
    ("sse-retry", "2025-11-25"),
    ("json-schema-2020-12-preservation", "2025-11-25"),
    ("json-schema-2020-12-preservation", "2026-07-28"),
    ("request-metadata", "2026-07-28"),
    ("http-standard-headers", "2026-07-28"),
    ("http-custom-headers", "2026-07-28"),
    ("http-invalid-tool-headers", "2026-07-28"),
    ("sep-2322-client-request-state", "2026-07-28"),
    ("json-schema-ref-no-deref", "2026-07-28"),
)


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.conformance", description=__doc__)
    parser.add_argument("scenario", nargs="*", help="only these; all of them if none is named")
    chosen = parser.parse_args(argv).scenario
    runs = [run for run in RUNS if not chosen or run[0] in chosen]
    try:
        suite.install()
    except suite.Failed as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    failed = 0
    for scenario, version in runs:
        start = time.monotonic()
        outcome = suite.run(scenario, version)
        failed += not outcome.ok
        word = "ok    " if outcome.ok else "FAILED"
        seconds = time.monotonic() - start
        print(f"{word} {version} {scenario:36} {outcome} ({seconds:.1f} s)", flush=True)
        for line in outcome.words:
            print(f"         {line}")
    print(f"conformance: {len(runs) - failed} passed, {failed} failed")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
