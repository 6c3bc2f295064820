"""Lines on axes, as PNG and SVG. It knows nothing of where the numbers come from: modelled, counted and measured ones
are drawn alike, and the caption, inside the picture, says which they are."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot, ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from drawing import legends, references
from drawing.references import Reference
from drawing.styles import Style
from lab.pictures import save_png, svg_of
from lab.whole_file import whole_file, write_whole

SETTINGS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 4.0,
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "svg.hashsalt": "muster",  # the same picture is the same file
}
CAPTION_SIZE = 6.5
TITLE_LETTER_INCHES = 0.082
INCHES_PER_LINE = 0.125
MARGIN_ABOVE = 1.06  # the highest point


@dataclass(frozen=True)
class Line:
    label: str
    style: Style
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()  # of each y, where it was repeated
    high: Sequence[float] = ()
    in_front: bool = True


@dataclass
class Panel:
    title: str
    y_label: str
    lines: list[Line]
    x_label: str = "threads"
    log: bool = False
    log_x: bool = False  # only these
    log_y: bool = False
    x_ticks: Sequence[float] = ()
    x_names: Sequence[str] = ()  # of the ticks, where they are no numbers
    note: str = ""
    legend: bool = True  # under all panels
    legend_title: str = ""
    beside: bool = False  # it stands right of the axes
    stacked: bool = False  # steps over time, one on top of the other, each with its style's grey and hatch
    level: float | None = None  # a line across
    marks: Sequence[float] = ()  # lines down
    published: Sequence[Reference] = ()

    @property
    def scale(self) -> tuple[str, bool, bool]:
        """Panels of the same one share their y-axis."""
        return self.y_label, self.log, self.log_y

    @property
    def highest(self) -> float:
        ours = max((value for line in self.lines for value in (*line.y, *line.high)), default=0)
        return max([ours, *(one.highest for one in self.published)])


@dataclass
class Picture:
    title: str
    panels: list[Panel]
    caption: list[str] = field(default_factory=list)  # paragraphs
    panel_inches: tuple[float, float] = (5.2, 3.6)
    legend_inches: float = 0.0  # of one that stands beside the last panel
    kind: str = ""  # simulated or measured: it stands in the corner
    description: str = ""  # of the file: what made it


def caption_lines(paragraphs: list[str], width_inches: float) -> list[str]:
    letters = int(width_inches * 72 / (CAPTION_SIZE * 0.53))
    return [line for text in paragraphs for line in textwrap.wrap(text, letters, break_on_hyphens=False) or [""]]


def above_zero(line: Line) -> Line:
    """What logarithmic axes can show of it."""
    kept = [i for i, y in enumerate(line.y) if y > 0]
    x, y, low, high = ([values[i] for i in kept] if values else () for values in (line.x, line.y, line.low, line.high))
    return replace(line, x=x, y=y, low=low, high=high)


def draw_stack(axes: Axes, panel: Panel) -> None:
    """All lines have the same x, and keep their y until the next one. Drawn are only the points where one changes."""
    steps = list(zip(*(line.y for line in panel.lines), strict=True))
    drawn = [i for i, step in enumerate(steps) if i in (0, len(steps) - 1) or step != steps[i - 1]]
    x = [panel.lines[0].x[i] for i in drawn]
    below = [0.0] * len(x)
    for line in panel.lines:
        above = [low + line.y[i] for low, i in zip(below, drawn, strict=True)]
        look = {"facecolor": str(line.style.grey), "hatch": line.style.hatch, "edgecolor": "0.3", "linewidth": 0.4}
        axes.fill_between(x, below, above, step="post", label=line.label, **look)
        below = above
    axes.set_ylim(0, max(below, default=1))
    axes.set_xlim(min(x, default=0), max(x, default=1))


def draw_panel(axes: Axes, panel: Panel, highest: float) -> None:
    """`highest`: of all panels that share its y-axis."""
    if panel.stacked:
        draw_stack(axes, panel)
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        axes.set_title(panel.title, loc="left")
        for mark in panel.marks:
            axes.axvline(mark, color="0.0", linewidth=1.2, linestyle=(0, (4, 2)))
        return
    for line in map(above_zero, panel.lines) if panel.log else panel.lines:
        # Thick lines lie below thin ones, so that both are seen.
        keywords = line.style.keywords() | {"label": line.label}
        keywords["zorder"] = (3 if line.in_front else 2) - line.style.width / 10
        # A marker at every point of a short line, at about eight of a long one.
        every = max(1, len(line.x) // 8)
        # The last point always has one: the markers are counted from there.
        keywords["markevery"] = [i for i in range(len(line.x)) if (len(line.x) - 1 - i) % every == 0]
        if line.low and line.high:
            bars = [
                [max(0.0, y - low) for y, low in zip(line.y, line.low, strict=True)],
                [max(0.0, high - y) for y, high in zip(line.y, line.high, strict=True)],
            ]
            keywords.pop("markevery")
            axes.errorbar(line.x, line.y, yerr=bars, capsize=2, elinewidth=0.7, **keywords)
        else:
            axes.plot(line.x, line.y, **keywords)
    for one in panel.published:
        references.draw(axes, one, panel.log_x or panel.log)
    if panel.level is not None:
        axes.axhline(panel.level, color="0.45", linewidth=0.8, linestyle=(0, (6, 3)), zorder=1)
    for mark in panel.marks:
        axes.axvline(mark, color="0.45", linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.title:
        axes.set_title(panel.title, loc="left")
    if panel.log:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(visible=True, which="minor", axis="y", color="0.95", linewidth=0.4)
    elif panel.log_y:
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        shown = "123456789" if high < 4 * low else "25"  # not all lines between powers of ten have space for a label
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(
            ticker.FuncFormatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in shown else "")
        )
        axes.grid(visible=True, which="minor", axis="y", color="0.95", linewidth=0.4)
    else:
        axes.set_ylim(0, MARGIN_ABOVE * highest or 1)
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
        if panel.log_x:
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        else:
            axes.set_xlim(left=0)
    if panel.x_names:
        axes.set_xticks(list(panel.x_ticks), panel.x_names, rotation=35, ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.5, len(panel.x_names) - 0.5)
    elif len(panel.x_ticks):
        axes.set_xticks(list(panel.x_ticks))
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    if panel.note:
        axes.text(0.98, 0.03, panel.note, transform=axes.transAxes, ha="right", va="bottom", fontsize=8)
    if panel.legend and panel.lines and panel.beside:
        legend = axes.legend(title=panel.legend_title or None, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        legend._legend_box.align = "left"


def share(axes: Sequence[Axes], panels: Sequence[Panel]) -> None:
    """Panels with one scale have one y-axis, labelled once."""
    for place, panel in list(zip(axes, panels, strict=True))[1:]:
        if panel.scale == panels[0].scale and not panel.stacked:
            place.sharey(axes[0])
            place.tick_params(left=False, labelleft=False)
            place.set_ylabel("")


def draw(picture: Picture) -> Figure:
    with pyplot.rc_context(SETTINGS):
        wide, high = picture.panel_inches
        panels = picture.panels
        width = wide * len(panels) + picture.legend_inches
        lines = caption_lines(picture.caption, width - 0.2)
        caption_high = INCHES_PER_LINE * len(lines) + (0.1 if lines else 0)
        figure, axes = pyplot.subplots(1, len(panels), squeeze=False, layout="constrained")
        for place, panel in zip(axes[0], panels, strict=True):
            highest = max(other.highest for other in panels if other.scale == panel.scale)
            draw_panel(place, panel, highest)
        share(axes[0], panels)
        shown = [place for place, one in zip(axes[0], panels, strict=True) if one.legend and not one.beside]
        found = legends.entries(shown)
        below = caption_high + legends.height(list(found), width - 0.3)
        height = high + below
        figure.set_size_inches(width, height)
        if picture.title:
            letters = int((width - 1.0) / TITLE_LETTER_INCHES)
            title = "\n".join(textwrap.wrap(picture.title, letters))
            figure.suptitle(title, x=0.1 / width, ha="left", fontsize=10.5, fontweight="bold")
        if picture.kind:
            corner = {"ha": "right", "va": "top", "fontsize": 9, "style": "italic"}
            figure.text(1 - 0.1 / width, 1 - 0.06 / height, picture.kind, **corner)
        figure.get_layout_engine().set(rect=(0, below / height, 1, 1 - below / height))
        if found:
            legends.draw(figure, found, below)
        figure.text(
            0.1 / width, 0.05 / height, "\n".join(lines), ha="left", va="bottom", fontsize=CAPTION_SIZE, linespacing=1.3
        )
        return figure


def svg(picture: Picture) -> str:
    figure = draw(picture)
    try:
        with pyplot.rc_context(SETTINGS):
            return svg_of(figure, picture.description)
    finally:
        pyplot.close(figure)


def save(picture: Picture, folder: Path, name: str) -> list[Path]:
    """NAME.png and NAME.svg, each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    png, vector = folder / f"{name}.png", folder / f"{name}.svg"
    figure = draw(picture)
    try:
        with whole_file(png) as unfinished, pyplot.rc_context(SETTINGS):
            save_png(figure, unfinished, dpi=130)
            write_whole(vector, svg_of(figure, picture.description))
    finally:
        pyplot.close(figure)
    return [png, vector]
