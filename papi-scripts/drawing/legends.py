"""A legend under the panels, of all of them: it hides no data, and says what is in several panels once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

LETTER_INCHES, HANDLE_INCHES, ROW_INCHES = 0.064, 0.62, 0.149
AROUND_INCHES = 0.06


def entries(all_axes: Sequence[Axes]) -> dict[str, Any]:
    """By label, in the order in which they come; what a paper states last."""
    found: dict[str, Any] = {}
    for axes in all_axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return dict(sorted(found.items(), key=lambda entry: entry[0].startswith("published")))


def columns(labels: Sequence[str], width_inches: float) -> int:
    """As many as fit; entries go down the columns."""
    for count in range(len(labels), 1, -1):
        rows = -(-len(labels) // count)
        widest = [max(map(len, labels[first : first + rows])) for first in range(0, len(labels), rows)]
        if sum(HANDLE_INCHES + LETTER_INCHES * letters for letters in widest) <= width_inches:
            return len(widest)
    return 1


def height(labels: Sequence[str], width_inches: float) -> float:
    if not labels:
        return 0.0
    rows = -(-len(labels) // columns(labels, width_inches))
    return 2 * AROUND_INCHES + rows * ROW_INCHES


def draw(figure: Figure, found: dict[str, Any], top_inches: float) -> None:
    """Its upper edge is a little below, above the caption."""
    width, tall = figure.get_size_inches()
    names = list(found)
    figure.legend(
        found.values(),
        names,
        loc="upper left",
        bbox_to_anchor=(0.1 / width, (top_inches - AROUND_INCHES) / tall),
        ncols=columns(names, width - 0.3),
        borderaxespad=0,
        columnspacing=1.2,
        handlelength=3.2,
        labelspacing=0.35,
    )
