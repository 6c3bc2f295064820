"""What a paper states of its figure, on the axes of ours: points, levels, bands and bounds, in one colour of their own.

Black and white print shows them, too: their markers are large, lines are thick, bands hatched, bounds have carets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy
from matplotlib.axes import Axes

COLOUR = "#b3122a"
KINDS = ("point", "level", "band", "least", "most")
CARETS = {"least": "^", "most": "v"}  # where the figure's points have to be


@dataclass(frozen=True)
class Reference:
    """From x to x_to, which are the same of a point; low and high: of a band, or the stated deviation."""

    kind: str
    label: str
    x: float
    x_to: float
    y: float
    low: float | None = None
    high: float | None = None
    about: bool = False  # the paper says "about", "near"
    along_x: bool = False  # low and high are of x
    marker: str = "*"  # of a point: that of our series

    @property
    def highest(self) -> float:
        return self.y if self.high is None or self.along_x else max(self.y, self.high)


def draw(axes: Axes, one: Reference, log_x: bool = False) -> None:
    dashes = (0, (3, 1.2)) if one.about else "-"
    if one.kind == "point":
        bars = None if one.low is None or one.high is None else [[one.low], [one.high]]
        if bars is not None:
            middle = one.x if one.along_x else one.y
            bars = [[middle - bars[0][0]], [bars[1][0] - middle]]
        axes.errorbar(
            [one.x],
            [one.y],
            xerr=bars if one.along_x else None,
            yerr=None if one.along_x else bars,
            label=one.label,
            linestyle="none",
            marker=one.marker,
            markersize=11 if one.marker == "*" else 7.5,
            markeredgewidth=1.6,
            markerfacecolor="white" if one.about else COLOUR,
            markeredgecolor=COLOUR,
            ecolor=COLOUR,
            elinewidth=1.6,
            capsize=4,
            zorder=6,
        )
        return
    ends = [one.x, one.x_to]
    if one.low is not None and one.high is not None:
        look = {"facecolor": COLOUR, "alpha": 0.13, "edgecolor": COLOUR, "linewidth": 0.0, "zorder": 1}
        label = one.label if one.kind == "band" else None
        axes.fill_between(ends, [one.low] * 2, [one.high] * 2, hatch="////", label=label, **look)
    if one.kind == "band":
        return
    count = 7 if one.kind in CARETS else 2
    x = numpy.geomspace(*ends, count) if log_x and one.x > 0 else numpy.linspace(*ends, count)
    axes.plot(
        x,
        [one.y] * count,
        color=COLOUR,
        linewidth=2.0,
        linestyle=dashes,
        marker=CARETS.get(one.kind),
        markersize=6,
        label=one.label,
        zorder=5,
    )
