"""No wake-up is lost: barriers of simulated threads, and of real ones. lost_wakeups_simulated.cpp tells how."""

from __future__ import annotations

from collections.abc import Iterator

from driver.entries import Entry
from driver.places import Places

FAULTS = ("heavy-fence", "full-fence", "wake-call")
FOUND = "a wake-up was lost|no progress"  # at an instance that is called off, threads that are awake wait for the sleeper


def entries(places: Places) -> Iterator[Entry]:
    simulated, threads = (str(places.build / f"bin/muster_lost_wakeups_{kind}") for kind in ("simulated", "threads"))
    yield Entry("waiting.lost_wakeups.simulated", (simulated, "--episodes", "2000000"))
    yield Entry("waiting.lost_wakeups.simulated-long", (simulated, "--episodes", "50000000"), full=True, timeout=7200)
    yield Entry("waiting.lost_wakeups.threads", (threads,), full=True, alone=True, timeout=7200)
    for fault in FAULTS:
        command = (simulated, "--episodes", "1000000", "--policy", "auto", "--weak", fault)
        yield Entry(f"waiting.lost_wakeups.weak-{fault}", command, passes_if=FOUND)
