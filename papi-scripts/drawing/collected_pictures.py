"""From a collection's CSV to pictures: times are measured, counts have the source that their line says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas
from collection import summary
from collection.plan import Setting
from collection.record import Row

from drawing.plots import Line, Panel, Picture
from drawing.styles import Style, style_of
from lab.statistics import Spread

DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)))
SHIFT = 1.015  # between settings, as a factor of the number of threads
PANEL_INCHES, LEGEND_INCHES = (4.1, 3.4), 1.9
# Quantity of Muster's own: axis, and of a run.
OWN: dict[str, tuple[str, Callable[[Row], float | None]]] = {
    "retries": ("retries per barrier", summary.of_column("retries", summary.per_episode)),
    "blocks": ("blocks per barrier", summary.of_column("blocks", summary.per_episode)),
    "waited": ("waited per barrier and thread, µs", lambda row: waited_us(row)),
}


def waited_us(row: Row) -> float | None:
    waited = summary.per_episode(row, "waited_ns")
    return None if waited is None else waited / int(row["threads"]) / 1000


@dataclass(frozen=True)
class Collected:
    """A picture and what is in it."""

    name: str
    picture: Picture
    frame: pandas.DataFrame


def names_and_styles(rows: list[Row]) -> dict[tuple[str, str], tuple[str, Style]]:
    """Barriers by their markers; waits by their dashes where there are several."""
    pairs = list(dict.fromkeys((s.barrier, s.wait) for s in summary.by_setting(rows)))
    barriers = list(dict.fromkeys(barrier for barrier, _ in pairs))
    waits = list(dict.fromkeys(wait for barrier, wait in pairs if barrier != "stock"))
    found = {}
    for barrier, wait in pairs:
        style = style_of(barrier, barriers.index(barrier))
        style = replace(style, grey=min(style.grey, 0.45), width=min(style.width, 1.4))  # all stand in front here
        if barrier == "auto":
            style = replace(style, dashes=DASHES[3])
        name = barrier
        if len(waits) > 1 and barrier != "stock":
            name = f"{barrier}, {wait}"
            number = waits.index(wait)
            # Of the same marker, filled and open ones alternate.
            style = replace(style, dashes=DASHES[number % len(DASHES)], filled=number % 2 == 0, width=1.1, size=5)
        found[barrier, wait] = (name, style)
    return found


def frame_of(rows: list[Row], parts: dict[str, dict[Setting, Spread]], sources: dict[str, str]) -> pandas.DataFrame:
    """A line for each point of a picture."""
    table = []
    for quantity, spreads in parts.items():
        for setting, value in spreads.items():
            table.append(
                {
                    "source": sources[quantity],
                    "quantity": quantity,
                    "barrier": setting.barrier,
                    "wait": setting.wait,
                    "threads": setting.threads,
                    "median": value.median,
                    "least": value.low,
                    "most": value.high,
                    "runs": value.runs,
                    "machine": rows[0]["machine"],
                    "program": rows[0]["program"],
                    "commit": rows[0]["commit"],
                }
            )
    return pandas.DataFrame(table)


def caption(rows: list[Row], source: str) -> list[str]:
    first = rows[0]
    text = f"Source: {source}. Machine: {first['machine']}, {first['cpus']} allowed; Linux {first['kernel']}."
    text += f" Muster's commit {first['commit']}. Medians; bars from the least to the most."
    return [text, f"Command: collect.py ({first['plan']}) -- {first['program']}"]


def panel(rows: list[Row], title: str, y_label: str, spreads: dict[Setting, Spread]) -> Panel:
    looks = names_and_styles(rows)
    sizes = sorted({setting.threads for setting in spreads})
    lines: list[Line] = []
    for number, ((barrier, wait), (name, style)) in enumerate(looks.items()):
        points = sorted((s.threads, value) for s, value in spreads.items() if (s.barrier, s.wait) == (barrier, wait))
        if not points:
            continue
        values = [value for _, value in points]
        # A little apart, so that one bar does not hide another; of one size, one place for each and no lines.
        apart = SHIFT ** (number - len(looks) / 2)
        x = [size * apart for size, _ in points] if len(sizes) > 1 else [float(len(lines))]
        bars = [v.low for v in values], [v.high for v in values]
        lines.append(Line(name, style, x, [v.median for v in values], *bars))
    found = Panel(title, y_label, lines, x_ticks=sizes, log_x=len(sizes) > 1)
    if len(sizes) == 1:
        found.x_label = f"{sizes[0]} threads"
        found.x_ticks, found.x_names = range(len(lines)), [line.label for line in lines]
        found.legend = False
    return found


def picture(
    rows: list[Row],
    name: str,
    title: str,
    parts: dict[str, tuple[str, str, dict[Setting, Spread]]],
    source: str,
    sources: dict[str, str],
) -> Collected | None:
    """`parts`: by quantity the panel's title, its axis, and the numbers."""
    shown = {quantity: part for quantity, part in parts.items() if part[2]}
    if not shown:
        return None
    panels = [panel(rows, head, axis, spreads) for head, axis, spreads in shown.values()]
    beside = LEGEND_INCHES if panels[-1].legend else 0
    panels = [replace(one, legend=False) for one in panels[:-1]] + [replace(panels[-1], beside=True)]
    drawn = Picture(title, panels, caption(rows, source), PANEL_INCHES, beside)
    frame = frame_of(rows, {quantity: part[2] for quantity, part in shown.items()}, sources)
    return Collected(name, drawn, frame)


def spreads_of(rows: list[Row], of: Callable[[Row], float | None], stock: bool) -> dict[Setting, Spread]:
    found = {}
    for setting, some in summary.by_setting(rows).items():
        value = summary.spread(summary.numbers(some, of))
        if value is not None and (stock or setting.preloaded):
            found[setting] = value
    return found


def of_times(rows: list[Row], column: str) -> Collected | None:
    lines = summary.table(rows, column)
    values = {line.setting: line.value for line in lines if line.value is not None}
    ratios = {line.setting: line.ratio for line in lines if line.ratio is not None}
    if ratios:  # what they are compared with
        stock = {line.setting: line.value for line in lines if line.value is not None and not line.setting.preloaded}
        ratios |= {setting: Spread(1, 1, 1, value.runs) for setting, value in stock.items()}
    label = summary.QUANTITIES[column]
    parts = {
        column: ("", label, values),
        f"{column}_to_stock": ("against stock in the same round", "ratio to stock (below 1: less)", ratios),
    }
    source = "printed by the program" if column == "value" else "measured by the system's clock"
    return picture(rows, f"collected-{column}", label, parts, source, dict.fromkeys(parts, "measured"))


def of_own(rows: list[Row]) -> Collected | None:
    parts = {name: ("", axis, spreads_of(rows, of, stock=False)) for name, (axis, of) in OWN.items()}
    source = "software, counted by Muster"
    return picture(rows, "collected-own", "Muster's own counts", parts, source, dict.fromkeys(parts, "software"))


def of_event(rows: list[Row], event: str) -> Collected | None:
    """None where it could not be had."""
    lines = [line for line in summary.event_lines(rows) if line.event == event]
    kinds = {line.source for line in lines if line.waiting is not None}
    parts = {
        f"{event}.{part}": (title, "events in a run, all threads", of_part(lines, part))
        for part, title in (("waiting", "while waiting at barriers"), ("rest", "the rest"))
    }
    source = " and ".join(sorted(kinds))
    notes = sorted({line.reason for line in lines if line.reason})
    text = f"{source}{' (' + '; '.join(notes) + ')' if notes else ''}"
    name = "collected-" + "".join(letter if letter.isalnum() else "-" for letter in event)
    return picture(rows, name, event, parts, text, dict.fromkeys(parts, source))


def of_part(lines: list[summary.EventLine], part: str) -> dict[Setting, Spread]:
    return {line.setting: value for line in lines if (value := getattr(line, part)) is not None}


def collected_pictures(rows: list[Row]) -> list[Collected]:
    found = [of_times(rows, "elapsed_s")]
    if rows[0]["value_pattern"]:
        found.append(of_times(rows, "value"))
    found.append(of_own(rows))
    found += [of_event(rows, event) for event in summary.events_of(rows)]
    return [one for one in found if one is not None]
