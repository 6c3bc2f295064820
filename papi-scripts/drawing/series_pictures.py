"""From a paper's points (series.py) to a picture."""

from __future__ import annotations

from drawing import published
from drawing.plots import Line, Panel, Picture
from drawing.series import PanelOf, PaperFigure, Table, caption, description, points_of


def panel_of(figure: str, panel: PanelOf, table: Table) -> Panel:
    lines = {}
    for series in panel.series:
        points = points_of(table, panel.name, series.name)
        if not points:
            continue
        several = all(point.low is not None and point.high is not None for point in points)
        low = [float(point.low or 0) for point in points] if several else []
        high = [float(point.high or 0) for point in points] if several else []
        label = series.label or series.name
        lines[series.name] = Line(label, series.style, [p.x for p in points], [p.y for p in points], low, high)
    drawn = Panel(
        panel.title,
        panel.y_label,
        list(lines.values()),
        x_label=panel.x_label,
        stacked=panel.stacked,
        level=panel.level,
        marks=panel.marks,
        log_x=panel.log_x,
        x_names=panel.x_names,
        x_ticks=range(len(panel.x_names)),
    )
    published.add(figure, panel.name, drawn, lines)
    return drawn


def picture_of(figure: PaperFigure, table: Table) -> Picture:
    panels = [panel_of(figure.name, panel, table) for panel in figure.panels]
    said = [" ".join(filter(None, [*caption(figure, table), published.words(figure.name)]))]
    made_by = description(figure, table)
    return Picture(figure.title, panels, said, figure.panel_inches, kind=table.source, description=made_by)
