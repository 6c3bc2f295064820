"""The model checker over every algorithm of the registry. See README.md."""

from __future__ import annotations

from collections.abc import Iterator

from driver.entries import Entry
from driver.places import Places

NO_ALGORITHMS = ("native", "auto")
NOTICES_ALL = "fetch-add-xadd"


def entries(places: Places) -> Iterator[Entry]:
    """Mutants prove the checker, and take long; of an algorithm they meet that algorithm, of waiting one that notices all."""
    model = str(places.build / "bin/model")
    barriers = [barrier for barrier in places.values_of("MUSTER_BARRIER") if barrier not in NO_ALGORITHMS]
    for barrier in barriers:
        yield Entry(f"model.two-phase.{barrier}", (model, "--wait", "2cs+", "--barrier", barrier))
        if f"{barrier}-padded" not in barriers:  # the same source, of which one fence matters with padding only
            yield Entry(f"model.mutants.{barrier}", (model, "--mutants", "--barrier", barrier, "--where", "barriers/"), full=True)
    yield Entry("model.mutants.waiting", (model, "--mutants", "--barrier", NOTICES_ALL, "--where", "waiting/"), full=True)
    yield Entry("model.mutants.all", (model, "--mutants"), full=True, timeout=1200)
