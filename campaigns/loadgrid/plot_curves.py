"""Draws curves of progress: a panel for each cell, a line for each setting, relative to the best stock setting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cells import PROGRAMS, Cell
from curve import Curves, time_name
from settings import AUTO, NO_TRIALS, STOCK

from lab.pictures import save_png

LEAST, MOST = 0.1, 10.0  # of the axis, relative to the best stock setting


def draw_all(curves: Curves, where: str, folder: Path) -> Iterator[Path]:
    """A picture for each program."""
    for program in filter(curves.cells, PROGRAMS):
        output = folder / f"curves-{program}.png"
        draw(curves, program, where, output)
        yield output


def draw(curves: Curves, program: str, where: str, output: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    cells = curves.cells(program)
    loads = list(dict.fromkeys(cell.load for cell in cells))
    rows = sorted({(cell.threads, cell.work_us) for cell in cells})
    size = (max(7.0, 1.0 + 2.3 * len(loads)), 1.6 + 1.7 * len(rows))
    figure, panels = pyplot.subplots(
        len(rows), len(loads), figsize=size, squeeze=False, sharex=True, sharey=True, layout="constrained"
    )
    lines: dict[str, Any] = {}
    for row, (threads, work) in zip(panels, rows, strict=True):
        for panel, load in zip(row, loads, strict=True):
            cell = Cell(program, threads, load, work)
            if cell in cells:
                lines |= draw_cell(curves, cell, panel)
            else:
                panel.set_visible(False)
    for panel in panels.flat:
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_ylim(LEAST, MOST)
        panel.set_xticks(curves.times, [time_name(time) for time in curves.times], rotation=90, fontsize="x-small")
        panel.minorticks_off()
        panel.set_yticks([LEAST, 0.5, 1, 2, MOST], [f"{LEAST:g}", "0.5", "1", "2", f"{MOST:g}"])
        panel.tick_params(labelsize="x-small")
    # constrained layout leaves no space for a figure's legend
    figure.get_layout_engine().set(rect=(0, 0.35 / size[1], 1, 1 - 0.35 / size[1]))
    figure.legend(lines.values(), lines.keys(), loc="lower center", ncol=len(lines), fontsize="small")
    figure.suptitle(f"{program}: progress relative to the best stock setting at each time\n{where}", fontsize="medium")
    save_png(figure, output, dpi=100)
    pyplot.close(figure)


def draw_cell(curves: Curves, cell: Cell, panel: Any) -> dict[str, Any]:
    """The lines by setting. What is outside the axis is drawn on its edge."""
    lines = {}
    panel.axhline(1.0, color="0.7", linewidth=0.8)
    for name in curves.settings(cell):
        points = [(time, curves.to_best_stock(cell, name, time)) for time in curves.times]
        known = [(time, min(max(value, LEAST), MOST)) for time, value in points if value is not None]
        style: dict[str, Any] = {"linewidth": 1.0}
        if name == AUTO:
            style = {"linewidth": 2.2, "color": "black"}
        elif curves.kinds[name] != STOCK:
            style = {"linewidth": 1.4, "linestyle": "--"} | ({"color": "black"} if name == NO_TRIALS else {})
        elif name in STOCK_COLOURS:
            style["color"] = STOCK_COLOURS[name]
        (lines[name],) = panel.plot([time for time, _ in known], [value for _, value in known], **style)
    panel.set_title(str(cell).partition(", ")[2], fontsize="x-small")
    return lines


# The same in every panel, whichever settings a cell has.
STOCK_COLOURS = {
    "libomp": "tab:blue", "libomp-passive": "tab:cyan", "libgomp": "tab:red", "libgomp-passive": "tab:orange",
    "libiomp5": "tab:green",
}  # fmt: skip
