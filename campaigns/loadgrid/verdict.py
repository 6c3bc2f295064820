"""The criteria for the default on the grid, each with its figure and pass or miss."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cells import COPY, Cell
from settings import AUTO, FIXED, NO_TRIALS, PART_OF_AUTO, STOCK
from summary import Summary

from lab.statistics import geometric_mean

PASS = "pass"
MISS = "MISS"
NOT_MEASURED = "not measured"

Ratio = Callable[[Cell], float | None]

STOCK_WANTED, STOCK_MISSED = 0.95, 0.9  # of a cell; medians of five runs beside hogs differ by that much
LONG_RUN_S = 1.0
LIGHT_WANTED, LIGHT_WANTED_LONG = 1.7, 2.2  # in shorter runs and in longer ones
PART_MISSED = 0.98  # no part of auto may be better left out; a mean of medians has that much noise


@dataclass
class Missed:
    """A cell that counts as missed."""

    where: str
    figure: float
    bound: float | None


@dataclass
class Criterion:
    what: str
    wanted: float
    missed_below: float
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
        return PASS if self.figure >= self.missed_below else MISS


def known(cells: Iterable[Cell], ratio: Ratio) -> dict[Cell, float]:
    found = {cell: ratio(cell) for cell in cells}
    return {cell: value for cell, value in found.items() if value is not None}


def no_bound(_: Cell) -> None:
    return None


def every_cell(
    what: str,
    wanted: float,
    cells: Iterable[Cell],
    ratio: Ratio,
    bound: Ratio = no_bound,
    missed_below: float | None = None,
) -> Criterion:
    values = known(cells, ratio)
    least = wanted if missed_below is None else missed_below
    criterion = Criterion(what, wanted, least, cells=len(values))
    if values:
        worst = min(values, key=lambda cell: values[cell])
        criterion.figure, criterion.where, criterion.bound = values[worst], str(worst), bound(worst)
        below = [Missed(str(cell), value, bound(cell)) for cell, value in values.items() if value < least]
        criterion.missed = sorted(below, key=lambda missed: missed.figure)
    return criterion


def mean(
    what: str,
    wanted: float,
    cells: Iterable[Cell],
    ratio: Ratio,
    bound: Ratio = no_bound,
    missed_below: float | None = None,
) -> Criterion:
    # A setting without any progress would make the mean infinite: such a cell is left out.
    finite = {cell: value for cell, value in known(cells, ratio).items() if not math.isinf(value)}
    bounds = known(finite, bound)
    return Criterion(
        what,
        wanted,
        wanted if missed_below is None else missed_below,
        geometric_mean(finite.values()),
        f"mean over {len(finite)} cells",
        geometric_mean(bounds.values()) if finite and len(bounds) == len(finite) else None,
        cells=len(finite),
    )


def judge(summary: Summary, program: str | None) -> list[Criterion]:
    """The criteria for one program's half of the grid; None: the means over both halves."""
    cells = [cell for cell in summary.cells(program) if summary.rate(cell, AUTO) is not None]
    hogs = [cell for cell in cells if cell.load.isdigit()]
    return means(summary, hogs) if program is None else [*in_cells(summary, cells, hogs), *means(summary, hogs)]


def in_cells(summary: Summary, cells: list[Cell], hogs: list[Cell]) -> list[Criterion]:
    def hogs_got(cell: Cell) -> float | None:
        return summary.figures[cell][AUTO].hogs_got

    def evenness(cell: Cell) -> float | None:
        return summary.figures[cell][AUTO].evenness

    def to_spin(cell: Cell) -> float | None:
        return summary.ratio(cell, AUTO, "spin")

    def bound_to_stock(cell: Cell) -> float | None:
        return summary.bound_to(cell, summary.best(cell, STOCK))

    def bound_to_fixed(cell: Cell) -> float | None:
        return summary.bound_to(cell, summary.best(cell, FIXED))

    def to_stock(what: str, chosen: list[Cell]) -> Criterion:
        name = f"{what}: auto / best stock setting of the cell"
        return every_cell(name, STOCK_WANTED, chosen, summary.to_best_stock, bound_to_stock, STOCK_MISSED)

    idle = [cell for cell in hogs if cell.idle and cell.threads <= summary.cpus]
    aims = [
        every_cell("aim: auto / best fixed policy", 0.9, cells, summary.to_best_fixed, bound_to_fixed),
        every_cell("aim: auto / bound", 0.8, cells, summary.of_bound),
    ]
    for aim in aims:
        aim.is_aim = True
    return [
        to_stock("every cell", [cell for cell in cells if not (cell.blink_s or cell.own_session)]),
        to_stock("hogs of another session", [cell for cell in cells if cell.own_session]),
        to_stock("hogs on and off", [cell for cell in cells if cell.blink_s]),
        every_cell("CPU hogs: CPU time / fair share", 0.97, [cell for cell in cells if cell.hogs], hogs_got),
        every_cell("copies: slower / faster", 0.8, [cell for cell in cells if cell.load == COPY], evenness),
        every_cell("idle, team fits: auto / spin", 0.97, idle, to_spin),
        *aims,
    ]


def means(summary: Summary, hogs: list[Cell]) -> list[Criterion]:
    """Over cells with CPU hogs, from none to most."""
    light = [cell for cell in hogs if cell.work_us <= 10]
    single = summary.single_best(hogs)
    wanted = LIGHT_WANTED_LONG if summary.seconds(hogs) >= LONG_RUN_S else LIGHT_WANTED

    def bound_to_stock(cell: Cell) -> float | None:
        return summary.bound_to(cell, summary.best(cell, STOCK))

    found = [
        mean(
            "work 0 and 10 us: auto / best stock setting of each cell",
            wanted,
            light,
            summary.to_best_stock,
            bound_to_stock,
        ),
        mean(
            f"whole grid: auto / best single stock setting ({single or 'none'})",
            2.5,
            hogs,
            lambda cell: summary.ratio(cell, AUTO, single),
            lambda cell: summary.bound_to(cell, single),
        ),
    ]
    for part in summary.settings(PART_OF_AUTO) or [NO_TRIALS]:
        ratio = functools.partial(summary.ratio, setting=AUTO, other=part)
        found.append(mean(f"work 0 and 10 us: auto / {part}", 1.0, light, ratio, missed_below=PART_MISSED))
    return found
