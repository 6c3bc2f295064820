"""Zhang, Martonosi: busy-wait barriers with distributed counters and local sensors, in the coherence simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from claims.claim import Context, Found
from lab.campaign import Run

PROGRAMS = ("coherence",)
PAPERS_FIVE = ("fetch-add", "dist-counter", "dist-counter-padded", "local-sensor", "dist-sensor")
MACHINES = Path(__file__).resolve().parents[2] / "sim" / "coherence" / "machines"
Cell = tuple[str, str, int]  # machine, barrier, threads


class Coherence:
    """The numbers of bin/coherence."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def _run(self, machine: str, barrier: str, threads: int) -> Run:
        words: list[str | Path] = ["--machine", machine, "--barrier", barrier, "--threads", str(threads)]
        words += ["--episodes", str(self.context.episodes), "--csv"]
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
    holds = ranked[:2] == ["dist-sensor", "dist-counter-padded"] and ranked[-1] == "fetch-add"
    return Found(" < ".join(f"{name} {times[name]:.2f}" for name in ranked), holds=holds)


def failures(simulator: Coherence) -> Found:
    simulator.prepare(("power4-32", "fetch-add", n) for n in (2, 8, 16, 32))
    passes = [simulator.get("power4-32", "fetch-add", n, "sc_passes") for n in (2, 8, 16, 32)]
    few, many = (simulator.get("power4-32", "fetch-add", n, "sc_fails") for n in (8, 32))
    flat = max(passes) <= 1.1 * min(passes)
    ratio = many / few if few > 0 else float("inf")
    spread = f"passes {min(passes):.2f} to {max(passes):.2f}"
    return Found(f"{spread}; fails {few:.2f} at 8, {many:.2f} at 32: {ratio:.1f} x", holds=flat and ratio > 4)


def padded_misses(simulator: Coherence) -> Found:
    simulator.prepare(("power4-32", barrier, 32) for barrier in ("dist-counter-padded", "dist-counter"))
    padded, packed = (
        [simulator.get("power4-32", barrier, 32, column) for column in ("misses", "overhead_us")]
        for barrier in ("dist-counter-padded", "dist-counter")
    )
    text = f"padded {padded[0]:.1f} misses, {padded[1]:.2f} us; not {packed[0]:.1f}, {packed[1]:.2f} us"
    return Found(text, holds=padded[0] > packed[0] and padded[1] < packed[1])


def few_threads(simulator: Coherence) -> Found:
    simulator.prepare(("power4-32", barrier, n) for barrier in ("fetch-add", "dist-sensor") for n in (4, 32))
    at = {n: simulator.get("power4-32", "fetch-add", n) / simulator.get("power4-32", "dist-sensor", n) for n in (4, 32)}
    return Found(f"{at[4]:.2f} at 4, {at[32]:.2f} at 32", holds=at[32] > 2 * at[4])


REPRODUCED: dict[str, Callable[[Context], Found]] = {
    "Z1": lambda context: reduction(Coherence(context), "power4-32", 32, "dist-sensor", "fetch-add"),
    "Z2": lambda context: reduction(Coherence(context), "power3-16", 16, "dist-sensor", "fetch-add"),
    "Z3": lambda context: reduction(Coherence(context), "power4-32", 32, "dist-sensor", "dist-counter-padded"),
    "Z4": lambda context: order(Coherence(context)),
    "Z5": lambda context: failures(Coherence(context)),
    "Z6": lambda context: padded_misses(Coherence(context)),
    "Z7": lambda context: few_threads(Coherence(context)),
}
