"""From single runs to medians, the bound of each cell, and the fair share of the CPU hogs."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from cells import COPY, QUOTA, Cell
from record import Run
from running import OK
from settings import AUTO, DEFAULT_STOCK, FIXED, STOCK

from lab.statistics import geometric_mean


def fair_cpus_each(cpus: int, runnable: int) -> float:
    """The fair share of each of so many threads of the same weight, in CPUs: none can use more than one."""
    return min(1.0, cpus / runnable) if runnable else 0.0


def session_due(own: int, others: int, cpus: int) -> float:
    """The fair share of a session with so many threads beside one with others, in CPUs: each is due half of them, and
    what the other cannot use."""
    return min(own, max(cpus / 2, cpus - others))


def hogs_due(cell: Cell, cpus: int) -> float:
    """The fair share of all CPU hogs beside the team, in CPUs."""
    if cell.own_session:
        return session_due(cell.hogs, cell.threads, cpus)
    return cell.hogs * fair_cpus_each(cpus, cell.hogs + cell.threads)


def share_of_alone(cell: Cell, cpus: int) -> float:
    """The fair share of the team (of both copies of it), relative to what it has alone."""
    alone = min(cell.threads, cpus)
    if cell.load == QUOTA:
        return 1 / alone
    if cell.load == COPY:
        return min(2 * cell.threads, cpus) / alone
    if cell.own_session:
        return session_due(cell.threads, cell.hogs, cpus) / alone
    beside = cpus if cell.blink_s else cell.hogs
    due = cell.threads * fair_cpus_each(cpus, beside + cell.threads) / alone
    return (1 + due) / 2 if cell.blink_s else due


@dataclass(frozen=True)
class Figure:
    """A setting in a cell, over its repetitions."""

    kind: str
    rate: float  # median, per second; failed runs are 0
    least: float
    most: float
    runs: int
    failed: int
    seconds: float  # median of a run
    cpus_used: float  # median
    hogs_got: float | None  # CPU time of all hogs / their fair share, median
    evenness: float | None  # of two copies: the slower one's rate / the faster one's, median


def figure_of(runs: list[Run]) -> Figure:
    good = [run for run in runs if run.status == OK and run.wall_s > 0]
    rates = [run.rate for run in runs]
    got = []
    for run in good:
        due = hogs_due(run.cell, run.cpus) * run.wall_s
        if due:
            got.append(run.hog_cpu_s / due)
    pairs = [run.rates for run in good if len(run.rates) == 2 and max(run.rates) > 0]
    return Figure(
        runs[0].kind,
        median(rates),
        min(rates),
        max(rates),
        len(runs),
        sum(run.status != OK for run in runs),
        median([run.wall_s for run in good] or [0.0]),
        median([run.cpu_s / run.wall_s for run in good] or [0.0]),
        median(got) if got else None,
        median(min(pair) / max(pair) for pair in pairs) if pairs else None,
    )


class Summary:
    """All figures, and what each cell is compared with. Ratios are None where one side was not measured."""

    def __init__(self, runs: list[Run]) -> None:
        groups: dict[Cell, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
        for run in runs:
            groups[run.cell][run.setting].append(run)
        self.cpus = runs[0].cpus if runs else 0
        self.figures = {
            cell: {name: figure_of(group) for name, group in by_setting.items()}
            for cell, by_setting in groups.items()
        }

    def cells(self, program: str | None = None) -> list[Cell]:
        return [cell for cell in self.figures if program in (None, cell.program)]

    def seconds(self, cells: list[Cell]) -> float:
        """Of a run."""
        return median([figure.seconds for cell in cells for figure in self.figures[cell].values()] or [0.0])

    def settings(self, kind: str) -> list[str]:
        """The names of all settings of a kind."""
        found = [name for figures in self.figures.values() for name, figure in figures.items() if figure.kind == kind]
        return sorted(set(found))

    def rate(self, cell: Cell, setting: str | None) -> float | None:
        figure = self.figures.get(cell, {}).get(setting or "")
        return figure.rate if figure else None

    def best(self, cell: Cell, *kinds: str) -> str | None:
        """The name of the fastest setting of these kinds."""
        names = [name for name, figure in self.figures.get(cell, {}).items() if figure.kind in kinds]
        return max(names, key=lambda name: self.figures[cell][name].rate, default=None)

    def ratio(self, cell: Cell, setting: str, other: str | None) -> float | None:
        mine, theirs = self.rate(cell, setting), self.rate(cell, other)
        if mine is None or theirs is None or (mine == 0 and theirs == 0):
            return None
        return mine / theirs if theirs > 0 else math.inf

    def to_best_fixed(self, cell: Cell, setting: str = AUTO) -> float | None:
        return self.ratio(cell, setting, self.best(cell, FIXED))

    def to_best_stock(self, cell: Cell, setting: str = AUTO) -> float | None:
        return self.ratio(cell, setting, self.best(cell, STOCK))

    @property
    def default(self) -> str:
        """The stock setting without any variables: libomp's, or libgomp's where only that was measured."""
        measured = {name for figures in self.figures.values() for name in figures}
        return next((name for name in DEFAULT_STOCK if name in measured), DEFAULT_STOCK[0])

    def to_default(self, cell: Cell, setting: str = AUTO) -> float | None:
        return self.ratio(cell, setting, self.default)

    def single_best(self, cells: list[Cell]) -> str | None:
        """The stock setting with the largest geometric mean, of those measured in all these cells."""
        kinds = {name: f.kind for cell in cells for name, f in self.figures[cell].items()}
        means: dict[str, float] = {}
        for name, kind in kinds.items():
            rates = [self.rate(cell, name) for cell in cells]
            known = [rate for rate in rates if rate is not None]
            if kind == STOCK and len(known) == len(cells):
                means[name] = geometric_mean(known) or 0.0
        return max(means, key=lambda name: means[name], default=None)

    def bound(self, cell: Cell) -> float | None:
        """The rate that no setting can exceed by much: the fair CPU share times the best rate of the team alone."""
        best = self.best(cell.alone(), STOCK, FIXED, AUTO)
        alone = self.rate(cell.alone(), best)
        return None if alone is None else alone * share_of_alone(cell, self.cpus)

    def bound_to(self, cell: Cell, setting: str | None) -> float | None:
        """The ratio to a setting that a setting at the bound would have."""
        bound, rate = self.bound(cell), self.rate(cell, setting)
        return bound / rate if bound and rate else None

    def of_bound(self, cell: Cell, setting: str = AUTO) -> float | None:
        bound, rate = self.bound(cell), self.rate(cell, setting)
        return rate / bound if bound and rate is not None else None
