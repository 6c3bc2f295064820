"""The tables of a collection as text: a list of columns' names and rows of cells."""

from __future__ import annotations

from collection import summary
from collection.columns import UNAVAILABLE
from collection.record import Row
from lab.statistics import Spread

Table = tuple[list[str], list[list[str]]]
OWN = ("retries", "blocks", "yields", "wake_calls", "waited_ns")


def short(value: float) -> str:
    """Three digits that count."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.2e}"


def spread_text(value: Spread | None) -> str:
    return "-" if value is None else f"{short(value.low)}..{short(value.high)}"


def median_text(value: Spread | None) -> str:
    return "-" if value is None else short(value.median)


def main_table(rows: list[Row], column: str) -> Table:
    head = ["threads", "barrier", "wait", "runs", summary.QUANTITIES[column], "least..most"]
    head += ["ratio to stock", "least..most", "failed"]
    body = []
    for line in summary.table(rows, column):
        where = [str(line.setting.threads), line.setting.barrier, line.setting.wait]
        runs = str(line.value.runs if line.value else 0)
        cells = [runs, median_text(line.value), spread_text(line.value), median_text(line.ratio)]
        body.append([*where, *cells, spread_text(line.ratio), str(line.failures)])
    return head, body


def own_table(rows: list[Row]) -> Table:
    """Muster's own counts for a barrier, all of the team together: medians."""
    head = ["threads", "barrier", "wait", "barriers", *(f"{name} a barrier" for name in OWN), "source"]
    body = []
    for setting, some in summary.by_setting(rows).items():
        episodes = summary.spread(summary.numbers(some, summary.of_column("episodes")))
        if not setting.preloaded or episodes is None:
            continue
        values = [summary.spread(summary.numbers(some, summary.of_column(name, summary.per_episode))) for name in OWN]
        where = [str(setting.threads), setting.barrier, setting.wait, short(episodes.median)]
        body.append([*where, *map(median_text, values), "software"])
    return head, body


def event_table(rows: list[Row]) -> Table:
    head = ["event", "threads", "barrier", "wait", "waiting", "least..most", "rest", "least..most", "source", "reason"]
    body = []
    lines = summary.event_lines(rows)
    for event in summary.events_of(rows):
        kinds = {(line.source, line.reason) for line in lines if line.event == event}
        if len(kinds) == 1 and (kind := next(iter(kinds)))[0] == UNAVAILABLE:  # once is enough
            body.append([event, *["all"] * 3, *["-"] * 4, *kind])
            lines = [line for line in lines if line.event != event]
    for line in lines:
        where = [line.event, str(line.setting.threads), line.setting.barrier, line.setting.wait]
        cells = [median_text(line.waiting), spread_text(line.waiting), median_text(line.rest), spread_text(line.rest)]
        body.append([*where, *cells, line.source or "-", line.reason])
    return head, body


def failure_table(rows: list[Row]) -> Table:
    head = ["repetition", "threads", "barrier", "wait", "status"]
    body = [[row[key] for key in head] for row in summary.failures(rows)]
    return head, body


def environment(rows: list[Row]) -> list[tuple[str, str]]:
    """What all runs have in common, and what they ran on."""
    first = rows[0]
    runtimes = sorted({f"{row['runtime']} {row['runtime_version']}".strip() for row in rows if row["runtime"]})
    versions = sorted({row["muster"] for row in rows if row["muster"]})
    libraries = sorted({row["counters_library"] for row in rows if row["counters_library"]})
    found = [
        ("program", first["program"]),
        ("compiler", first["compiler"]),
        ("machine", f"{first['machine']}, {first['cpus']} CPUs allowed"),
        ("kernel", first["kernel"]),
        ("runtime", "; ".join(runtimes) or "none seen"),
        ("Muster", f"{', '.join(versions) or 'version unknown'}, commit {first['commit']}"),
        ("plan", f"{first['plan']}; {max(int(row['repetition']) for row in rows)} rounds"),
        ("dates", f"{min(row['date'] for row in rows)} to {max(row['date'] for row in rows)}"),
    ]
    if first["events"]:
        found.append(("events", f"{first['events']}; PAPI {', '.join(libraries) or 'not in use'}"))
    return found
