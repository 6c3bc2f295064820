"""Draws the heat map of a load grid: how many times Muster's auto is faster than the best stock setting.

    loadgrid-plot FOLDER [--setting auto] [--against stock|fixed|libomp] [--output FILE.png]

FOLDER is loadgrid's: its runs.csv is read. Of a folder of `loadgrid --curve` it draws the curves of each program
(FOLDER/curves-PROGRAM.png). It needs matplotlib (Debian: python3-matplotlib).
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import plot_curves
from cells import BLINKS, COPY, PROGRAMS, QUOTA, SESSION, Cell
from curve import Curves
from record import RecordError, read
from settings import AUTO
from summary import Summary

from lab.pictures import save_png

LIMIT = 6.0  # of the colours, in powers of two


def ratio_of(summary: Summary, cell: Cell, setting: str, against: str) -> float | None:
    if cell not in summary.figures:
        return None
    compare = {"stock": summary.to_best_stock, "fixed": summary.to_best_fixed, "libomp": summary.to_default}
    return compare[against](cell, setting)


def axes_of(summary: Summary) -> tuple[list[str], list[tuple[int, float]]]:
    """The columns, which are loads, and the rows, which are threads and work."""
    found = {cell.load for cell in summary.figures}
    loads = sorted((load for load in found if load.isdigit()), key=int)
    loads += sorted(load for load in found if load.startswith(SESSION))
    loads += [load for load in (COPY, QUOTA, *BLINKS) if load in found]
    return loads, sorted({(cell.threads, cell.work_us) for cell in summary.figures})


def draw(summary: Summary, setting: str, against: str, title: str, output: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    loads, rows = axes_of(summary)
    programs = [program for program in PROGRAMS if summary.cells(program)]
    size = (2.5 + 1.0 * len(loads) * len(programs), 1.8 + 0.42 * len(rows))
    figure, panels = pyplot.subplots(1, len(programs), figsize=size, squeeze=False, sharey=True, layout="constrained")
    image = None
    for panel, program in zip(panels[0], programs, strict=True):
        values = [
            [ratio_of(summary, Cell(program, threads, load, work), setting, against) for load in loads]
            for threads, work in rows
        ]
        colours = [[math.log2(v) if v and not math.isinf(v) else math.nan for v in line] for line in values]
        image = panel.imshow(colours, cmap="RdBu", vmin=-LIMIT, vmax=LIMIT, aspect="auto")
        for y, line in enumerate(values):
            for x, value in enumerate(line):
                if value is not None:
                    shade = abs(math.log2(value)) if value and not math.isinf(value) else 0
                    text = f"{value:.2f}" if value < 10 else f"{value:.0f}"
                    panel.text(x, y, text, ha="center", va="center", color="white" if shade > 4 else "black")
        panel.set_xticks(range(len(loads)), [f"{n} hogs" if n.isdigit() else n for n in loads], rotation=30)
        panel.set_yticks(range(len(rows)), [f"{threads} threads, {work:g} us" for threads, work in rows])
        panel.set_title(program)
    bar = figure.colorbar(image, ax=panels[0].tolist(), ticks=range(-6, 7, 2))
    bar.ax.set_yticklabels([f"{2.0**power:g}" for power in range(-6, 7, 2)])
    figure.suptitle(title, fontsize="medium")
    save_png(figure, output, dpi=120)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="loadgrid-plot", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--setting", default=AUTO, help="whose rate is compared (auto)")
    parser.add_argument("--against", choices=("stock", "fixed", "libomp"), default="stock", help="(stock)")
    parser.add_argument("--output", type=Path, help="(FOLDER/heatmap.png)")
    options = parser.parse_args()
    try:
        shared, runs = read(options.folder / "runs.csv")
        if not runs:
            raise RecordError(f"{options.folder / 'runs.csv'} holds no runs")
        where = f"{shared['machine']}, {shared['kernel']}"
        if any(run.progress for run in runs):
            for output in plot_curves.draw_all(Curves(runs), where, options.folder):
                print(output)
            return 0
        other = {"stock": "best stock setting", "fixed": "best fixed policy", "libomp": "libomp's default"}
        title = f"{options.setting} / {other[options.against]} (above 1: faster)"
        title += f"\n{where}"
        output = options.output or options.folder / "heatmap.png"
        draw(Summary(runs), options.setting, options.against, title, output)
    except ImportError as error:
        hint = "install it (Debian: python3-matplotlib, for /usr/bin/python3)"
        print(f"loadgrid-plot: {sys.executable}: {error}; {hint}", file=sys.stderr)
        return 1
    except (RecordError, OSError) as error:
        print(f"loadgrid-plot: {error}", file=sys.stderr)
        return 1
    print(output)
    return 0


def command() -> None:
    sys.exit(main())
