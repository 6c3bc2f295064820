"""What a run of a suite comes to: one row a setting, and whether it proves anything."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from case import Case, Suite
from executing import Outcome, Places

SETTINGS: dict[str, dict[str, str]] = {
    "default": {},
    "on": {"MUSTER_FORKJOIN": "on"},
    "block": {"MUSTER_WAIT": "block"},
}


@dataclass
class CaseResult:
    case: Case
    stock: Outcome
    outcomes: dict[str, Outcome] = field(default_factory=dict)  # by setting; none where stock fails
    passed_again: dict[str, int] = field(default_factory=dict)  # of the repetitions of a failure
    stock_unsteady: bool = False  # a repetition of the stock run failed: nothing can be learned

    @property
    def counts(self) -> bool:
        return self.stock.passed and not self.stock_unsteady


def failure_lines(result: CaseResult, places: Places) -> list[str]:
    if result.stock_unsteady:
        return [f"stock fails now and then: {result.case.name}"]
    lines = []
    for name, outcome in result.outcomes.items():
        if outcome.passed:
            continue
        again = result.passed_again.get(name, 0)
        lines.append(f"FAILED {name}: {result.case.name}: {outcome.describe()}; passed {again} times when repeated")
        settings = places.variables(SETTINGS[name], places.folder(result.case) / "reports")
        words = " ".join(f"{key}={shlex.quote(value)}" for key, value in sorted(settings.items()))
        script = shlex.quote(f"set -o pipefail\n{result.case.script}")
        lines.append(f"  cd {places.folder(result.case)} && env {words} PATH={places.programs}:$PATH bash -c {script}")
    return lines


@dataclass(frozen=True)
class Row:
    ran: int
    stock: int
    preloaded: int
    took_part: int
    replaced: int
    folded: int
    reports: int  # cases that left one


def row_of(results: list[CaseResult], setting: str) -> Row:
    counted = [result for result in results if result.counts]
    passed = [result.outcomes[setting] for result in counted if result.outcomes[setting].passed]
    return Row(
        ran=len(results),
        stock=len(counted),
        preloaded=len(passed),
        took_part=sum(outcome.took_part for outcome in passed),
        replaced=sum(outcome.replaced for outcome in passed),
        folded=sum(outcome.folded for outcome in passed),
        reports=sum(outcome.reports > 0 for outcome in passed),
    )


def summary(suite: Suite, results: list[CaseResult], settings: list[str]) -> str:
    lines = [
        "| suite | setting | ran | stock passes | preloaded passes | parity | left a report | Muster took part | arrivals replaced "
        "| regions folded |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for setting in settings:
        row = row_of(results, setting)
        parity = f"{100 * row.preloaded / row.stock:.1f} %" if row.stock else "-"
        lines.append(
            f"| {suite.name} | {setting} | {row.ran} | {row.stock} | {row.preloaded} | {parity} | {row.reports} | {row.took_part} "
            f"| {row.replaced} | {row.folded} |"
        )
    return "\n".join(lines)


def verdict(suite: Suite, results: list[CaseResult], settings: list[str]) -> list[str]:
    """What is wrong: a case that passes stock and not preloaded, or too few runs in which Muster was there."""
    problems = []
    for setting in settings:
        row = row_of(results, setting)
        if row.stock == 0:
            problems.append("no test passes stock")
            break
        if row.preloaded < row.stock:
            problems.append(f"{setting}: {row.stock - row.preloaded} of {row.stock} fail preloaded only")
        if row.reports < suite.least_reports * row.preloaded or row.took_part == 0:
            problems.append(f"{setting}: only {row.reports} of {row.preloaded} left a report")
        if setting == "on" and row.took_part < suite.least_share * row.preloaded:
            problems.append(f"{setting}: Muster took part in {row.took_part} of {row.preloaded} only")
    return problems
