"""From the numbers of bin/coherence to pictures."""

from __future__ import annotations

from dataclasses import replace

import pandas

from drawing import published
from drawing.catalogue import COLUMNS, COSTLY, FigureOf
from drawing.growth import FROM_THREADS, Growth, growth
from drawing.modelled import commands
from drawing.plots import Line, Panel, Picture
from drawing.styles import OURS, PAPERS_FIVE, behind, label_of, style_of

GROWTH_COLUMNS = ["barrier", "grows", "slope", "us_per_doubling", "error_as_log_p", "us_per_thread", "error_as_p"]
PER_PROCESSOR = "per processor and barrier"
NAME_OF_COUNT = {"sc_passes": "pass", "sc_fails": "fail"}


def lines_of(frame: pandas.DataFrame, column: str, back: tuple[str, ...] = ()) -> list[Line]:
    lines = []
    for number, (barrier, rows) in enumerate(frame.groupby("barrier", sort=False)):
        rows = rows.sort_values("threads")
        name = str(barrier)
        style = behind(style_of(name)) if name in back else style_of(name, number)
        x, y = rows["threads"].tolist(), rows[column].tolist()
        lines.append(Line(label_of(name), style, x, y, in_front=name not in back))
    return lines


def numbers(figure: FigureOf, frame: pandas.DataFrame) -> pandas.DataFrame:
    out = frame.copy()
    out["threads"] = out["threads"].astype(int)
    for column in figure.columns:
        out[column] = out[column].astype(float)
    return out


def growths(frame: pandas.DataFrame) -> dict[str, Growth | None]:
    found = {}
    for barrier, rows in frame.groupby("barrier", sort=False):
        rows = rows.sort_values("threads")
        found[str(barrier)] = growth(rows["threads"].tolist(), rows["overhead_us"].tolist())
    return found


def growth_label(barrier: str, found: Growth | None) -> str:
    if found is None:
        return f"{barrier}: too few points to fit"
    return f"{barrier}: {found.slope:.2f}, {found.verdict}"


def growth_frame(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The fits of a figure, for its table."""
    rows = []
    for barrier, found in growths(frame).items():
        if found is not None:
            rows.append(
                {
                    "barrier": barrier,
                    "grows": found.verdict,
                    "slope": round(found.slope, 3),
                    "us_per_doubling": round(found.by_log.factor, 5),
                    "error_as_log_p": round(found.by_log.error, 3),
                    "us_per_thread": round(found.by_threads.factor, 6),
                    "error_as_p": round(found.by_threads.error, 3),
                }
            )
    return pandas.DataFrame(rows, columns=GROWTH_COLUMNS)


def caption(figure: FigureOf, frame: pandas.DataFrame) -> list[str]:
    first = frame.iloc[0]
    text = f"{first['title']} ({first['machine']}). Commit {first['commit']}. "
    text += f"Seed {first['seed']}; {first['delay_us']} µs of computing before each barrier."
    if figure.kind == "scale":
        text += f" Slopes are fitted from {FROM_THREADS} threads on, on logarithmic axes; P: threads."
    if figure.kind == "ours" and "sc_fails" in figure.columns:
        sums = frame.groupby("barrier", sort=False)[list(figure.columns)].sum().sum(axis=1)
        text += f" {', '.join(map(str, sums[sums == 0].index)) or 'None'}: 0 throughout, not drawn."
    highest = frame.groupby("barrier", sort=False)["threads"].max()
    for barrier, most in highest[highest < frame["threads"].max()].items():
        text += f" {barrier} was run up to {most} threads only"
        text += ": a run costs the square of its threads (--full)." if barrier == COSTLY else "."
    return [" ".join(filter(None, [text, published.words(figure.name)]))]


def description(frame: pandas.DataFrame) -> str:
    """In the picture's file, where its readers look for what made it."""
    return f"Source: {frame.iloc[0]['source']}. Command: {'; '.join(commands(frame))}"


def ticks(figure: FigureOf, frame: pandas.DataFrame) -> list[int]:
    most = int(frame["threads"].max())
    if figure.kind == "scale":  # powers of two, and the last without one that would touch it
        powers = (2**power for power in range(1, most.bit_length()))
        return [*(n for n in powers if most / n >= 1.4), most]
    step = max(1, most // 8)
    return list(range(step, most + 1, step))


def paper_panels(figure: FigureOf, frame: pandas.DataFrame) -> list[Panel]:
    marks = ticks(figure, frame)
    if "sc_passes" not in figure.columns:
        column = figure.columns[0]
        panel = Panel("", COLUMNS[column], lines_of(frame, column), x_ticks=marks)
        names = map(str, frame["barrier"].unique())
        published.add(figure.name, "", panel, dict(zip(names, panel.lines, strict=True)))
        return [panel]
    lines = []
    for column, look in zip(figure.columns, ("dist-counter", "fetch-add"), strict=True):
        line = lines_of(frame, column)[0]
        lines.append(Line(NAME_OF_COUNT[column], style_of(look), line.x, line.y))
    panel = Panel("", f"store-conditionals {PER_PROCESSOR}", lines, x_ticks=marks, note="FetchAndAdd")
    published.add(figure.name, "", panel, dict(zip(figure.columns, lines, strict=True)))
    return [panel]


def ours_panels(figure: FigureOf, frame: pandas.DataFrame) -> list[Panel]:
    """The paper's axes with ours in front; then so that small ones can be distinguished, too."""
    marks = ticks(figure, frame)
    back = tuple(name for name in PAPERS_FIVE if name not in OURS)
    if "sc_passes" in figure.columns:
        panels = [
            Panel(NAME_OF_COUNT[column], PER_PROCESSOR, without_zeros(lines_of(frame, column)), x_ticks=marks)
            for column in figure.columns
        ]
        return [replace(panels[0], legend=False), replace(panels[1], beside=True)]
    column = figure.columns[0]
    powers = [n for n in (2, 4, 8, 16, 32) if n <= frame["threads"].max()]
    back_lines = lines_of(frame, column, back)
    linear = Panel("the paper's axes", COLUMNS[column], back_lines, x_ticks=marks, legend=False)
    logs = Panel("logarithmic", COLUMNS[column], lines_of(frame, column), log=True, x_ticks=powers, beside=True)
    return [linear, logs]


def without_zeros(lines: list[Line]) -> list[Line]:
    return [line for line in lines if any(line.y)]


def picture_of(figure: FigureOf, frame: pandas.DataFrame) -> Picture:
    picture = drawn(figure, numbers(figure, frame))
    picture.kind, picture.description = "simulated", description(frame)
    return picture


def drawn(figure: FigureOf, data: pandas.DataFrame) -> Picture:
    if figure.kind == "paper":
        return Picture(figure.title, paper_panels(figure, data), caption(figure, data))
    if figure.kind == "ours":
        return Picture(figure.title, ours_panels(figure, data), caption(figure, data), (4.1, 3.6), 2.3)
    found = growths(data)
    lines = [
        Line(growth_label(name, found[name]), line.style, line.x, line.y)
        for name, line in zip(found, lines_of(data, "overhead_us"), strict=True)
    ]
    panel = Panel("", COLUMNS["overhead_us"], lines, log=True, x_ticks=ticks(figure, data), beside=True)
    panel.legend_title = "slope on these axes; overhead grows"
    return Picture(figure.title, [panel], caption(figure, data), (5.4, 4.2), 2.8)
