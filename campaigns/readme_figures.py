"""What README.md says of the load grid, from the newest of its largest results: result_pages.py writes it there."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from lab.results import BadResult, Result

PART = re.compile(r"(<!-- load-grid -->\n).*?(<!-- /load-grid -->)", re.DOTALL)
MEAN = "work 0 and 10 us: auto / best stock setting of each cell"
WORST = "every cell: auto / best stock setting of the cell"
WIDTH = 118


def rows_of(result: Result, criterion: str) -> list[tuple[float, str]]:
    """The figure, and what it is of, in each table that has the criterion."""
    found = []
    for table in result.tables:
        heads = [column.name for column in table.columns]
        if "criterion" not in heads or "figure" not in heads:
            continue
        figure = heads.index("figure")
        for row in table.rows:
            if row[heads.index("criterion")] == criterion and isinstance(row[figure], (int, float)):
                found.append((float(row[figure]), str(row[figure + 1])))
    return found


def cells(where: str) -> int:
    match = re.search(r"mean over (\d+) cells", where)
    return int(match[1]) if match else 0


def sentence(results: Sequence[Result]) -> str:
    usable = [result for result in results if rows_of(result, MEAN) and rows_of(result, WORST)]
    if not usable:
        raise BadResult("no result of the load grid has the criteria that README.md shows")
    # A grid without the idle machine, say, is no newer version of a whole one.
    means = {id(result): max(rows_of(result, MEAN), key=lambda row: cells(row[1])) for result in usable}
    newest = max(usable, key=lambda result: (cells(means[id(result)][1]), result.date))
    mean, where = means[id(newest)]
    worst, cell = min(rows_of(newest, WORST))
    return (
        f"Against the best stock setting of each cell, the [load grid](docs/results/load-grid.md) has a mean of {mean:.2f}"
        f" ({cells(where)} cells with at most 10 us between barriers). The worst cell is at {worst:.2f}"
        f" ({re.sub(r' *[(].*', '', cell)}). Commit {newest.commit}."
    )


def filled(readme: str, results: Mapping[str, Result]) -> str:
    """README.md with its sentence on the load grid, by the results of that page."""
    if not PART.search(readme):
        return readme
    lines = textwrap.wrap(sentence(list(results.values())), WIDTH, break_long_words=False, break_on_hyphens=False)
    return PART.sub(lambda marks: marks[1] + "\n".join(lines) + "\n" + marks[2], readme)
