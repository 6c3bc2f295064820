"""Judges the runs of a cell, an application beside a load: how many times faster than stock's better setting, and
whether results are the same.

Results must be equal bit by bit where all of stock's own are. The recipe excludes applications that add in any order,
since some of their runs may be equal by chance."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field

from recipe import Recipe
from running import MUSTER, NO_END, OK, REPORTED, STOCK, Run

from lab.statistics import geometric_mean

IDLE = "idle"
LEAST_IDLE = 0.98  # of the speed of stock's better setting, in every cell
LEAST_LOADED = 0.95
MEAN_LOADED = 1.5  # the geometric mean


def counts(run: Run) -> bool:
    """A run that was stopped took at least that long."""
    return run.status == OK or run.status.startswith(NO_END)


@dataclass
class Cell:
    recipe: Recipe
    load: str
    runs: dict[str, list[Run]]  # by setting
    problems: list[str] = field(default_factory=list)
    sameness: str = ""  # of results

    @property
    def muster(self) -> list[Run]:
        return self.runs.get(MUSTER.name, [])

    @property
    def reported(self) -> Run | None:
        return next((run for run in self.runs.get(REPORTED.name, []) if run.status == OK), None)

    def counted(self, setting: str) -> list[Run]:
        return [run for run in self.runs.get(setting, []) if counts(run)]

    def seconds(self, setting: str) -> float | None:
        """The median, None without runs."""
        times = [run.seconds for run in self.counted(setting)]
        return statistics.median(times) if times else None

    @property
    def complete(self) -> bool:
        return bool(self.rivals) and any(run.status == OK for run in self.muster)

    @property
    def rivals(self) -> list[str]:
        """Stock's settings that were run, the fastest first."""
        found = {setting.name: self.seconds(setting.name) for setting in STOCK}
        return sorted((name for name, time in found.items() if time is not None), key=lambda name: found[name] or 0.0)

    @property
    def better(self) -> str:
        return self.rivals[0]

    def stopped(self, setting: str) -> bool:
        """Muster is at least so much faster than it."""
        return any(run.status.startswith(NO_END) for run in self.runs.get(setting, []))

    def faster_than(self, setting: str) -> float:
        """NaN where there are no such runs."""
        theirs, ours = self.seconds(setting), self.seconds(MUSTER.name)
        return theirs / ours if theirs is not None and ours else math.nan

    @property
    def faster(self) -> float:
        return self.faster_than(self.better)

    @property
    def single_pairs(self) -> list[float]:
        """Of the better stock setting and Muster, run in the same round."""
        ours = {run.repetition: run.seconds for run in self.counted(MUSTER.name)}
        theirs = self.counted(self.better)
        return sorted(run.seconds / ours[run.repetition] for run in theirs if run.repetition in ours)

    @property
    def bounds(self) -> tuple[float, float]:
        ratios = self.single_pairs
        return (ratios[0], ratios[-1]) if ratios else (math.nan, math.nan)

    @property
    def least(self) -> float:
        return LEAST_IDLE if self.load == IDLE else LEAST_LOADED

    @property
    def upper_quartile(self) -> float:
        """Of single pairs."""
        ratios = self.single_pairs
        return statistics.quantiles(ratios, n=4, method="inclusive")[2] if len(ratios) > 1 else self.faster


def apart(recipe: Recipe, stock: list[Run], run: Run) -> str | None:
    """Where a result lies outside the range of stock's own, widened by the recipe's tolerance."""
    for name, tolerance in recipe.tolerances.items():
        theirs = [one.numbers[name] for one in stock]
        margin = tolerance * max(map(abs, theirs))
        if not min(theirs) - margin <= run.numbers[name] <= max(theirs) + margin:
            return f"{name} is {run.numbers[name]:.15g}, stock's {theirs[0]:.15g}, beyond {tolerance:g}"
    return None


def judge(recipe: Recipe, load: str, runs: dict[str, list[Run]]) -> Cell:
    cell = Cell(recipe, load, runs)
    for run in (run for of_setting in runs.values() for run in of_setting):
        slow_stock = not run.preloaded and run.status.startswith(NO_END)
        if run.status != OK and not slow_stock:
            cell.problems.append(f"{recipe.name}, {load}, {run.setting}, run {run.repetition}: {run.status}")
    good = [run for of_setting in runs.values() for run in of_setting if run.status == OK]
    ours, theirs = ([run for run in good if run.preloaded == side] for side in (True, False))
    if not ours or not theirs:
        cell.sameness = "-"
        return cell
    digests = {run.digest for run in theirs}
    # Sums of fewer or more threads have other bits.
    steady = theirs[0].threads <= recipe.steady_threads and {run.threads for run in good} == {theirs[0].threads}
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
        cell.problems.append(f"{recipe.name}, {load}, {run.setting}, run {run.repetition}: WRONG RESULT: {reason}")
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
        mean = geometric_mean([cell.faster for cell in idle])
        lines += [*least("idle", LEAST_IDLE, idle), f"idle, geometric mean: {mean:.2f} x the better stock setting"]
    if loaded:
        lines += least("loaded", LEAST_LOADED, loaded)
        mean = geometric_mean([cell.faster for cell in loaded]) or 0.0
        reached = "reached" if mean >= MEAN_LOADED else "MISSED"
        lines.append(
            f"loaded, geometric mean at least {MEAN_LOADED} x the better stock setting: {mean:.2f} x, {reached}"
        )
        for load in dict.fromkeys(cell.load for cell in loaded):
            of_load = [cell.faster for cell in loaded if cell.load == load]
            lines.append(f"  {load}: {geometric_mean(of_load):.2f} x of {len(of_load)}")
    return lines


def least(what: str, bar: float, cells: list[Cell]) -> list[str]:
    """Missed; and undecided: below the bar, but a quarter of the single pairs is not."""
    below = [cell for cell in cells if cell.faster < bar]
    undecided = [cell for cell in below if cell.upper_quartile >= bar]
    missed = [cell for cell in below if cell not in undecided]
    found = [f"{verdict} {named(some)}" for verdict, some in (("MISSED by", missed), ("undecided:", undecided)) if some]
    return [f"{what}, all at least {bar} x the better stock setting: {'; '.join(found) or 'reached'}"]


def named(cells: list[Cell]) -> str:
    return ", ".join(f"{cell.recipe.name} ({cell.load} {cell.faster:.3f} x)" for cell in cells)
