"""The cells of the load grid: which program, how many threads, beside which load, with how much work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

PROGRAMS = ("barrier", "parallel_for")
THREADS = (2, 4, 8)
HOGS = (0, 1, 2, 4)
WORK_US = (0.0, 10.0, 100.0)
SESSION = "session"  # CPU hogs of another session: the kernel's autogroups share the CPUs by session, not by thread
COPY = "copy"  # a second copy of the same program, under the same setting
QUOTA = "quota"  # a cgroup quota of one CPU
BLINKS = {"blink0.2": 0.2, "blink2": 2.0}  # a hog for each CPU, on for so many seconds, off for as many
LOAD_KINDS = ("hogs", SESSION, COPY, QUOTA, *BLINKS)


@dataclass(frozen=True)
class Cell:
    program: str
    threads: int
    load: str  # how many CPU hogs, SESSION and how many, COPY, QUOTA or one of BLINKS
    work_us: float

    @property
    def hogs(self) -> int:
        number = self.load.removeprefix(SESSION)
        return int(number) if number.isdigit() else 0

    @property
    def own_session(self) -> bool:
        """Of the program."""
        return self.load.startswith(SESSION)

    @property
    def blink_s(self) -> float | None:
        return BLINKS.get(self.load)

    @property
    def idle(self) -> bool:
        return self.load == "0"

    def alone(self) -> Cell:
        """The same team with nothing beside it."""
        return Cell(self.program, self.threads, "0", self.work_us)

    def __str__(self) -> str:
        load = {"0": "idle", COPY: "a copy", QUOTA: "quota of 1 CPU"}
        load |= {name: f"hogs on and off for {seconds:g} s" for name, seconds in BLINKS.items()}
        hogs = "1 CPU hog" if self.hogs == 1 else f"{self.hogs} CPU hogs"
        beside = load.get(self.load, f"{hogs} of another session" if self.own_session else hogs)
        return f"{self.program}, {self.threads} threads, {beside}, {self.work_us:g} us"


def loads(kinds: Iterable[str], hogs: Iterable[int]) -> list[str]:
    kinds = set(kinds)
    hogs = list(hogs)
    numbers = [str(number) for number in hogs] if "hogs" in kinds else []
    numbers += [f"{SESSION}{number}" for number in hogs if number] if SESSION in kinds else []
    return numbers + [kind for kind in (COPY, QUOTA, *BLINKS) if kind in kinds]


def product(
    programs: Iterable[str], threads: Iterable[int], beside: list[str], work: Iterable[float]
) -> list[Cell]:
    work = list(work)
    sizes = list(threads)
    return [Cell(p, n, load, us) for p in programs for n in sizes for load in beside for us in work]


def quick() -> list[Cell]:
    """Few cells, which together have every team size, and the lightest and heaviest load of each kind."""
    cells = product(["barrier"], [2, 4], ["0", "2"], [0.0, 10.0])
    cells += product(["barrier"], [8], ["0", "4"], [0.0])
    cells += product(["barrier"], [4], ["0", "2"], [100.0])
    cells += product(["barrier"], [4], [COPY, QUOTA, "blink0.2"], [0.0])
    return cells + product(["parallel_for"], [2, 4], ["0", "2"], [0.0])
