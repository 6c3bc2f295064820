"""Figures of the papers' other systems: points of runs, the CSV that lies beside a figure, and the picture of both.

A figure is its panels, each with its series, and a function that makes the points of them with a campaign's runs. How
it looks is said here and in styles.py, what it shows in NAME_figures.py of each paper.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from drawing.styles import Style
from lab.campaign import Campaign, CampaignError
from lab.whole_file import write_whole

PAPERS = ("tsafrir", "arpaci", "peter")  # of each, drawing/NAME_figures.py has its FIGURES
KEYS = ("source", "panel", "series", "x", "y", "low", "high", "machine", "commit", "command")
MOST_COMMANDS = 2  # in a picture's file; the CSV has them all


@dataclass(frozen=True)
class Point:
    panel: str
    series: str
    x: float
    y: float
    low: float | None = None  # of several runs
    high: float | None = None
    command: str = ""  # that prints what it was computed from


@dataclass(frozen=True)
class SeriesOf:
    name: str
    style: Style
    label: str = ""  # the name


@dataclass(frozen=True)
class PanelOf:
    name: str
    x_label: str
    y_label: str
    series: tuple[SeriesOf, ...]
    title: str = ""
    stacked: bool = False  # how a whole is divided, over time
    level: float | None = None  # a line across: where nothing is gained
    marks: tuple[float, ...] = ()  # lines down
    log_x: bool = False
    x_names: tuple[str, ...] = ()  # of x = 0, 1, ..., where they are no numbers


@dataclass(frozen=True)
class PaperFigure:
    name: str
    title: str
    machine: str
    panels: tuple[PanelOf, ...]
    points: Callable[[Campaign], list[Point]]
    source: str = "simulated"  # or measured
    note: str = ""  # of the caption
    panel_inches: tuple[float, float] = (4.6, 3.4)


def catalogue() -> list[PaperFigure]:
    found: list[PaperFigure] = []
    for paper in PAPERS:
        name = f"drawing.{paper}_figures"
        if importlib.util.find_spec(name) is not None:
            found += importlib.import_module(name).FIGURES
    return found


@dataclass(frozen=True)
class Table:
    """What a figure shows, and whose it is."""

    points: list[Point]
    source: str
    machine: str
    commit: str

    def text(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(KEYS)
        for p in self.points:
            low, high = ("" if value is None else f"{value:.6g}" for value in (p.low, p.high))
            numbers = (f"{p.x:.10g}", f"{p.y:.6g}", low, high)
            writer.writerow((self.source, p.panel, p.series, *numbers, self.machine, self.commit, p.command))
        return out.getvalue()


def make(figure: PaperFigure, campaign: Campaign, commit: str) -> Table:
    table = Table(figure.points(campaign), figure.source, figure.machine, commit)
    return parse(figure, table.text(), figure.name)  # what is drawn is what the CSV says


def write(table: Table, path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, table.text())


def read(figure: PaperFigure, path: Path) -> Table:
    try:
        return parse(figure, path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise CampaignError(f"{path}: no CSV: {error}") from None


def number(text: str, where: str, key: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise CampaignError(f"{where}: {key}: {text!r} is no number")
    return value


def parse(figure: PaperFigure, text: str, name: str) -> Table:
    """Anything but what Table writes is refused with its line and key."""
    known = {(panel.name, series.name) for panel in figure.panels for series in panel.series}
    reader = csv.DictReader(io.StringIO(text), strict=True)
    missing = [key for key in KEYS if key not in (reader.fieldnames or [])]
    if missing:
        raise CampaignError(f"{name}:1: no column {missing[0]}; is it the CSV of {figure.name}?")
    points, row = [], {}
    try:
        for row in reader:
            where = f"{name}:{reader.line_num}"
            short = [key for key in KEYS if row[key] is None]
            if short:
                raise CampaignError(f"{where}: {short[0]}: missing, the line ends before it")
            if (row["panel"], row["series"]) not in known:
                raise CampaignError(f"{where}: series: {row['series']!r} is none of {figure.name}'s")
            x, y = (number(row[key], where, key) for key in ("x", "y"))
            low, high = (number(row[key], where, key) if row[key] else None for key in ("low", "high"))
            points.append(Point(row["panel"], row["series"], x, y, low, high, row["command"]))
    except csv.Error as error:
        raise CampaignError(f"{name}: no CSV: {error}") from None
    if not points:
        raise CampaignError(f"{name}: no numbers, its head only")
    return Table(points, row["source"], row["machine"], row["commit"])


def commands(points: Iterable[Point]) -> list[str]:
    """The different ones, in their order."""
    return list(dict.fromkeys(point.command for point in points if point.command))


def caption(figure: PaperFigure, table: Table) -> list[str]:
    text = f"{table.machine}. Commit {table.commit}."
    return [f"{text} {figure.note}" if figure.note else text]


def description(figure: PaperFigure, table: Table) -> str:
    """In the picture's file, where its readers look for what made it."""
    found = commands(table.points)
    some = "; ".join(found[:MOST_COMMANDS])
    if len(found) > MOST_COMMANDS:
        some += f"; and {len(found) - MOST_COMMANDS} more of this kind, one a line of {figure.name}.csv"
    return f"Source: {table.source}. Command: {some}"


def points_of(table: Table, panel: str, series: str) -> Sequence[Point]:
    return sorted((p for p in table.points if (p.panel, p.series) == (panel, series)), key=lambda point: point.x)
