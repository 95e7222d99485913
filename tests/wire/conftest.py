"""What the tests of recorded traffic have to say at the end of a run."""

import pytest

COUNTS = pytest.StashKey()


@pytest.fixture(scope="session")
def counts(pytestconfig):
    """{framing: {provider: [passed, all]}}, printed at the end."""
    return pytestconfig.stash.setdefault(COUNTS, {})


def pytest_terminal_summary(terminalreporter, config):
    """The recordings that passed, per provider and in all."""
    for framing, rows in config.stash.get(COUNTS, {}).items():
        passed, count = (sum(row[i] for row in rows.values()) for i in (0, 1))
        each = ", ".join(f"{name} {row[0]}/{row[1]}" for name, row in sorted(rows.items()))
        terminalreporter.write_line(f"{passed} of {count} recordings ({framing}): {each}")
