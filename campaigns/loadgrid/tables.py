"""How a summary is shown: a CSV of every figure, and a text to read."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

from cells import PROGRAMS, Cell
from record import COMMON
from settings import AUTO, FIXED, STOCK
from summary import Summary
from verdict import Criterion, judge

from lab import results
from lab.tables import table

COLUMNS = (
    "program", "threads", "load", "work_us", "setting", "kind", "runs", "failed", "median_rate_per_s",
    "least_rate_per_s", "most_rate_per_s", "cpus_used", "to_best_fixed", "to_best_stock", "to_single_stock",
    "to_libomp", "bound_rate_per_s", "of_bound", "hogs_cpu_to_fair", "copies_evenness",
)  # fmt: skip


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}" if abs(value) < 1000 else f"{value:.1f}"


def ratio(value: float | None) -> str:
    if value is None:
        return "-"
    return "inf" if math.isinf(value) else f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def summary_csv(summary: Summary) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    single = {program: single_of(summary, program) for program in PROGRAMS}
    for cell, figures in summary.figures.items():
        for name, figure in figures.items():
            values = (
                figure.rate, figure.least, figure.most, figure.cpus_used,
                summary.to_best_fixed(cell, name), summary.to_best_stock(cell, name),
                summary.ratio(cell, name, single[cell.program]), summary.to_default(cell, name),
                summary.bound(cell), summary.of_bound(cell, name), figure.hogs_got, figure.evenness,
            )  # fmt: skip
            words = [cell.program, cell.threads, cell.load, f"{cell.work_us:g}", name, figure.kind]
            writer.writerow([*words, figure.runs, figure.failed, *map(number, values)])
    return out.getvalue()


def single_of(summary: Summary, program: str) -> str | None:
    """The best single stock setting over the program's cells with CPU hogs."""
    return summary.single_best([cell for cell in summary.cells(program) if cell.load.isdigit()])


GRID = (
    "threads", "beside", "work us", "best stock", "best fixed", "auto 1/s", "/stock", "/fixed", "/bound",
    "hogs", "copies", "failed",
)  # fmt: skip


def grid_rows(summary: Summary, program: str) -> list[tuple[str, ...]]:
    rows = []
    for cell in summary.cells(program):
        figures = summary.figures[cell]
        auto = figures.get(AUTO)
        stock, fixed = summary.best(cell, STOCK), summary.best(cell, FIXED)
        rows.append(
            (
                str(cell.threads), cell.load, f"{cell.work_us:g}",
                named_rate(summary, cell, stock), named_rate(summary, cell, fixed),
                f"{auto.rate:,.0f}" if auto else "-",
                ratio(summary.to_best_stock(cell)), ratio(summary.to_best_fixed(cell)), ratio(summary.of_bound(cell)),
                ratio(auto.hogs_got if auto else None), ratio(auto.evenness if auto else None),
                str(sum(figure.failed for figure in figures.values())),
            )
        )  # fmt: skip
    return rows


def named_rate(summary: Summary, cell: Cell, name: str | None) -> str:
    rate = summary.rate(cell, name)
    return "-" if rate is None else f"{name} {rate:,.0f}"


def at_bound(value: float | None) -> str:
    return "" if value is None else f" (at the bound {ratio(value)})"


VERDICT = ("verdict", "criterion", "wanted", "figure", "where")


def verdict_rows(criteria: list[Criterion]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for c in criteria:
        verdict = f"({c.verdict})" if c.is_aim else c.verdict
        wanted = f">= {c.wanted:g}" + (f" (missed < {c.missed_below:g})" if c.missed_below < c.wanted else "")
        rows.append((verdict, c.what, wanted, ratio(c.figure), f"{c.where}{at_bound(c.bound)}"))
        if len(c.missed) > 1 and not c.is_aim:
            rows.append(("", "", "", "", f"missed: {len(c.missed)} of {c.cells} cells"))
            rows += [("", "", "", ratio(m.figure), f"{m.where}{at_bound(m.bound)}") for m in c.missed]
    return rows


def verdicts(summary: Summary) -> list[tuple[str, list[Criterion]]]:
    """Of each half of the grid, and of both."""
    halves = [program for program in PROGRAMS if summary.cells(program)]
    found = [(f"What must be reached: {program}", judge(summary, program)) for program in halves]
    return found if len(halves) < 2 else [*found, ("What must be reached: both programs", judge(summary, None))]


def program_title(program: str) -> str:
    return f"{program}: {'iterations' if program == 'barrier' else 'regions'} per second"


def leave(path: Path, summary: Summary, shared: dict[str, str]) -> None:
    notes = [", ".join(f"{name} {shared.get(name, '?')}" for name in ("libomp", "seed", "seconds", "library"))]
    found = [
        results.table_of_words(VERDICT, verdict_rows(criteria), title, notes) for title, criteria in verdicts(summary)
    ]
    for program in filter(summary.cells, PROGRAMS):
        found.append(results.table_of_words(GRID, grid_rows(summary, program), program_title(program)))
    results.leave(path, "The load grid", found)


def text(summary: Summary, shared: dict[str, str]) -> str:
    lines = [", ".join(f"{name} {shared.get(name, '?')}" for name in COMMON), ""]
    for program in filter(summary.cells, PROGRAMS):
        lines += [program_title(program), "", table(GRID, grid_rows(summary, program), 5), ""]
    for title, criteria in verdicts(summary):
        lines += [title, "", table(VERDICT, verdict_rows(criteria), {"verdict", "criterion", "where"}), ""]
    return "\n".join(lines)
