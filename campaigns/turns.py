#!/usr/bin/env python3
"""Several programs on one simulated machine: `campaigns/turns.py [--processors 32,128] [--shapes teams,hogs]`.

Runs sim/smp/runs/turns.toml, where each team is a process of its own, over machines, loads, granularities and settings.
Shapes: `teams` of 16 threads; `machine`: teams as large as the machine; `mixed`: as many teams of 4 and of 64 as of 16;
`hogs`: teams of 16 beside threads that only compute, one for every fourth processor or one for each; `crowd`: one team
as large as the machine or half of it, beside hogs for a quarter of the processors to two for each. The others need 32
processors. A load is the threads of the teams for each processor. The table shows barriers as a share of the bound:
what each team passes alone, divided by the load. Below it stands whether the bars are met. Numbers are medians over the
seeds. Runs are kept by lab/campaign.py, so an interrupted campaign continues.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scaling import GRANULARITIES, LOADS, add_list  # noqa: E402

from lab.campaign import Campaign, CampaignError, Run, add_options, positive, status_after  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import Column, Table, add_option, leave  # noqa: E402

RUN_FILE = Path(__file__).resolve().parent.parent / "sim" / "smp" / "runs" / "turns.toml"
STOCK = ("libomp", "libomp-passive", "libgomp", "libgomp-passive")
TURNS = "turns"  # auto with turns
SETTINGS = ("auto", TURNS, "block", *STOCK)
# What is counted, and before it the time in which processes notice each other. With load 4, the order of turns repeats
# after 120 ms.
COUNTED_MS = {8: 120, 16: 120, 32: 120, 64: 120, 128: 120, 256: 120, 1024: 120}
BEFORE_MS = 40
SIZES = (16, 4, 64)  # of jobs 0 to 2 of the run file
HOGS = {"hogs/4": 4, "hogs": 1}  # processors for each hog
SHAPES = {  # and their loads
    "teams": LOADS,
    "machine": (1.0, 2.0, 4.0),
    "mixed": LOADS,
    "hogs": (1.0, 2.0),
    "crowd": (0.5, 1.0),
}


@dataclass(frozen=True)
class Cell:
    """Teams of those sizes, so many of each, beside so many hogs."""

    processors: int
    granularity: str
    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    hogs: int = 0

    @property
    def threads(self) -> int:
        return sum(size * count for size, count in zip(self.sizes, self.counts, strict=True))

    @property
    def load(self) -> float:
        """Of the teams; hogs not counted."""
        return self.threads / self.processors

    @property
    def wanted(self) -> float:
        """Threads for each processor."""
        return (self.threads + self.hogs) / self.processors

    def alone(self, size: int) -> Cell:
        return Cell(self.processors, self.granularity, (size,), (1,))

    def run(self, setting: str, seed: int) -> Run:
        limit_ms = BEFORE_MS + COUNTED_MS[self.processors]
        settings = {
            "machine.processors": self.processors,
            "wait.policy": "auto" if setting == TURNS else setting,
            "wait.turns": "true" if setting == TURNS else "false",
            "job.3.size": self.hogs,
            "count_from": BEFORE_MS * 1_000_000,
            "limit": limit_ms * 1_000_000,
            "seed": seed,
        }
        for job in range(len(SIZES)):
            used = job < len(self.sizes)
            settings[f"job.{job}.count"] = self.counts[job] if used else 0
            settings[f"job.{job}.size"] = self.sizes[job] if used else SIZES[job]
            settings[f"job.{job}.granularity"] = self.granularity
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        return Run("smp", (RUN_FILE, "--each-job", *words), weight=self.threads * limit_ms)


def cells_of(shape: str, processors: int, granularity: str, loads: Sequence[float] = LOADS) -> list[Cell]:
    wanted = [load for load in SHAPES[shape] if load in loads]

    def count_of(load: float, size: int) -> int:
        return max(1, round(load * processors / size))

    def teams(load: float, hogs: int = 0) -> Cell:
        return Cell(processors, granularity, (16,), (count_of(load, 16),), hogs)

    if shape == "crowd":
        hogs = (processors // 4, processors // 2, processors, 2 * processors)
        return [Cell(processors, granularity, (round(load * processors),), (1,), h) for load in wanted for h in hogs]
    if processors < 2 * SIZES[0]:
        return []
    if shape == "teams":
        return [teams(load) for load in wanted]
    if shape == "machine":
        return [Cell(processors, granularity, (processors,), (round(load),)) for load in wanted]
    if shape == "mixed":
        if processors < max(SIZES):
            return []
        counts = sorted({count_of(load, sum(SIZES)) for load in wanted})
        return [Cell(processors, granularity, SIZES, (count,) * len(SIZES)) for count in counts]
    return [teams(load, processors // share) for load in wanted for share in HOGS.values()]


@dataclass(frozen=True)
class Outcome:
    share: float  # of the bound
    rate: float  # barriers a second of a team, the mean
    fairness: float  # the team with the fewest barriers over the one with the most, of equal ones
    hogs: float | None  # the hogs' CPU time over their share


Rows = list[dict[str, str]]


def outcome_of(cell: Cell, rows: Rows, alone: dict[int, float]) -> Outcome:
    teams = [row for row in rows if row["synchronizing"] == "1"]
    rates = [float(row["barriers"]) / float(row["threads"]) / float(row["time"]) * 1e9 for row in teams]
    sizes = [int(row["threads"]) for row in teams]
    part = 1 / max(1.0, cell.wanted)
    done = sum(size * rate / (alone[size] * part) for size, rate in zip(sizes, rates, strict=True))
    fairness = 1.0
    for size in set(sizes):
        equal = [rate for rate, own in zip(rates, sizes, strict=True) if own == size]
        fairness = min(fairness, min(equal) / max(equal) if max(equal) else 0)
    hogs = [float(row["ran"]) / float(row["time"]) / cell.hogs for row in rows if row["synchronizing"] == "0"]
    return Outcome(done / sum(sizes), statistics.mean(rates), fairness, hogs[0] / part if hogs else None)


Outcomes = dict[tuple[Cell, str], Outcome]


def median_of(outcomes: Sequence[Outcome]) -> Outcome:
    hogs = [one.hogs for one in outcomes if one.hogs is not None]
    return Outcome(
        statistics.median(one.share for one in outcomes),
        statistics.median(one.rate for one in outcomes),
        statistics.median(one.fairness for one in outcomes),
        statistics.median(hogs) if hogs else None,
    )


def outcomes_of(campaign: Campaign, cells: Sequence[Cell], seeds: int) -> Outcomes:
    alone = list({cell.alone(size) for cell in cells for size in cell.sizes})
    wanted = [(cell, setting) for cell in cells for setting in SETTINGS]
    runs = [cell.run("auto", 1) for cell in alone]
    runs += [cell.run(setting, seed) for cell, setting in wanted for seed in range(1, seeds + 1)]
    tables = campaign.rows(runs)
    rates = {}
    for cell, rows in zip(alone, tables[: len(alone)], strict=True):
        row = rows[0]
        rates[cell] = float(row["barriers"]) / float(row["threads"]) / float(row["time"]) * 1e9
    out = {}
    for number, (cell, setting) in enumerate(wanted):
        own = tables[len(alone) + number * seeds :][:seeds]
        bounds = {size: rates[cell.alone(size)] for size in cell.sizes}
        out[cell, setting] = median_of([outcome_of(cell, rows, bounds) for rows in own])
    return out


def best_stock(outcomes: Outcomes, cell: Cell) -> tuple[str, Outcome]:
    best = max(STOCK, key=lambda setting: outcomes[cell, setting].share)
    return best, outcomes[cell, best]


def over_stock(outcomes: Outcomes, cell: Cell) -> float:
    return outcomes[cell, TURNS].share / best_stock(outcomes, cell)[1].share


COLUMNS = [
    Column("granularity"),
    Column("load", digits=2),
    Column("hogs"),
    Column("turns", "barriers/s", digits=0),
    Column("best stock"),
    Column("of the bound: it", digits=2),
    Column("block", digits=2),
    Column("auto", digits=2),
    Column("auto with turns", digits=2),
    Column("turns over stock", digits=2),
    Column("least over most", digits=2),
    Column("hogs' share", digits=2),
]


def table_of(outcomes: Outcomes, cells: Sequence[Cell], title: str) -> Table:
    rows = []
    for cell in cells:
        name, stock = best_stock(outcomes, cell)
        turns = outcomes[cell, TURNS]
        shares = [stock.share, outcomes[cell, "block"].share, outcomes[cell, "auto"].share, turns.share]
        rows.append(
            [cell.granularity, round(cell.load, 2), cell.hogs, round(turns.rate), name]
            + [round(share, 3) for share in (*shares, over_stock(outcomes, cell), turns.fairness)]
            + [None if turns.hogs is None else round(turns.hogs, 3)]
        )
    return Table(COLUMNS, rows, title)


@dataclass(frozen=True)
class Bar:
    name: str
    least: float
    applies: Callable[[Cell], bool]
    value: Callable[[Outcomes, Cell], float]
    over_all: Callable[[Sequence[float]], float] = min


BARS = (
    Bar("turns over the best stock setting, least", 0.95, lambda _: True, over_stock),
    Bar("the same, loads 1.5 to 4, mean", 2, lambda c: c.load > 1.25 and not c.hogs, over_stock, statistics.mean),
    Bar(
        "share of the bound, fine and medium, least",
        0.7,
        lambda c: c.granularity != "coarse" and not c.hogs,
        lambda outcomes, cell: outcomes[cell, TURNS].share,
    ),
    Bar("least over most of equal teams, least", 0.9, lambda _: True, lambda o, cell: o[cell, TURNS].fairness),
    Bar("hogs' share, least", 0.97, lambda c: c.hogs > 0, lambda o, cell: o[cell, TURNS].hogs or 0),
)


def verdicts(outcomes: Outcomes, cells: Sequence[Cell]) -> Table:
    rows = []
    for bar in BARS:
        values = [bar.value(outcomes, cell) for cell in cells if bar.applies(cell)]
        if not values:
            continue
        found = bar.over_all(values)
        missed = sum(value < bar.least for value in values)
        verdict = "met" if found >= bar.least else "missed"
        rows.append([bar.name, bar.least, round(found, 3), f"{missed} of {len(values)}", verdict])
    columns = [Column("bar"), Column("at least", digits=2), Column("found", digits=2), Column("cells below")]
    return Table([*columns, Column("verdict")], rows, "Bars")


def text_of(table: Table) -> str:
    lines = [f"| {' | '.join(column.name for column in table.columns)} |", "|---" * len(table.columns) + "|"]
    for row in table.rows:
        shown = [column.shown(value) for column, value in zip(table.columns, row, strict=True)]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="turns", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_list(parser, "--processors", {str(known): known for known in COUNTED_MS}, [32])
    add_list(parser, "--shapes", {known: known for known in SHAPES}, [known for known in SHAPES if known != "crowd"])
    add_list(parser, "--granularities", {known: known for known in GRANULARITIES}, list(GRANULARITIES))
    add_list(parser, "--loads", {f"{known:g}": known for known in LOADS}, list(LOADS))
    parser.add_argument("--seeds", type=positive, default=1, metavar="N", help="runs of each; medians are shown (1)")
    add_options(parser)
    add_option(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    progress = Progress()
    try:
        campaign = Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress)
        parts: dict[str, list[Cell]] = {}
        for processors in arguments.processors:
            for shape in arguments.shapes:
                cells: list[Cell] = []
                for grain in arguments.granularities:
                    cells += cells_of(shape, processors, grain, arguments.loads)
                if cells:
                    parts[f"{processors:,} processors, {shape}"] = cells
        every = [cell for cells in parts.values() for cell in cells]
        if not every:
            parser.error("none of these shapes has one of these loads on a machine of that size")
        outcomes = outcomes_of(campaign, every, arguments.seeds)
        progress.clear()
        tables = [verdicts(outcomes, every), *(table_of(outcomes, cells, title) for title, cells in parts.items())]
        for table in tables:
            print(f"{table.title}\n\n{text_of(table)}\n")
        if arguments.json:
            machines = ", ".join(f"{processors:,}" for processors in arguments.processors)
            leave(arguments.json, f"{machines} processors", tables, simulated=True)
    except (CampaignError, KeyboardInterrupt, OSError) as error:
        return status_after(error, "turns", progress)
    return 0


if __name__ == "__main__":
    sys.exit(main())
