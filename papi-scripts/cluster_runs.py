"""Arpaci-Dusseau and Culler's workloads as runs of bin/cluster, for their claims and their figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.campaign import Campaign, Run

FILES = Path(__file__).resolve().parents[1] / "sim" / "cluster" / "runs"
BULK, CONTINUOUS = "bulk-synchronous", "continuous"
LATENCY_US = 10
READ_US = 2 * LATENCY_US


def triggered_us(switch_us: float) -> float:
    """2L + W: how long a read takes whose request wakes the process that it is for; S_Base."""
    return READ_US + switch_us


@dataclass(frozen=True)
class Workload:
    """Three jobs of one kind on a cluster of one switch time."""

    style: str
    switch_us: float
    every_us: float  # bulk-synchronous: of barriers; continuous: of reads
    dedicated_s: float = 20.0
    more: tuple[tuple[str, object], ...] = ()  # other settings than the file's

    def settings(self) -> dict[str, object]:
        every = "program.barrier_every_us" if self.style == BULK else "program.read_every_us"
        return {
            "machine.switch_us": f"{self.switch_us:g}",
            every: f"{self.every_us:g}",
            "jobs.dedicated_s": f"{self.dedicated_s:g}",
        } | dict(self.more)

    def events(self) -> float:
        """About how much there is to simulate, in no unit."""
        each = self.every_us + 7 * READ_US if self.style == BULK else self.every_us + READ_US
        return self.dedicated_s / each * (6 if self.style == BULK else 1)


@dataclass(frozen=True)
class Waiting:
    """Implicit coscheduling: how long to spin at reads and barriers, and how long on while messages come."""

    read_us: float
    barrier_us: float
    conditional_us: float = 0.0

    def settings(self) -> dict[str, object]:
        out: dict[str, object] = {
            "waiting.policy": "conditional" if self.conditional_us else "two-phase",
            "waiting.read_spin_us": f"{self.read_us:g}",
            "waiting.barrier_spin_us": f"{self.barrier_us:g}",
        }
        # The file of continuous jobs has it, and two-phase waiting has no use for it.
        return out | ({"waiting.conditional_us": f"{self.conditional_us:g}"} if self.conditional_us else {})


@dataclass
class Clusters:
    """Runs of one campaign: all that are asked for side by side, explicit coscheduling of each workload once."""

    campaign: Campaign
    seeds: int = 1
    _rows: dict[Run, list[dict[str, str]]] = field(default_factory=dict)

    def run_of(self, workload: Workload, waiting: Waiting | None) -> Run:
        """None: explicit coscheduling, whose seed matters to nothing."""
        settings = workload.settings() | ({} if waiting is None else waiting.settings())
        seeds = self.seeds
        if waiting is None:
            settings |= {"scheduler.policy": "explicit"}
            seeds = 1
        return Run("cluster", command(workload.style, settings, seeds), weight=workload.events() * seeds)

    def prepare(self, cells: Iterable[tuple[Workload, Waiting]]) -> None:
        asked = list(cells)
        runs = [self.run_of(*cell) for cell in asked]
        runs += [self.run_of(workload, None) for workload in dict.fromkeys(workload for workload, _ in asked)]
        self._rows |= dict(zip(runs, self.campaign.rows(runs), strict=True))

    def rows(self, workload: Workload, waiting: Waiting | None) -> list[dict[str, str]]:
        run = self.run_of(workload, waiting)
        if run not in self._rows:
            self._rows[run] = self.campaign.rows([run])[0]
        return self._rows[run]

    def column(self, workload: Workload, waiting: Waiting, name: str) -> float:
        """The mean over the seeds."""
        values = [float(row[name]) for row in self.rows(workload, waiting)]
        return sum(values) / len(values)

    def slowdowns(self, workload: Workload, waiting: Waiting) -> list[float]:
        """Of each seed."""
        ideal = float(self.rows(workload, None)[0]["completion_s"])
        return [float(row["completion_s"]) / ideal for row in self.rows(workload, waiting)]

    def slowdown(self, workload: Workload, waiting: Waiting) -> float:
        values = self.slowdowns(workload, waiting)
        return sum(values) / len(values)


def command(style: str, settings: Mapping[str, object], seeds: int) -> tuple[str | Path, ...]:
    words: list[str | Path] = [FILES / f"{style}.toml"]
    for key, value in settings.items():
        words += ["--set", f"{key}={value}"]
    return (*words, "--seeds", str(seeds), "--alone", "--csv")


def shown(run: Run) -> str:
    """As a reader would type it in the repository."""
    words = [f"sim/cluster/runs/{word.name}" if isinstance(word, Path) else word for word in run.words]
    return " ".join(["cluster", *words])
