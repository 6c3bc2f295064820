"""From a paper's points (series.py) to a picture."""

from __future__ import annotations

from drawing.plots import Line, Panel, Picture
from drawing.series import PanelOf, PaperFigure, Table, caption, points_of


def panel_of(panel: PanelOf, table: Table) -> Panel:
    lines = []
    for series in panel.series:
        points = points_of(table, panel.name, series.name)
        if not points:
            continue
        several = all(point.low is not None and point.high is not None for point in points)
        low = [float(point.low or 0) for point in points] if several else []
        high = [float(point.high or 0) for point in points] if several else []
        label = series.label or series.name
        lines.append(Line(label, series.style, [p.x for p in points], [p.y for p in points], low, high))
    return Panel(
        panel.title,
        panel.y_label,
        lines,
        x_label=panel.x_label,
        legend_at=panel.legend_at,
        stacked=panel.stacked,
        level=panel.level,
        marks=panel.marks,
        log_x=panel.log_x,
        x_names=panel.x_names,
        x_ticks=range(len(panel.x_names)),
    )


def picture_of(figure: PaperFigure, table: Table) -> Picture:
    panels = [panel_of(panel, table) for panel in figure.panels]
    return Picture(figure.title, panels, caption(figure, table), figure.panel_inches)
