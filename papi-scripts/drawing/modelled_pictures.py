"""From the numbers of bin/coherence to pictures."""

from __future__ import annotations

import pandas

from drawing.catalogue import COLUMNS, COSTLY, FigureOf
from drawing.growth import FROM_THREADS, Growth, growth
from drawing.modelled import commands
from drawing.plots import Line, Panel, Picture
from drawing.styles import OURS, PAPERS_FIVE, behind, label_of, style_of

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
    slope = {
        "log P": f"+{found.by_log.slope:.2g} µs a doubling",
        "P": f"+{1000 * found.by_threads.slope:.2g} ns a thread",
    }.get(found.verdict, "")
    return f"{barrier}: like {found.verdict} ($P^{{{found.exponent:.2f}}}$; {slope})".replace("; )", ")")


def growth_frame(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The fits of a figure, for its table."""
    rows = []
    for barrier, found in growths(frame).items():
        if found is not None:
            rows.append(
                {
                    "barrier": barrier,
                    "grows_like": found.verdict,
                    "exponent_of_threads": round(found.exponent, 3),
                    "us_per_doubling": round(found.by_log.slope, 5),
                    "error_of_log_fit": round(found.by_log.error, 3),
                    "us_per_thread": round(found.by_threads.slope, 6),
                    "error_of_linear_fit": round(found.by_threads.error, 3),
                }
            )
    return pandas.DataFrame(rows)


def caption(figure: FigureOf, frame: pandas.DataFrame) -> list[str]:
    first = frame.iloc[0]
    source, delay = first["source"], first["delay_us"]
    text = f"Source: {source}, by the coherence simulator. Machine: {first['title']} ({first['machine']}). "
    text += f"Commit {first['commit']}. Seed {first['seed']}; {delay} µs of computing before each barrier."
    if figure.kind == "scale":
        text += f" Slopes are fitted from {FROM_THREADS} threads on, by relative errors; P: threads."
    highest = frame.groupby("barrier", sort=False)["threads"].max()
    for barrier, most in highest[highest < frame["threads"].max()].items():
        text += f" {barrier} was run up to {most} threads only"
        text += ": a run costs the square of its threads (--full)." if barrier == COSTLY else "."
    return [text, "Command: " + "; ".join(commands(frame))]


def ticks(figure: FigureOf, frame: pandas.DataFrame) -> list[int]:
    if figure.kind == "scale":
        return sorted(frame["threads"].unique())
    most = int(frame["threads"].max())
    step = max(1, most // 8)
    return list(range(step, most + 1, step))


def paper_panels(figure: FigureOf, frame: pandas.DataFrame) -> list[Panel]:
    marks = ticks(figure, frame)
    if "sc_passes" not in figure.columns:
        column = figure.columns[0]
        return [Panel("", COLUMNS[column], lines_of(frame, column), x_ticks=marks)]
    lines = []
    for column, look in zip(figure.columns, ("dist-counter", "fetch-add"), strict=True):
        line = lines_of(frame, column)[0]
        lines.append(Line(NAME_OF_COUNT[column], style_of(look), line.x, line.y))
    return [Panel("", "store-conditionals per processor and barrier", lines, x_ticks=marks, note="FetchAndAdd (fetch-add)")]


def ours_panels(figure: FigureOf, frame: pandas.DataFrame) -> list[Panel]:
    """The paper's axes with ours in front; then so that little ones can be told apart, too."""
    marks = ticks(figure, frame)
    back = tuple(name for name in PAPERS_FIVE if name not in OURS)
    if "sc_passes" in figure.columns:
        return [
            Panel(f"{NAME_OF_COUNT[column]}", COLUMNS[column], lines_of(frame, column), x_ticks=marks)
            for column in figure.columns
        ]
    column = figure.columns[0]
    powers = [n for n in (2, 4, 8, 16, 32) if n <= frame["threads"].max()]
    linear = Panel("the paper's axes", COLUMNS[column], lines_of(frame, column, back), x_ticks=marks)
    logs = Panel("logarithmic", COLUMNS[column], lines_of(frame, column), log=True, x_ticks=powers, legend=False)
    return [linear, logs]


def picture_of(figure: FigureOf, frame: pandas.DataFrame) -> Picture:
    data = numbers(figure, frame)
    if figure.kind == "paper":
        return Picture(figure.title, paper_panels(figure, data), caption(figure, data))
    if figure.kind == "ours":
        return Picture(figure.title, ours_panels(figure, data), caption(figure, data), (4.6, 3.7))
    found = growths(data)
    lines = [
        Line(growth_label(name, found[name]), line.style, line.x, line.y)
        for name, line in zip(found, lines_of(data, "overhead_us"), strict=True)
    ]
    panel = Panel("", COLUMNS["overhead_us"], lines, log=True, x_ticks=ticks(figure, data), beside=True)
    panel.legend_title = "overhead grows"
    return Picture(figure.title, [panel], caption(figure, data), (8.2, 4.2))
