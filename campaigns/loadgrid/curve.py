"""Curves of progress: how many iterations a program has done some time after its first one began, and what trying
other placements has cost it by then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from cells import PROGRAMS, Cell
from record import COMMON, Run
from running import OK
from settings import AUTO, NO_TRIALS, STOCK
from tables import ratio
from verdict import MISS, NOT_MEASURED, PASS

from lab import results
from lab.tables import table

TIMES_S = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
REGRET_FROM_S = 0.05
MOST_REGRET = 0.1


@dataclass(frozen=True)
class Regret:
    """What auto has lost by trying, in the cell at that time: iterations, and of how many."""

    cell: Cell
    time: float
    lost: float
    of: float

    @property
    def part(self) -> float:
        """Counts are of whole iterations: a difference is certain but for one."""
        certain = max(self.lost - 1, 0.0) + min(self.lost + 1, 0.0)
        return certain / self.of if self.of else 0.0

    @property
    def verdict(self) -> str:
        return MISS if self.part > MOST_REGRET else PASS


def time_name(seconds: float) -> str:
    return f"{seconds:g} s" if seconds >= 1 else f"{1000 * seconds:g} ms"


class Curves:
    """Medians over the repetitions of what is done by each time."""

    def __init__(self, runs: Sequence[Run]) -> None:
        recorded = [run for run in runs if run.progress or run.status != OK]
        self.times = sorted({time for run in recorded for time in run.progress})
        self.kinds = {run.setting: run.kind for run in recorded}
        groups: dict[Cell, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
        for run in recorded:
            groups[run.cell][run.setting].append(run)
        # A run that failed got nothing done.
        self.done = {
            cell: {
                name: {time: median(run.progress.get(time, 0.0) for run in group) for time in self.times}
                for name, group in by_setting.items()
            }
            for cell, by_setting in groups.items()
        }

    def cells(self, program: str) -> list[Cell]:
        return [cell for cell in self.done if cell.program == program]

    def settings(self, cell: Cell) -> list[str]:
        """Those of Muster first."""
        return sorted(self.done[cell], key=lambda name: (self.kinds[name] == STOCK, name != AUTO, name))

    def best_stock(self, cell: Cell, time: float) -> float | None:
        done = [curve[time] for name, curve in self.done[cell].items() if self.kinds[name] == STOCK]
        return max(done, default=None)

    def to_best_stock(self, cell: Cell, setting: str, time: float) -> float | None:
        best = self.best_stock(cell, time)
        return self.done[cell][setting][time] / best if best else None

    def regrets(self, cell: Cell) -> list[Regret]:
        auto, without = self.done[cell].get(AUTO), self.done[cell].get(NO_TRIALS)
        if auto is None or without is None:
            return []
        times = [time for time in self.times if time >= REGRET_FROM_S]
        return [Regret(cell, time, without[time] - auto[time], without[time]) for time in times]

    def worst_regrets(self) -> list[Regret]:
        """One of each cell, the largest first."""
        worst = [max(found, key=lambda regret: regret.part) for cell in self.done if (found := self.regrets(cell))]
        return sorted(worst, key=lambda regret: -regret.part)


def curve_head(curves: Curves) -> tuple[str, ...]:
    return ("threads", "beside", "work us", "setting", *map(time_name, curves.times))


def curve_rows(curves: Curves, program: str) -> list[tuple[str, ...]]:
    """Of each cell what the best stock setting has done by each time, then all settings relative to that."""
    rows = []
    for cell in curves.cells(program):
        where = (str(cell.threads), cell.load, f"{cell.work_us:g}")
        best = [curves.best_stock(cell, time) for time in curves.times]
        rows.append((*where, "best stock, done", *("-" if done is None else f"{done:,.0f}" for done in best)))
        rows += [
            (*where, name, *(ratio(curves.to_best_stock(cell, name, time)) for time in curves.times))
            for name in curves.settings(cell)
        ]
    return rows


REGRET = ("verdict", "cell", "regret", "at", "iterations lost", "of")


def regret_rows(curves: Curves) -> list[tuple[str, ...]]:
    """The whole first, then each cell."""
    worst = curves.worst_regrets()
    missed = sum(regret.verdict == MISS for regret in worst)
    verdict = NOT_MEASURED if not worst else MISS if missed else PASS
    summary = (verdict, f"all: {missed} of {len(worst)} cells missed", ratio(worst[0].part if worst else None))
    rows = [(*summary, *([time_name(worst[0].time)] if worst else ["-"]), "-", "-")]
    for found in worst:
        counts = (f"{found.lost:,.0f}", f"{found.of:,.0f}")
        rows.append((found.verdict, str(found.cell), ratio(found.part), time_name(found.time), *counts))
    return rows


def regret_title() -> str:
    since, most = time_name(REGRET_FROM_S), f"{MOST_REGRET:g}"
    return f"Regret: from {since} on, auto has lost at most {most} of what it does without trials ({NO_TRIALS})"


def program_title(program: str) -> str:
    unit = "iterations" if program == "barrier" else "regions"
    return f"{program}: {unit} done since the first began, relative to the stock setting that has done most by then"


def text(curves: Curves, shared: dict[str, str]) -> str:
    lines = [", ".join(f"{name} {shared.get(name, '?')}" for name in COMMON), ""]
    for program in filter(curves.cells, PROGRAMS):
        shown = table(curve_head(curves), curve_rows(curves, program), {"beside", "setting"}, groups=3)
        lines += [program_title(program), "", shown, ""]
    shown = table(REGRET, regret_rows(curves), {"verdict", "cell"})
    return "\n".join([*lines, regret_title(), "", shown, ""])


def leave(path: Path, curves: Curves, shared: dict[str, str]) -> None:
    """The tables, and with them every curve."""
    notes = [", ".join(f"{name} {shared.get(name, '?')}" for name in ("libomp", "seed", "seconds", "library"))]
    found = [results.table_of_words(REGRET, regret_rows(curves), regret_title(), notes)]
    for program in filter(curves.cells, PROGRAMS):
        rows = curve_rows(curves, program)
        found.append(results.table_of_words(curve_head(curves), rows, program_title(program)))
    raw = {str(cell): {name: list(done.values()) for name, done in by.items()} for cell, by in curves.done.items()}
    results.leave(path, "Progress since the first iteration", found, raw={"times_s": curves.times, "done": raw})
