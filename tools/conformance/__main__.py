"""python -m tools.conformance [SCENARIO...]: what the official MCP suite says about the client,
and whether other servers answer it."""

import argparse
import subprocess
import sys
import time

from tools.conformance import peers, suite

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
        failed = sum(not _judged(*run) for run in runs)
        others = 0 if chosen else sum(not _answers(peer) for peer in peers.PEERS)
    except suite.Failed as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    print(f"conformance: {len(runs) - failed} passed, {failed} failed")
    if not chosen:
        count = len(peers.PEERS)
        print(f"other servers: {count - others} passed, {others} failed")
    return 1 if failed or others or not runs else 0


def _judged(scenario, version) -> bool:
    start = time.monotonic()
    outcome = suite.run(scenario, version)
    seconds = time.monotonic() - start
    word = "ok    " if outcome.ok else "FAILED"
    print(f"{word} {version} {scenario:36} {outcome} ({seconds:.1f} s)", flush=True)
    for line in outcome.words:
        print(f"         {line}")
    return outcome.ok


def _answers(peer) -> bool:
    try:
        peers.install(peer)
        print(f"ok     {peer.package}: {peers.check(peer)}", flush=True)
        return True
    except (AssertionError, subprocess.TimeoutExpired) as error:
        print(f"FAILED {peer.package}: {error}", flush=True)
        return False


if __name__ == "__main__":
    sys.exit(main())
