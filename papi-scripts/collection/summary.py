"""Medians with their spread, and ratios to stock of the same round."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from collection.plan import STOCK, Setting
from collection.record import Row
from collection.running import OK
from lab.statistics import Spread, spread

QUANTITIES = {
    "elapsed_s": "elapsed, s",
    "cpu_s": "CPU time, s",
    "value": "the program's own value",
}


@dataclass(frozen=True)
class Line:
    setting: Setting
    value: Spread | None  # None: no run of it ended well
    ratio: Spread | None  # to stock of the same round and size; None for stock itself, and without it
    failures: int


def setting_of(row: Row) -> Setting:
    return Setting(row["barrier"], row["wait"], int(row["threads"]))


def by_setting(rows: Iterable[Row]) -> dict[Setting, list[Row]]:
    """By number of threads, stock first, then as they were asked for."""
    found: dict[Setting, list[Row]] = {}
    rows = list(rows)
    for row in rows:
        found.setdefault(setting_of(row), []).append(row)
    asked = rows[0]["plan"] if rows else ""

    def rank(name: str, words: str) -> int:
        listed = next((part for part in asked.split("; ") if part.startswith(words)), "").removeprefix(words)
        order = listed.split(",")
        return order.index(name) if name in order else len(order)

    def key(setting: Setting) -> tuple[int, bool, int, int]:
        return (
            setting.threads,
            setting.preloaded,
            rank(setting.barrier, "barriers "),
            rank(setting.wait, "waits "),
        )

    return {setting: found[setting] for setting in sorted(found, key=key)}


def number(row: Row, column: str) -> float | None:
    return float(row[column]) if row["status"] == OK and row[column] else None


def numbers(rows: Iterable[Row], of: Callable[[Row], float | None]) -> list[float]:
    return [value for value in map(of, rows) if value is not None]


def of_column(column: str, of: Callable[[Row, str], float | None] = number) -> Callable[[Row], float | None]:
    return lambda row: of(row, column)


def table(rows: list[Row], column: str) -> list[Line]:
    stock = {
        (row["repetition"], row["threads"]): value
        for row in rows
        if row["barrier"] == STOCK and (value := number(row, column)) is not None
    }
    lines = []
    for setting, some in by_setting(rows).items():
        ratios = [
            value / stock[key]
            for row in some
            if (value := number(row, column)) is not None and stock.get(key := (row["repetition"], row["threads"]))
        ]
        lines.append(
            Line(
                setting,
                spread(numbers(some, of_column(column))),
                spread(ratios) if setting.preloaded else None,
                sum(row["status"] != OK for row in some),
            )
        )
    return lines


def events_of(rows: list[Row]) -> list[str]:
    return [event for event in rows[0]["events"].split(",") if event]


@dataclass(frozen=True)
class EventLine:
    setting: Setting
    event: str
    source: str  # hardware, software or unavailable; of several, all
    reason: str
    waiting: Spread | None
    rest: Spread | None


def event_lines(rows: list[Row]) -> list[EventLine]:
    lines = []
    for event in events_of(rows):
        for setting, some in by_setting(rows).items():
            if not setting.preloaded:
                continue
            ended = [row for row in some if row["status"] == OK]
            sources = sorted({row[f"{event}.source"] for row in ended})
            reasons = sorted({row[f"{event}.reason"] for row in ended if row[f"{event}.reason"]})
            if any(row[f"{event}.multiplexed"] == "yes" for row in ended):
                reasons.append("multiplexed: an estimate")
            parts = [spread(numbers(ended, of_column(f"{event}.{part}"))) for part in ("waiting", "rest")]
            lines.append(EventLine(setting, event, " and ".join(sources), "; ".join(reasons), parts[0], parts[1]))
    return lines


def per_episode(row: Row, column: str) -> float | None:
    """Of Muster's own counts, for a barrier of the team."""
    count, episodes = number(row, column), number(row, "episodes")
    return count / episodes if count is not None and episodes else None


def failures(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["status"] != OK]
