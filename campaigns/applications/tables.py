"""The tables: how much faster, and where the time goes."""

from __future__ import annotations

import csv
import io
import statistics
from pathlib import Path
from typing import Any

from running import OK, Run
from verdict import Cell

from lab.tables import table


def seconds(times: list[float]) -> str:
    return f"{statistics.median(times):.2f}" if times else "-"


def speed_up_rows(cells: list[Cell]) -> list[tuple[str, ...]]:
    """With the heading."""
    rows = [("application", "load", "threads", "stock s", "Muster s", "faster", "of single pairs", "runs", "results")]
    for cell in cells:
        faster = spread = "-"
        if cell.complete:
            more = ">= " if cell.lower_bound else ""
            low, high = cell.bounds
            faster, spread = f"{more}{cell.faster:.2f} x", f"{low:.2f} to {high:.2f}"
        runs = (*cell.stock, *cell.muster)
        threads = str(runs[0].threads) if not cell.recipe.ranks else f"{cell.recipe.ranks} x {runs[0].threads}"
        rows.append(
            (
                cell.recipe.name, cell.load, threads, seconds(cell.times(False)), seconds(cell.times(True)),
                faster, spread, f"{len(cell.stock)}+{len(cell.muster)}", cell.sameness,
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
        "user+sys s stock", "Muster", "sleeps stock", "Muster",
    )  # fmt: skip
    rows = [heading]
    for cell in cells:
        run, stock = typical(cell.muster), typical(cell.stock)
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
                f"{stock.user_s:.1f}+{stock.system_s:.1f}" if stock else "-", f"{run.user_s:.1f}+{run.system_s:.1f}",
                f"{stock.slept:,}" if stock else "-", f"{run.slept:,}",
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
        run = next((typical(cell.muster) for cell in cells if cell.recipe.name == name and typical(cell.muster)), None)
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
    "application", "load", "threads", "ranks", "stock_s", "muster_s", "faster", "lowest", "highest", "lower_bound",
    "stock_runs", "muster_runs", "results",
)  # fmt: skip


def as_csv(cells: list[Cell]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for cell in cells:
        if cell.complete:
            low, high = cell.bounds
            times = (statistics.median(cell.times(preloaded)) for preloaded in (False, True))
            figures = [f"{value:.6g}" for value in (*times, cell.faster, low, high)]
            ending = [int(cell.lower_bound), len(cell.stock), len(cell.muster), cell.sameness]
            writer.writerow([cell.recipe.name, cell.load, cell.stock[0].threads, cell.recipe.ranks, *figures, *ending])
    return text.getvalue()
