"""The speed-ups as a picture: idle on the left, where little differs, and loaded on the right."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from verdict import IDLE, Cell

sys.path.append(str(Path(__file__).resolve().parents[2] / "papi-scripts"))  # drawing

MARKERS = {"idle": ("o", 0.0), "hogs": ("s", 0.0), "twice": ("^", 0.35), "quota": ("D", 0.6)}
OTHER = ("v", 0.6)


def draw(cells: list[Cell], shared: dict[str, Any], folder: Path) -> list[Path]:
    """Raises ImportError where there is no matplotlib."""
    from drawing.plots import Line, Panel, Picture, save
    from drawing.styles import Style

    names = list(dict.fromkeys(cell.recipe.name for cell in cells))
    panels = []
    for title, chosen in (
        ("idle", [cell for cell in cells if cell.load == IDLE and cell.complete]),
        ("loaded", [cell for cell in cells if cell.load != IDLE and cell.complete]),
    ):
        if not chosen:
            continue
        width = (-0.5, len(names) - 0.5)
        lines = [Line("as stock", Style("", "-", 0.6), width, (1.0, 1.0), in_front=False)]
        for load in dict.fromkeys(cell.load for cell in chosen):
            of_load = [cell for cell in chosen if cell.load == load]
            marker, grey = MARKERS.get(load, OTHER)
            x = [float(names.index(cell.recipe.name)) for cell in of_load]
            y = [cell.faster for cell in of_load]
            low, high = ([cell.bounds[side] for cell in of_load] for side in (0, 1))
            lines.append(Line(load, Style(marker, "None", grey, load != "twice"), x, y, low, high))
        ticks = range(len(names))
        what = "times faster than the better stock setting"
        panel = Panel(title, what, lines, "", log_y=True, x_ticks=ticks, x_names=names)
        panel.legend, panel.beside = title == "loaded", True
        panels.append(panel)
    if not panels:
        return []
    caption = (
        "Medians of interleaved runs, against the faster of default and OMP_WAIT_POLICY=passive, measured on "
        f"{shared['cpus']} CPUs of {shared['machine']}, Linux {shared['kernel']}, commit {shared['commit']}; bars: the "
        "lowest and the highest of single pairs of runs. hogs: beside two CPU hogs; twice: twice as many threads as CPUs; quota: a cgroup with one CPU."
    )
    whole = Picture("Applications, preloaded against stock", panels, [caption], legend_inches=1.2)
    paths: list[Path] = save(whole, folder, "applications")
    return paths
