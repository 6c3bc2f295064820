"""The result of a suite: a row for each setting, and whether it proves anything."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass, field

from case import Case, Suite
from executing import CaseRun, Places

from lab.tables import markdown

SETTINGS: dict[str, dict[str, str]] = {
    "default": {},
    "on": {"MUSTER_FORKJOIN": "on"},
    "block": {"MUSTER_WAIT": "block"},
}


REPETITIONS = 3  # of what failed, with nothing else running
SAME, DIFFERENT, NOW_AND_THEN, STOCK_FAILS = "same as stock", "different", "now and then", "stock fails"


@dataclass(frozen=True)
class Rates:
    """How many of the repetitions passed."""

    preloaded: int
    stock: int

    def __str__(self) -> str:
        return f"alone it passes {self.preloaded} of {REPETITIONS} preloaded, {self.stock} of {REPETITIONS} stock"


@dataclass
class CaseResult:
    case: Case
    stock: CaseRun
    outcomes: dict[str, CaseRun] = field(default_factory=dict)  # by setting; none where stock fails
    rates: dict[str, Rates] = field(default_factory=dict)  # of what failed at first, stock or preloaded

    def failed(self, setting: str) -> bool:
        return not self.stock.passed or not self.outcomes[setting].passed

    def kind(self, setting: str) -> str:
        if not self.failed(setting):
            return SAME
        rates = self.rates.get(setting, Rates(0, 0))
        if rates.stock == 0:
            return STOCK_FAILS
        always = rates.stock == REPETITIONS and rates.preloaded == 0
        return DIFFERENT if always else NOW_AND_THEN


def failure_lines(result: CaseResult, setting: str, places: Places) -> list[str]:
    kind = result.kind(setting)
    if kind not in (DIFFERENT, NOW_AND_THEN):
        return []
    outcome = result.outcomes.get(setting, result.stock)
    lines = [f"{kind}: {setting}: {result.case.name}: {outcome.describe()}; {result.rates[setting]}"]
    settings = places.variables(SETTINGS[setting], places.folder(result.case) / "reports")
    words = " ".join(f"{key}={shlex.quote(value)}" for key, value in sorted(settings.items()))
    script = shlex.quote(f"set -o pipefail\n{result.case.script}")
    return [*lines, f"  cd {shlex.quote(str(places.folder(result.case)))} && env {words} PATH={places.programs}:$PATH bash -c {script}"]


@dataclass(frozen=True)
class Row:
    ran: int
    kinds: Counter[str]
    took_part: int
    replaced: int
    folded: int
    reports: int  # cases that left one


def row_of(results: list[CaseResult], setting: str) -> Row:
    same = [result.outcomes[setting] for result in results if result.kind(setting) == SAME]
    return Row(
        ran=len(results),
        kinds=Counter(result.kind(setting) for result in results),
        took_part=sum(outcome.took_part for outcome in same),
        replaced=sum(outcome.replaced for outcome in same),
        folded=sum(outcome.folded for outcome in same),
        reports=sum(outcome.reports > 0 for outcome in same),
    )


def summary(suite: Suite, results: list[CaseResult], settings: list[str]) -> str:
    kinds = (SAME, DIFFERENT, NOW_AND_THEN, STOCK_FAILS)
    heads = ["suite", "setting", "ran", *kinds, "left a report", "Muster took part", "arrivals replaced", "regions folded"]
    rows = []
    for setting in settings:
        row = row_of(results, setting)
        counts = [row.ran, *(row.kinds[kind] for kind in kinds), row.reports, row.took_part, row.replaced, row.folded]
        rows.append([suite.name, setting, *map(str, counts)])
    return markdown(heads, rows, len(heads))


def verdict(suite: Suite, results: list[CaseResult], settings: list[str]) -> list[str]:
    """What is wrong: a case that passes stock and not preloaded, or too few runs in which Muster was there."""
    problems = []
    for setting in settings:
        row = row_of(results, setting)
        same = row.kinds[SAME]
        if row.kinds[STOCK_FAILS] == row.ran:
            problems.append("no test passes stock")
            break
        if row.kinds[DIFFERENT]:
            problems.append(f"{setting}: {row.kinds[DIFFERENT]} of {row.ran} fail preloaded only")
        if row.reports < suite.least_reports * same or row.took_part == 0:
            problems.append(f"{setting}: only {row.reports} of {same} left a report")
        if setting == "on" and row.took_part < suite.least_share * same:
            problems.append(f"{setting}: Muster took part in {row.took_part} of {same} only")
    return problems
