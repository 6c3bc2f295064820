"""Zhang, Martinez, Tal, Blainey: busy-wait barriers with distributed counters and local sensors, in the coherence
simulator.

Claims are judged by the paper's barriers, with the resets of its section 3 (sim/published); what Muster's own, which
count episodes instead, would make of the claim is shown beside. READINGS is what the paper leaves open about them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from claims.claim import Context, Found, is_accepted, read_claims
from lab.campaign import Run

PROGRAMS = ("coherence",)
# The paper's barriers, by its names, and what Muster has for them.
OWN = {
    "FetchAndAdd": "fetch-add",
    "DistCounter": "dist-counter",
    "DistCounterPad": "dist-counter-padded",
    "LocalSensor": "local-sensor",
    "Combined": "dist-sensor",
}
PAPERS_FIVE = tuple(OWN)
MACHINES = Path(__file__).resolve().parents[2] / "sim" / "coherence" / "machines"
Cell = tuple[str, str, int]  # machine, barrier, threads


# Words for bin/coherence. Algorithm 1 decreases each element, and looks at all of them in each pass; the paper's
# benchmark computes between two barriers, for a time that it does not tell. Readings of one barrier go together.
STORES = {"": (), "set to zero, not decreased": ("--store-only",)}
SCANS = {
    "": (),
    "a pass ends at the first that is not zero": ("--scan", "from-start"),
    "a pass goes on at the first that was not zero": ("--scan", "from-waited"),
}
ARRAYS = {"": (), "padded arrays share lines": ("--sets-share-lines",)}
READINGS: dict[str, tuple[str, ...]] = {
    "; ".join(filter(None, names)): (*STORES[names[0]], *SCANS[names[1]], *ARRAYS[names[2]])
    for names in itertools.product(STORES, SCANS, ARRAYS)
    if any(names)
} | {"1 us between barriers, not 0.1": ("--delay-us", "1")}


class Coherence:
    """The numbers of bin/coherence: of the paper's barriers, or of Muster's own."""

    def __init__(self, context: Context, own: bool = False) -> None:
        self.context = context
        self.own = own

    def _run(self, machine: str, barrier: str, threads: int) -> Run:
        name = OWN[barrier] if self.own else barrier
        words: list[str | Path] = ["--machine", machine, "--barrier", name, "--threads", str(threads)]
        words += ["--episodes", str(self.context.episodes), "--csv", *self.context.coherence_words]
        if self.context.machines is not None:
            return Run("coherence", (*words, "--machines", self.context.machines), weight=threads)
        return Run("coherence", tuple(words), (MACHINES / f"{machine}.toml",), weight=threads)

    def prepare(self, cells: Iterable[Cell]) -> None:
        """Runs them side by side."""
        self.context.campaign.run([self._run(*cell) for cell in cells])

    def get(self, machine: str, barrier: str, threads: int, column: str = "overhead_us") -> float:
        return float(self.context.campaign.rows([self._run(machine, barrier, threads)])[0][0][column])


def reduction(simulator: Coherence, machine: str, threads: int, barrier: str, against: str) -> Found:
    simulator.prepare((machine, name, threads) for name in (barrier, against))
    ours = simulator.get(machine, barrier, threads)
    theirs = simulator.get(machine, against, threads)
    percent = 100 * (1 - ours / theirs)
    return Found(f"{percent:.0f} ({ours:.2f} us against {theirs:.2f})", value=percent)


def order(simulator: Coherence) -> Found:
    simulator.prepare(("power4-32", barrier, 32) for barrier in PAPERS_FIVE)
    times = {barrier: simulator.get("power4-32", barrier, 32) for barrier in PAPERS_FIVE}
    ranked = sorted(times, key=times.__getitem__)
    holds = ranked[:2] == ["Combined", "DistCounterPad"] and ranked[-1] == "FetchAndAdd"
    return Found(" < ".join(f"{name} {times[name]:.2f}" for name in ranked), holds=holds)


def failures(simulator: Coherence) -> Found:
    simulator.prepare(("power4-32", "FetchAndAdd", n) for n in (2, 8, 16, 32))
    passes = [simulator.get("power4-32", "FetchAndAdd", n, "sc_passes") for n in (2, 8, 16, 32)]
    few, many = (simulator.get("power4-32", "FetchAndAdd", n, "sc_fails") for n in (8, 32))
    flat = max(passes) <= 1.1 * min(passes)
    ratio = many / few if few > 0 else float("inf")
    spread = f"passes {min(passes):.2f} to {max(passes):.2f}"
    return Found(f"{spread}; fails {few:.2f} at 8, {many:.2f} at 32: {ratio:.1f} x", holds=flat and ratio > 4)


def padded_misses(simulator: Coherence) -> Found:
    simulator.prepare(("power4-32", barrier, 32) for barrier in ("DistCounterPad", "DistCounter"))
    padded, packed = (
        [simulator.get("power4-32", barrier, 32, column) for column in ("misses", "overhead_us")]
        for barrier in ("DistCounterPad", "DistCounter")
    )
    text = f"padded {padded[0]:.1f} misses, {padded[1]:.2f} us; not {packed[0]:.1f}, {packed[1]:.2f} us"
    return Found(text, holds=padded[0] > packed[0] and padded[1] < packed[1])


def few_threads(simulator: Coherence) -> Found:
    simulator.prepare(("power4-32", barrier, n) for barrier in ("FetchAndAdd", "Combined") for n in (4, 32))
    times = [[simulator.get("power4-32", barrier, n) for n in (4, 32)] for barrier in ("FetchAndAdd", "Combined")]
    at = {n: central / combined for n, central, combined in zip((4, 32), *times, strict=True)}
    return Found(f"{at[4]:.2f} at 4, {at[32]:.2f} at 32", holds=at[32] > 2 * at[4])


JUDGED: dict[str, Callable[[Coherence], Found]] = {
    "Z1": lambda simulator: reduction(simulator, "power4-32", 32, "Combined", "FetchAndAdd"),
    "Z2": lambda simulator: reduction(simulator, "power3-16", 16, "Combined", "FetchAndAdd"),
    "Z3": lambda simulator: reduction(simulator, "power4-32", 32, "Combined", "DistCounterPad"),
    "Z4": order,
    "Z5": failures,
    "Z6": padded_misses,
    "Z7": few_threads,
}


def with_own(name: str) -> Callable[[Context], Found]:
    """By the paper's barriers, with Muster's own beside."""

    def found(context: Context) -> Found:
        own = JUDGED[name](Coherence(context, own=True))
        claim = next(claim for claim in read_claims() if claim.id == name)
        verdict = "within" if is_accepted(claim, own) else "outside"
        return replace(JUDGED[name](Coherence(context)), beside=f"Muster's own barriers, {verdict}: {own.text}")

    return found


REPRODUCED: dict[str, Callable[[Context], Found]] = {name: with_own(name) for name in JUDGED}
