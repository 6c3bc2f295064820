"""Chaos: drawn schedules and memories over the production headers. See README.md."""

from __future__ import annotations

from collections.abc import Iterator

from driver.entries import Entry
from driver.places import Places

SHARES = 4  # of the episodes, each from a seed of its own


def entries(places: Places) -> Iterator[Entry]:
    chaos = str(places.build / "bin/muster_chaos")
    for seed in range(1, SHARES + 1):
        yield Entry(f"chaos.seed-{seed}", (chaos, "--episodes", "50000", "--seed", str(seed)))
    yield Entry("chaos.million", (chaos, "--episodes", "1000000"), full=True, timeout=1200)
    yield Entry("chaos.mutants", (chaos, "--mutants"), full=True, timeout=1200)
