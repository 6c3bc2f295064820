"""Judges the runs of a cell, an application beside a load: how many times faster, and whether results are the same.

Results must be equal bit by bit where all of stock's own are. The recipe excludes applications that add in any order,
since some of their runs may be equal by chance."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field

from recipe import Recipe
from running import NO_END, OK, Run

from lab.statistics import geometric_mean

IDLE = "idle"
SLOWER_IDLE = 0.98  # required: none below, beyond noise
SLOWER_LOADED = 0.95  # none below
MEAN_LOADED = 1.5  # the geometric mean


def counts(run: Run) -> bool:
    """A run that was stopped took at least that long."""
    return run.status == OK or run.status.startswith(NO_END)


@dataclass
class Cell:
    recipe: Recipe
    load: str
    stock: list[Run]
    muster: list[Run]
    problems: list[str] = field(default_factory=list)
    sameness: str = ""  # of results

    def times(self, preloaded: bool) -> list[float]:
        runs = self.muster if preloaded else self.stock
        return [run.seconds for run in runs if counts(run)]

    @property
    def lower_bound(self) -> bool:
        """Stock was stopped: Muster is at least so much faster."""
        return any(run.status.startswith(NO_END) for run in self.stock)

    @property
    def complete(self) -> bool:
        return bool(self.times(False)) and any(run.status == OK for run in self.muster)

    @property
    def faster(self) -> float:
        return statistics.median(self.times(False)) / statistics.median(self.times(True))

    @property
    def bounds(self) -> tuple[float, float]:
        """The range over pairs of one stock and one preloaded run of a repetition."""
        ratios = [
            stock.seconds / muster.seconds
            for stock in self.stock
            for muster in self.muster
            if stock.repetition == muster.repetition and counts(stock) and counts(muster)
        ]
        return (min(ratios), max(ratios)) if ratios else (math.nan, math.nan)

    @property
    def noise(self) -> float:
        """The interquartile range of stock's times, relative to their median."""
        times = self.times(False)
        if len(times) < 3:
            return 0.0
        low, _, high = statistics.quantiles(times, n=4, method="inclusive")
        return (high - low) / statistics.median(times)


def apart(recipe: Recipe, stock: list[Run], run: Run) -> str | None:
    """Where a result lies outside the range of stock's own, widened by the recipe's tolerance."""
    for name, tolerance in recipe.tolerances.items():
        theirs = [one.numbers[name] for one in stock]
        margin = tolerance * max(map(abs, theirs))
        if not min(theirs) - margin <= run.numbers[name] <= max(theirs) + margin:
            return f"{name} is {run.numbers[name]:.15g}, stock's {theirs[0]:.15g}, beyond {tolerance:g}"
    return None


def judge(recipe: Recipe, load: str, stock: list[Run], muster: list[Run]) -> Cell:
    cell = Cell(recipe, load, stock, muster)
    for run in (*stock, *muster):
        slow_stock = not run.preloaded and run.status.startswith(NO_END)
        if run.status != OK and not slow_stock:
            side = "preloaded" if run.preloaded else "stock"
            cell.problems.append(f"{recipe.name}, {load}, {side}, run {run.repetition}: {run.status}")
    ours, theirs = ([run for run in runs if run.status == OK] for runs in (muster, stock))
    if not ours or not theirs:
        cell.sameness = "-"
        return cell
    digests = {run.digest for run in theirs}
    steady = theirs[0].threads <= recipe.steady_threads
    if steady and len(digests) == 1 and len(theirs) > 1:
        cell.sameness = "equal bits"
        wrong = [run for run in ours if run.digest not in digests]
        reasons = ["its bits differ from stock's, which are the same in every run" for _ in wrong]
    else:
        # One stock run does not predict the next one.
        same = steady and len(theirs) == 1 and {run.digest for run in ours} == digests
        cell.sameness = "equal bits (1 run)" if same else "own check"
        found = [(run, apart(recipe, theirs, run)) for run in ours]
        wrong = [run for run, reason in found if reason]
        reasons = [reason for _, reason in found if reason]
    for run, reason in zip(wrong, reasons, strict=True):
        cell.problems.append(f"{recipe.name}, {load}, preloaded, run {run.repetition}: WRONG RESULT: {reason}")
    if wrong:
        cell.sameness = "WRONG"
    return cell


def bars(cells: list[Cell]) -> list[str]:
    """The required speed-ups, a line for each."""
    done = [cell for cell in cells if cell.complete]
    idle = [cell for cell in done if cell.load == IDLE]
    loaded = [cell for cell in done if cell.load != IDLE]
    lines = []
    if idle:
        slow = [cell for cell in idle if cell.faster < SLOWER_IDLE - cell.noise]
        lines.append(
            f"idle, none slower than 2 % beyond noise: {named(slow)}; geometric mean "
            f"{geometric_mean([cell.faster for cell in idle]):.2f} x"
        )
    if loaded:
        mean = geometric_mean([cell.faster for cell in loaded])
        reached = "reached" if mean >= MEAN_LOADED else "MISSED"
        lines.append(f"loaded, geometric mean at least {MEAN_LOADED} x: {mean:.2f} x, {reached}")
        for load in dict.fromkeys(cell.load for cell in loaded):
            of_load = [cell.faster for cell in loaded if cell.load == load]
            lines.append(f"  {load}: {geometric_mean(of_load):.2f} x of {len(of_load)}")
        slow = [cell for cell in loaded if cell.faster < SLOWER_LOADED]
        lines.append(f"loaded, none below {SLOWER_LOADED} x: {named(slow)}")
    return lines


def named(slow: list[Cell]) -> str:
    if not slow:
        return "reached"
    return "MISSED by " + ", ".join(f"{cell.recipe.name} ({cell.load} {cell.faster:.3f} x)" for cell in slow)
