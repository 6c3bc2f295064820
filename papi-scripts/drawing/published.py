"""What the papers state of their figures, ../published.csv, as references on the axes of ours.

A line of it: a figure of ours and a panel (* is every one), what is stated there (`kind`), and where the paper has it.

point, point-x    a value, with low and high of y, or of x
level, band       a value, or all between low and high, from x to x_to
mean              a level that is the average of one of our series, whose own average is drawn, too
least, most       a bound
words             nothing that could be drawn; it stands in the caption

With `times`, y is a share of our value there (`series@x`). `about`: the paper's word. `basis` is text, caption, or
`digitised`, off the picture by hand, which needs the page and the reading error.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from drawing.plots import Line, Panel
from drawing.references import Reference
from drawing.styles import Style

FILE = Path(__file__).resolve().parents[1] / "published.csv"
COLUMNS = tuple("figure panel series kind x x_to y low high times about label where basis page error".split())
KINDS = ("point", "point-x", "level", "band", "mean", "least", "most", "words")
BASES = ("text", "caption", "digitised")
EVERY = "*"
OUR_MEAN = Style("", (0, (1, 1)), 0.0, width=1.6)


class PublishedError(Exception):
    """A line that is none; the text has its number and key."""


@dataclass(frozen=True)
class Row:
    figure: str
    panel: str
    series: str
    kind: str
    x: float
    x_to: float
    y: float
    low: float | None
    high: float | None
    times: str
    about: bool
    label: str
    where: str


def number(text: str, where: str, needed: bool) -> float | None:
    if not text and not needed:
        return None
    try:
        return float(text)
    except ValueError:
        raise PublishedError(f"{where}: {text!r} is no number") from None


def row_of(row: dict[str, str], name: str) -> Row:
    if row["kind"] not in KINDS or row["basis"] not in BASES:
        raise PublishedError(f"{name}: kind {row['kind']!r}, basis {row['basis']!r}")
    if row["basis"] == "digitised" and not (row["page"] and row["error"]):
        raise PublishedError(f"{name}: digitised without a page or a reading error")
    if not row["where"] or not row["label"]:
        raise PublishedError(f"{name}: no label, or not where it stands in the paper")
    drawn = row["kind"] != "words"
    x, x_to, y = (number(row[key], f"{name}: {key}", drawn) or 0.0 for key in ("x", "x_to", "y"))
    low, high = (number(row[key], f"{name}: {key}", row["kind"] == "band") for key in ("low", "high"))
    names = (row["figure"], row["panel"], row["series"], row["kind"])
    return Row(*names, x, x_to, y, low, high, row["times"], row["about"] == "yes", row["label"], row["where"])


@cache
def rows(path: Path = FILE) -> Sequence[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise PublishedError(f"{path.name}:1: its columns must be {','.join(COLUMNS)}")
        return [row_of(row, f"{path.name}:{reader.line_num}") for row in reader]


def of(figure: str) -> list[Row]:
    return [row for row in rows() if row.figure == figure]


def value_at(lines: dict[str, Line], times: str) -> float:
    """Of ours: `series@x`. Not a number where it was not run."""
    series, _, x = times.partition("@")
    line = lines.get(series)
    found = [] if line is None else [b for a, b in zip(line.x, line.y, strict=True) if a == float(x)]
    return found[0] if found else float("nan")


def reference_of(row: Row, factor: float, ours: Line | None) -> Reference:
    along_x = row.kind == "point-x"
    kind = {"point-x": "point", "mean": "level"}.get(row.kind, row.kind)
    share = 1.0 if along_x else factor
    low, high = (None if value is None else share * value for value in (row.low, row.high))
    marker = ours.style.marker if ours is not None else "*"
    return Reference(kind, row.label, row.x, row.x_to, factor * row.y, low, high, row.about, along_x, marker)


def mean_of(row: Row, line: Line) -> Line:
    values = [y for x, y in zip(line.x, line.y, strict=True) if row.x <= x <= row.x_to]
    middle = sum(values) / len(values) if values else float("nan")
    return Line(f"ours: average of {line.label}", OUR_MEAN, [row.x, row.x_to], [middle, middle])


def add(figure: str, name: str, panel: Panel, lines: dict[str, Line]) -> None:
    """To a panel with these lines, by their series' names."""
    found = []
    for row in of(figure):
        if row.panel not in (EVERY, name) or row.kind == "words":
            continue
        factor = value_at(lines, row.times) if row.times else 1.0
        if factor == factor:
            found.append(reference_of(row, factor, lines.get(row.series)))
        if row.kind == "mean" and row.series in lines:
            panel.lines.append(mean_of(row, lines[row.series]))
    panel.published = found


def words(figure: str) -> str:
    """For the caption: what cannot be drawn."""
    found: Iterable[str] = (row.label for row in of(figure) if row.kind == "words")
    said = "; ".join(dict.fromkeys(found))
    return f"Published: {said}." if said else ""
