"""The model checker over every algorithm of the registry. See README.md."""

from __future__ import annotations

from collections.abc import Iterator

from driver.entries import Entry
from driver.places import Places

NO_ALGORITHMS = ("native", "auto")


def entries(places: Places) -> Iterator[Entry]:
    """Mutants: all is explored unchanged first, as it must know what meets which operation; waiting's need all algorithms."""
    model = str(places.build / "bin/model")
    yield Entry("model.mutants", (model, "--mutants"), cost=60, timeout=900)
    for barrier in places.values_of("MUSTER_BARRIER"):
        if barrier not in NO_ALGORITHMS:
            yield Entry(f"model.two-phase.{barrier}", (model, "--wait", "2cs+", "--barrier", barrier))
