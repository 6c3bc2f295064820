"""Tsafrir and Feitelson's experiments, as runs of bin/smp: their claims and their figures are made of the same ones.

What the paper leaves open is chosen here once and for all claims (docs/results/notes); `Lab.sets` changes it, for
sensitivity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.campaign import Campaign, Run

RUNS = Path(__file__).resolve().parents[2] / "sim" / "smp" / "runs"
PROCESSORS = 32
FINE, MEDIUM, COARSE = "fine", "medium", "coarse"
SPINS = ("cs", "cs+", "2cs+")
BLOCK = "block"
HOMOGENEOUS_SIZES = (5, 10, 20, 30)
MOST_THREADS = 200
SINGLE_SIZE = 11
MIX_SEEDS = 8
MOST_MIX_THREADS = 144
Row = dict[str, str]


@dataclass(frozen=True)
class Lab:
    """Makes runs, with some assumptions changed."""

    campaign: Campaign
    sets: dict[str, str] = field(default_factory=dict)  # key of a run file, value
    share: float | None = None  # of the mean, the intervals' deviation
    limit_share: float = 1.0  # of its class's limit, what 9 in 10 of a job's intervals are below
    wake_up: str = "original"  # where the claim is not about it
    one_background: bool = False  # the threads that only compute are one job, of one address space
    spins: dict[str, str] = field(default_factory=dict)  # policies that spin for another time, in steps
    sizes: tuple[int, ...] = HOMOGENEOUS_SIZES  # of identical jobs
    every: int = 1  # of the loads, one in so many

    def run(
        self, name: str, settings: dict[str, str], seeds: int = 1, weight: float = 1.0, more: Sequence[str] = ()
    ) -> Run:
        words: list[str | Path] = [RUNS / f"{name}.toml"]
        linux = {key for key in self.sets if key.startswith("scheduler.") and key != "scheduler.quantum"}
        changed = settings | {k: v for k, v in self.sets.items() if not (name.startswith("rr-") and k in linux)}
        if changed.get("wait.policy") in self.spins:
            changed["wait.policy"] = self.spins[changed["wait.policy"]]
        intervals = "mix" if name == "linux-heterogeneous" else "job.0"
        if self.share is not None:
            changed[f"{intervals}.deviation_share"] = f"{self.share:g}"
        if self.limit_share != 1:
            changed[f"{intervals}.limit_share"] = f"{self.limit_share:g}"
        for key, value in changed.items():
            words += ["--set", f"{key}={value}"]
        if seeds > 1:
            words += ["--seeds", str(seeds)]
        return Run("smp", (*words, *(more or ["--csv"])), weight=weight)

    def rows(self, runs: Sequence[Run]) -> list[list[Row]]:
        return self.campaign.rows(runs)

    def homogeneous(self, scheduler: str, granularity: str, size: int) -> list[tuple[int, Run]]:
        """By the number of threads."""
        found = []
        step = max(1, 10 // size)
        for jobs in range(step, MOST_THREADS // size + 1, step):
            settings = {"job.0.size": str(size), "job.0.count": str(jobs), "job.0.granularity": granularity}
            found.append((jobs * size, self.run(f"{scheduler}-homogeneous", settings, weight=jobs * size)))
        return found

    def single(
        self,
        granularity: str,
        policy: str,
        others: int,
        size: int = SINGLE_SIZE,
        wake_up: str | None = None,
        seeds: int = 1,
    ) -> Run:
        settings = {"job.0.size": str(size), "job.0.granularity": granularity}
        settings |= {"wait.policy": policy, "scheduler.wake_up": wake_up or self.wake_up}
        settings |= self.background(others)
        return self.run("linux-single", settings, seeds, weight=seeds * (size + others))

    def background(self, threads: int) -> dict[str, str]:
        """Jobs of one thread, unless they are to be one."""
        if self.one_background:
            return {"job.1.size": str(threads), "job.1.count": "1"}
        return {"job.1.size": "1", "job.1.count": str(threads)}

    def single_loads(self, granularity: str, policy: str) -> list[int]:
        """With fewer loads, still all that are multiples of 16 where those are looked for."""
        every = single_loads(granularity, policy)
        common = single_loads(granularity, BLOCK)[:: self.every]
        return every if self.every == 1 else [n for n in every if n in common or (len(every) > 100 and n % 16 == 0)]

    def pair(self, policy: str, size: int, granularity: str, wake_up: str) -> Run:
        settings = {"job.0.size": str(size), "job.0.granularity": granularity}
        settings |= {"wait.policy": policy, "scheduler.wake_up": wake_up}
        return self.run("linux-pair", settings, weight=2 * size)

    def mix(
        self, threads: int, policy: str, seeds: int = MIX_SEEDS, processors: int = PROCESSORS, most: int = 32
    ) -> Run:
        settings = {"mix.threads": str(threads), "mix.most": str(most), "wait.policy": policy}
        settings["scheduler.wake_up"] = self.wake_up
        if processors != PROCESSORS:
            settings["machine.processors"] = str(processors)
        return self.run("linux-heterogeneous", settings, seeds, weight=seeds * threads)

    def states(self, name: str, settings: dict[str, str], period: int) -> Run:
        return self.run(name, settings, more=["--states", "-", "--period", str(period)])


def single_loads(granularity: str, policy: str) -> list[int]:
    """Threads in all, up to 200 others. Every load where loads of multiples of 16 are looked for; elsewhere a step that
    meets them neither more nor less often than others."""
    step = 1 if (granularity, policy) == (FINE, "cs") else 7
    return list(range(SINGLE_SIZE, SINGLE_SIZE + MOST_THREADS + 1, step))


def mix_loads() -> list[int]:
    return list(range(16, MOST_MIX_THREADS + 1, 8))


def number(row: Row, column: str) -> float:
    """NaN where there is none."""
    return float(row[column]) if row[column] not in ("", "nan") else float("nan")


def mean(values: Iterable[float]) -> float:
    """Of those that there are."""
    found = [value for value in values if value == value]
    return sum(found) / len(found) if found else float("nan")


def average_deviation(values: Iterable[float]) -> float:
    """The paper's +-: the average absolute deviation from the average."""
    found = [value for value in values if value == value]
    middle = mean(found)
    return mean(abs(value - middle) for value in found)


def ssr_of(rows: list[Row]) -> float:
    """Of a run with one kind of synchronizing jobs."""
    return mean(number(row, "ssr") for row in rows)


def of_group(rows: list[Row], group: str) -> list[Row]:
    return [row for row in rows if row["group"] == group]
