"""Which figures there are: the paper's 7 to 10 with its own barriers, Muster's on the same axes, and the modern
machines."""

from __future__ import annotations

from dataclasses import dataclass

from drawing.styles import OURS, PAPERS_FIVE, PAPERS_OWN

POWER4, POWER3 = "power4-32", "power3-16"
COLUMNS = {
    "overhead_us": "overhead of a barrier, µs",
    "sc_passes": "store-conditionals that pass, per processor and barrier",
    "sc_fails": "store-conditionals that fail, per processor and barrier",
    "misses": "L2 misses per processor and barrier",
}
# Every thread reads every line of its team: what a run of it costs grows with the square of the team.
COSTLY, COSTLY_ABOVE = "dist-counter-padded", 256


@dataclass(frozen=True)
class FigureOf:
    """A figure of modelled numbers."""

    name: str
    title: str
    machine: str
    barriers: tuple[str, ...]
    threads: tuple[int, ...]
    columns: tuple[str, ...]
    kind: str  # "paper", "ours" or "scale"
    episodes: int = 200


@dataclass(frozen=True)
class Run:
    """Of bin/coherence."""

    machine: str
    barrier: str
    threads: int
    episodes: int


def doubling(most: int, *between: int) -> tuple[int, ...]:
    sizes = {2**power for power in range(1, most.bit_length()) if 2**power <= most}
    return tuple(sorted(sizes | set(between) | {most}))


ALL = PAPERS_FIVE + OURS
UP_TO_32, UP_TO_16 = tuple(range(2, 33)), tuple(range(2, 17))
CATALOGUE = (
    FigureOf(
        "zhang-7", "Figure 7: barrier overhead on POWER4", POWER4, PAPERS_OWN, UP_TO_32, ("overhead_us",), "paper"
    ),
    FigureOf(
        "zhang-8", "Figure 8: barrier overhead on POWER3", POWER3, PAPERS_OWN, UP_TO_16, ("overhead_us",), "paper"
    ),
    FigureOf(
        "zhang-9",
        "Figure 9: store-conditionals that pass and fail",
        POWER4,
        ("FetchAndAdd",),
        UP_TO_32,
        ("sc_passes", "sc_fails"),
        "paper",
    ),
    FigureOf(
        "zhang-10",
        "Figure 10: L2 misses",
        POWER4,
        ("DistCounter", "DistCounterPad"),
        UP_TO_32,
        ("misses",),
        "paper",
    ),
    FigureOf("ours-7", "Figure 7 with ours: overhead on POWER4", POWER4, ALL, UP_TO_32, ("overhead_us",), "ours"),
    FigureOf("ours-8", "Figure 8 with ours: overhead on POWER3", POWER3, ALL, UP_TO_16, ("overhead_us",), "ours"),
    FigureOf(
        "ours-9", "Figure 9 with ours: store-conditionals", POWER4, ALL, UP_TO_32, ("sc_passes", "sc_fails"), "ours"
    ),
    FigureOf("ours-10", "Figure 10 with ours: L2 misses on POWER4", POWER4, ALL, UP_TO_32, ("misses",), "ours"),
    FigureOf(
        "scale-zen4-2x96",
        "Overhead on two sockets of 96 cores (Zen 4)",
        "zen4-2x96",
        ALL,
        doubling(192, 96),
        ("overhead_us",),
        "scale",
        20,
    ),
    FigureOf(
        "scale-grace-72",
        "Overhead on 72 cores (Grace)",
        "grace-72",
        ALL,
        doubling(72, 24, 48),
        ("overhead_us",),
        "scale",
        20,
    ),
    FigureOf(
        "scale-rule-1024",
        "Overhead on up to 1,024 cores (by rule)",
        "rule-1024",
        ALL,
        doubling(1024),
        ("overhead_us",),
        "scale",
        20,
    ),
)


def runs_of(figure: FigureOf, episodes: int | None, full: bool, most_threads: int | None = None) -> list[Run]:
    return [
        Run(figure.machine, barrier, threads, episodes or figure.episodes)
        for barrier in figure.barriers
        for threads in figure.threads
        if (full or barrier != COSTLY or threads <= COSTLY_ABOVE) and threads <= (most_threads or threads)
    ]
