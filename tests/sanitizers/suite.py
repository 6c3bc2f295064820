"""The unit tests as the presets tsan and asan build them; and each memory order weakened, which tsan must report."""

from __future__ import annotations

from collections.abc import Iterator

from driver import gtests
from driver.entries import Entry
from driver.places import ROOT, Places

# Many threads that only spin wait for each other's whole time slices, which sanitizers make minutes of on some days, and
# show them nothing that fewer threads do not.
LEFT_OUT = "*spin_16:*spin_33"
NO_ALGORITHMS = ("native", "auto", "dissemination-or-counter")
RACE = "WARNING: ThreadSanitizer: data race"


def orders_of(barrier: str) -> tuple[str, ...]:
    """Those by which it publishes and sees arrivals."""
    if barrier.startswith("fetch-add"):
        return ("updates", "loads")
    return ("updates", "stores", "loads") if barrier == "local-sensor" else ("stores", "loads")


def entries(places: Places) -> Iterator[Entry]:
    binary = places.build / "bin/muster_unit_tests"
    files: dict[str, set[str]] = {}
    for file, suite in gtests.suites_of(binary) if binary.exists() else ():
        files.setdefault(file, set()).add(f"{suite}.*")
    for preset in ("tsan", "asan"):
        sanitized = str(ROOT / f"build/{preset}/bin/muster_unit_tests")
        for file, patterns in files.items():
            command = (sanitized, "--gtest_brief=1", f"--gtest_filter={':'.join(sorted(patterns))}-{LEFT_OUT}")
            yield Entry(f"sanitizers.{preset}.{file}", command, full=True, alone=True, timeout=900)
    weakened = str(ROOT / "build/tsan/bin/muster_weakened")
    for barrier in places.values_of("MUSTER_BARRIER"):
        if barrier in NO_ALGORITHMS:
            continue
        yield Entry(f"sanitizers.orders.{barrier}", (weakened, barrier, "none"), full=True)
        for order in orders_of(barrier):
            name = f"sanitizers.orders.{barrier}.weak-{order}"
            yield Entry(name, (weakened, barrier, order), full=True, passes_if=RACE)
