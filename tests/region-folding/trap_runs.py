"""Runs one trap stock and preloaded: same stdout and status, no hang, a report as it must be."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compiling import Compiler
from traps import Case

from driver.places import Places
from lab import reports, runs
from lab.environment import clean_environment, preload
from lab.runs import Outcome
from lab.runtimes import OLD_RUNTIMES, loader_command

TEAM = 4  # OMP_NUM_THREADS
TIMEOUT = 60.0  # seconds; a hang is what most of these faults look like


@dataclass(frozen=True)
class Row:
    case: Case
    variant: str
    runtime: str
    mode: str
    barrier: str
    wait: str

    def __str__(self) -> str:
        values = (self.case.name, self.variant, self.runtime, self.mode, self.barrier, self.wait)
        return " ".join(values)

    @property
    def words(self) -> set[str]:
        return {*str(self).split(), self.case.source.stem}


def first_difference(ours: str, stock: str) -> str:
    """The first line that differs."""
    left, right = ours.splitlines(), stock.splitlines()
    for number, (one, other) in enumerate(zip(left, right), 1):
        if one != other:
            return f"line {number}: {one!r}; stock: {other!r}"
    return f"{len(left)} lines; stock: {len(right)}; the last: {(left or [''])[-1]!r}"


def count_of(fork_join: dict[str, Any], what: str, reason: str | None) -> int:
    if reason is None:
        return int(fork_join[what])
    rows = fork_join["by_reason"]
    return sum(row["count"] for row in rows if (row["what"], row["reason"]) == (what, reason))


def report_problems(row: Row, report: dict[str, Any]) -> list[str]:
    case = row.case
    if case.inactive is not None:
        reason = None if report["active"] else report["inactive_reason"]
        return [] if reason == case.inactive else [f"inactive: {reason}, expected {case.inactive}"]
    problems = [] if report["active"] else [f"inactive: {report['inactive_reason']}"]
    fork_join = report["fork_join"]
    if fork_join["setting"] != row.mode:
        problems.append(f"the report says {fork_join['setting']}")
    for fact in case.facts:
        if fact.mode == row.mode:
            count = count_of(fork_join, fact.what, fact.reason)
            if not fact.holds(count):
                problems.append(f"{count} where {fact} was expected")
    if problems:
        problems.append(f"by reason: {fork_join['by_reason']}")
    return problems


@dataclass
class Checker:
    """Runs cases. Without a library the second run is stock, too."""

    compiler: Compiler
    places: Places
    _stock: dict[tuple[str, str, str], Outcome] = field(default_factory=dict)

    def _command(self, row: Row) -> list[str]:
        loader = loader_command(self.places.runtimes / row.runtime)
        return [*loader, str(self.compiler.binary(row.case, row.variant)), *row.case.arguments]

    def _environment(self, row: Row) -> dict[str, str]:
        environment = {
            "LD_LIBRARY_PATH": str(self.places.runtimes / row.runtime),
            "OMP_NUM_THREADS": str(TEAM),
            "OMP_DYNAMIC": "false",
        }
        if row.variant == "gnu" and not row.case.program_of_libgomp:
            environment["LD_PRELOAD"] = str(self.places.runtimes / row.runtime / "libomp.so.5")
        elif row.runtime in OLD_RUNTIMES:
            environment["LD_PRELOAD"] = str(self.places.old_runtime)
        if row.variant == "libgomp":
            # Its loops are dynamic without a schedule clause.
            environment |= {"TRAP_LIBGOMP": "1", "OMP_SCHEDULE": "static"}
        module = self.compiler.module(row.case, row.variant)
        if module is not None:
            environment["TRAP_MODULE"] = str(module)
        second = self.compiler.second_module(row.case)
        if second is not None:
            environment["TRAP_SECOND_MODULE"] = str(second)
        return environment | row.case.environment

    def _execute(self, row: Row, environment: dict[str, str]) -> Outcome:
        return runs.run(self._command(row), clean_environment() | environment, float(self.places.settings.get("timeout", TIMEOUT)))

    def _preloaded(self, row: Row, report: str) -> dict[str, str]:
        environment = self._environment(row)
        if self.places.library is None:
            return environment
        return environment | preload(self.places.library, environment.get("LD_PRELOAD")) | {
            "MUSTER_FORKJOIN": row.mode,
            "MUSTER_BARRIER": row.barrier,
            "MUSTER_WAIT": row.wait,
            "MUSTER_REPORT": report,
        } | self.places.extra

    def _stock_outcome(self, row: Row) -> Outcome:
        key = (row.case.name, row.variant, row.runtime)
        if key not in self._stock:
            self._stock[key] = self._execute(row, self._environment(row))
        return self._stock[key]

    def check(self, row: Row) -> str | None:
        """None, or what went wrong and the command that shows it again."""
        problem = self._check_once(row)
        if problem is None or not row.case.fails_stock:
            return problem
        self._stock.clear()
        print(f"once more, since stock fails now and then\n  {problem}", flush=True)
        return self._check_once(row)

    def _check_once(self, row: Row) -> str | None:
        stock = self._stock_outcome(row)
        if stock.status != row.case.status:
            problems = [f"stock itself: {stock.describe()}"]
        else:
            # By process: children that a program forks write reports of their own.
            with tempfile.TemporaryDirectory(prefix="muster-") as folder:
                environment = self._preloaded(row, f"{folder}/%p.json")
                outcome = self._execute(row, environment)
                report = Path(folder) / f"{outcome.pid}.json"
                problems = self._compare(row, stock, outcome, report)
        again = runs.command_line(self._command(row), self._preloaded(row, "stderr"))
        return "; ".join(problems) + f"\n  {again}" if problems else None

    def _compare(self, row: Row, stock: Outcome, outcome: Outcome, report: Path) -> list[str]:
        order = (lambda text: "\n".join(sorted(text.splitlines()))) if row.case.unordered else str
        if outcome.status != stock.status:
            return [f"{outcome.describe()}; stock: status {stock.status}"]
        if order(outcome.stdout) != order(stock.stdout):
            difference = first_difference(order(outcome.stdout), order(stock.stdout))
            return [f"stdout: {difference}; stderr {outcome.stderr!r:.300}"]
        if self.places.library is None or not row.case.writes_report:
            return []
        try:
            return reports.read(report, lambda content: report_problems(row, content))
        except reports.ReportError as error:
            return [str(error)]
