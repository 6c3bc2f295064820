"""The tables: how much faster than each of stock's settings, and where the time goes."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

from running import MUSTER, OK, STOCK, TIMED, Run
from verdict import Cell

from lab.tables import table


def seconds(time: float | None) -> str:
    return "-" if time is None else f"{time:.2f}"


def times_faster(cell: Cell, setting: str) -> str:
    faster = cell.faster_than(setting)
    return "-" if math.isnan(faster) else f"{'>= ' if cell.stopped(setting) else ''}{faster:.2f} x"


def threads_of(cell: Cell) -> str:
    run = next(run for runs in cell.runs.values() for run in runs)
    return f"{cell.recipe.ranks} x {run.threads}" if cell.recipe.ranks else str(run.threads)


def speed_up_rows(cells: list[Cell]) -> list[tuple[str, ...]]:
    """With the heading."""
    names = [setting.name for setting in STOCK]
    rows = [
        (
            "application", "load", "threads", *(f"{name} s" for name in (*names, "Muster")),
            *(f"of {name}" for name in names), "of the better", "single pairs", "runs", "results",
        )
    ]  # fmt: skip
    for cell in cells:
        low, high = cell.bounds if cell.complete else (math.nan, math.nan)
        rows.append(
            (
                cell.recipe.name, cell.load, threads_of(cell), *(seconds(cell.seconds(name)) for name in names),
                seconds(cell.seconds(MUSTER.name)), *(times_faster(cell, name) for name in names),
                times_faster(cell, cell.better) if cell.complete else "-",
                "-" if math.isnan(low) else f"{low:.2f} to {high:.2f}",
                "+".join(str(len(cell.runs.get(setting.name, []))) for setting in TIMED), cell.sameness,
            )
        )  # fmt: skip
    return rows


def speed_ups(cells: list[Cell]) -> str:
    head, *rows = speed_up_rows(cells)
    return table(head, rows, 2, groups=1)


def typical(runs: list[Run]) -> Run | None:
    """The run of the middle time."""
    good = sorted((run for run in runs if run.status == OK), key=lambda run: run.seconds)
    return good[(len(good) - 1) // 2] if good else None


def time_rows(cells: list[Cell]) -> list[tuple[str, ...]]:
    """With the heading."""
    heading = (
        "application", "load", "replaced", "passed", "folded", "unfolded", "regions/s", "waiting",
        *(f"{what} {setting.name}" for what in ("user+sys s", "sleeps") for setting in TIMED),
    )  # fmt: skip
    rows = [heading]
    for cell in cells:
        runs = [typical(cell.runs.get(setting.name, [])) for setting in TIMED]
        run = cell.reported
        if run is None or run.muster is None:
            continue
        kept: dict[str, Any] = run.muster
        folded, unfolded = kept.get("folded", 0), kept.get("unfolded", 0)
        threads = run.threads * max(1, cell.recipe.ranks)
        rows.append(
            (
                cell.recipe.name, cell.load, f"{kept.get('instances_replaced', 0):,}",
                f"{kept.get('passed_through', 0):,}", f"{folded:,}", f"{unfolded:,}",
                f"{(folded + unfolded) / run.wall_s:,.0f}", f"{100 * kept['waited_s'] / (threads * run.wall_s):.0f} %",
                *(f"{one.user_s:.1f}+{one.system_s:.1f}" if one else "-" for one in runs),
                *(f"{one.slept:,}" if one else "-" for one in runs),
            )
        )  # fmt: skip
    return rows


def where_time_goes(cells: list[Cell]) -> str:
    head, *rows = time_rows(cells)
    return table(head, rows, 2, groups=1)


def copies(cells: list[Cell]) -> str:
    """Of each application: the runtimes that it ran on, and why something was not Muster's."""
    lines = []
    for name in dict.fromkeys(cell.recipe.name for cell in cells):
        run = next((cell.reported for cell in cells if cell.recipe.name == name and cell.reported), None)
        if run is None or run.muster is None:
            continue
        lines.append(f"{name} ({run.load})")
        for path, facts in run.muster["runtimes"].items():
            shown = "/".join(Path(path).parts[-2:])
            package = f", part of {facts['package']}" if facts["package"] else ""
            reason = f": passed through, {facts['reason']}" if facts["reason"] else ""
            lines.append(f"    runs on {shown}{package}{reason}")
        for what, found in (("passed through", run.muster["by_reason"]), ("regions", run.muster["folding"])):
            if found:
                counted = (f"{reason} {count:,}" for reason, count in sorted(found.items(), key=lambda row: -row[1]))
                lines.append(f"    {what}: {', '.join(counted)}")
        lines.extend(f"    inactive in {count}: {reason}" for reason, count in run.muster["inactive"].items())
    return "\n".join(lines)


CSV_COLUMNS = (
    "application", "load", "threads", "ranks", "setting", "seconds", "runs", "muster_faster", "lower_bound", "better",
    "lowest", "highest", "results",
)  # fmt: skip


def csv_number(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.6g}"


def as_csv(cells: list[Cell]) -> str:
    """A line for each setting: how many times faster than it Muster is. `lowest`, `highest`: of the better one's."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for cell in cells:
        if not cell.complete:
            continue
        for setting in TIMED:
            runs = cell.runs.get(setting.name, [])
            if not runs:
                continue
            better = setting.name == cell.better
            writer.writerow(
                [
                    cell.recipe.name, cell.load, runs[0].threads, cell.recipe.ranks, setting.name,
                    csv_number(cell.seconds(setting.name)), len(runs), csv_number(cell.faster_than(setting.name)),
                    int(cell.stopped(setting.name)), int(better),
                    *(csv_number(bound) if better else "" for bound in cell.bounds), cell.sameness,
                ]
            )  # fmt: skip
    return text.getvalue()
