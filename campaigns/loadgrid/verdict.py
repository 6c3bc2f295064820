"""The criteria for the default on the grid, each with its figure and pass or miss."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cells import COPY, QUOTA, Cell
from settings import AUTO, DEFAULT_STOCK, FIXED, STOCK
from summary import Summary

from lab.statistics import geometric_mean

PASS = "pass"
MISS = "MISS"
NOT_MEASURED = "not measured"

Ratio = Callable[[Cell], float | None]


@dataclass
class Missed:
    """A cell below what is wanted."""

    where: str
    figure: float
    bound: float | None


@dataclass
class Criterion:
    what: str
    wanted: float
    figure: float | None = None
    where: str = ""  # the worst cell, or what the mean was taken over
    bound: float | None = None  # the figure of a setting that reaches its bound, in that cell or over those cells
    missed: list[Missed] = field(default_factory=list)
    cells: int = 0
    is_aim: bool = False  # shown, but decides nothing

    @property
    def verdict(self) -> str:
        if self.figure is None:
            return NOT_MEASURED
        return PASS if self.figure >= self.wanted and not self.missed else MISS


def known(cells: Iterable[Cell], ratio: Ratio) -> dict[Cell, float]:
    found = {cell: ratio(cell) for cell in cells}
    return {cell: value for cell, value in found.items() if value is not None}


def no_bound(_: Cell) -> None:
    return None


def every_cell(
    what: str, wanted: float, cells: Iterable[Cell], ratio: Ratio, bound: Ratio = no_bound
) -> Criterion:
    values = known(cells, ratio)
    criterion = Criterion(what, wanted, cells=len(values))
    if values:
        worst = min(values, key=lambda cell: values[cell])
        criterion.figure, criterion.where, criterion.bound = values[worst], str(worst), bound(worst)
        below = [Missed(str(cell), value, bound(cell)) for cell, value in values.items() if value < wanted]
        criterion.missed = sorted(below, key=lambda missed: missed.figure)
    return criterion


def mean(what: str, wanted: float, cells: Iterable[Cell], ratio: Ratio, bound: Ratio) -> Criterion:
    # A setting without any progress would make the mean infinite: such a cell is left out.
    finite = {cell: value for cell, value in known(cells, ratio).items() if not math.isinf(value)}
    bounds = known(finite, bound)
    return Criterion(
        what,
        wanted,
        geometric_mean(finite.values()),
        f"mean over {len(finite)} cells",
        geometric_mean(bounds.values()) if len(bounds) == len(finite) else None,
        cells=len(finite),
    )


def judge(summary: Summary, program: str) -> list[Criterion]:
    """The criteria for one program's half of the grid. Means are over its cells with CPU hogs, from none to most."""
    cells = [cell for cell in summary.cells(program) if summary.rate(cell, AUTO) is not None]
    grid = [cell for cell in cells if cell.load not in (COPY, QUOTA)]
    light = [cell for cell in grid if cell.work_us <= 10]
    idle = [cell for cell in grid if cell.idle and cell.threads <= summary.cpus]
    quota = [cell for cell in cells if cell.load == QUOTA]
    single = summary.single_best(grid)

    def to_single(cell: Cell) -> float | None:
        return summary.ratio(cell, AUTO, single)

    def bound_to_single(cell: Cell) -> float | None:
        return summary.bound_to(cell, single)

    def bound_to_stock(cell: Cell) -> float | None:
        return summary.bound_to(cell, summary.best(cell, STOCK))

    def bound_to_fixed(cell: Cell) -> float | None:
        return summary.bound_to(cell, summary.best(cell, FIXED))

    def bound_to_default(cell: Cell) -> float | None:
        return summary.bound_to(cell, summary.default)

    def to_spin(cell: Cell) -> float | None:
        return summary.ratio(cell, AUTO, "spin")

    def hogs_got(cell: Cell) -> float | None:
        return summary.figures[cell][AUTO].hogs_got

    judged = [
        every_cell("every cell: auto / best fixed policy", 0.9, cells, summary.to_best_fixed, bound_to_fixed),
        every_cell(
            "every cell: auto / best stock setting of the cell", 0.95, cells, summary.to_best_stock, bound_to_stock
        ),
        mean(
            "work 0 and 10 us: auto / best stock setting of each cell",
            1.5,
            light,
            summary.to_best_stock,
            bound_to_stock,
        ),
        mean(
            f"whole grid: auto / best single stock setting ({single or 'none'})", 2.5, grid, to_single, bound_to_single
        ),
        every_cell("idle, team fits: auto / spin", 0.97, idle, to_spin),
        every_cell("CPU hogs: CPU time / fair share", 0.95, grid, hogs_got),
        every_cell("quota: auto / best stock setting", 1.0, quota, summary.to_best_stock, bound_to_stock),
        every_cell(
            "quota, 4 threads: auto / best stock setting",
            1.3,
            [cell for cell in quota if cell.threads == 4],
            summary.to_best_stock,
            bound_to_stock,
        ),
    ]
    if summary.default == DEFAULT_STOCK[0]:
        whole = mean("whole grid: auto / libomp's default", 10, grid, summary.to_default, bound_to_default)
        judged.insert(4, whole)
    aim = every_cell("aim: auto / bound", 0.8, cells, summary.of_bound)
    aim.is_aim = True
    return [*judged, aim]
