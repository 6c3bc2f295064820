"""Runs one combination stock and preloaded and compares the two."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metadata import Program
from planning import Combination

from driver.places import Places
from lab import reports, runs
from lab.environment import clean_environment, preload
from lab.runs import Outcome, command_line
from lab.runtimes import OLD_RUNTIMES, ended_by_known_assertion, loader_command

TEAM = 4  # OMP_NUM_THREADS, except under `spin`
TIMEOUT = 60.0  # seconds
OLD_LIBGOMPS = ("libgomp7", "libgomp9")  # there, a limit above one does not enable nested regions
STOCK_TRIES = 3
# For stock's own barriers: beside other processes threads that spin take a time slice a barrier.
SLEEPING = {"OMP_WAIT_POLICY": "passive"}


def execute(command: list[str], environment: dict[str, str]) -> Outcome:
    return runs.run(command, clean_environment() | environment, TIMEOUT)


def report_problems(program: Program, row: Combination, report: dict[str, Any]) -> list[str]:
    """What in the report contradicts the expected path of the barriers."""
    problems = []
    barriers = report["barriers"]
    replaced = barriers["replaced"]
    inactive = not report["active"]
    if inactive and report["inactive_reason"] == program.may_be_inactive:
        return [] if replaced == 0 else [f"inactive, but {replaced} arrivals replaced"]
    if row.barrier == "native":
        return [] if replaced == 0 else [f"`native` replaced {replaced} arrivals"]
    if inactive:
        problems.append(f"inactive: {report['inactive_reason']}")
    if replaced < program.least_replaced:
        problems.append(f"{replaced} arrivals replaced, expected {program.least_replaced} or more")
    if program.most_replaced is not None and replaced > program.most_replaced:
        problems.append(f"{replaced} arrivals replaced, expected {program.most_replaced} at most")
    reasons = [entry["reason"] for entry in barriers["by_reason"] if entry["count"] > 0]
    for wanted in program.reasons:
        if not any(word in reason for word in wanted.split("|") for reason in reasons):
            problems.append(f"no arrival passed through for `{wanted}`, only for {reasons}")
    used = {entry["algorithm"] for entry in barriers["by_algorithm"]}
    expected = {"dissemination", "fetch-add-xadd"} if row.barrier == "dissemination-or-counter" else {row.barrier}
    if row.barrier != "auto" and not used <= expected:
        problems.append(f"ran on {sorted(used)} instead of {row.barrier}")
    return problems


@dataclass
class Runner:
    """Runs the combinations of one program. Without a library the second run is stock, too."""

    program: Program
    folder: Path  # of the binaries
    places: Places
    cpus: int = len(os.sched_getaffinity(0))
    _stock: dict[tuple[str, ...], Outcome] = field(default_factory=dict)

    def binary(self, row: Combination) -> Path:
        return self.folder / f"{row.program}.{row.variant}"

    def _command(self, row: Combination) -> list[str]:
        return [*loader_command(self.places.runtimes / row.runtime), str(self.binary(row))]

    def _environment(self, row: Combination) -> dict[str, str]:
        threads = min(TEAM, self.cpus) if row.wait == "spin" else TEAM
        environment = {
            "LD_LIBRARY_PATH": str(self.places.runtimes / row.runtime),
            "OMP_NUM_THREADS": str(threads),
            "OMP_DYNAMIC": "false",
        }
        if row.barrier == "native":
            environment |= SLEEPING
        if row.runtime in OLD_RUNTIMES:
            environment["LD_PRELOAD"] = str(self.places.old_runtime)
        if row.runtime in OLD_LIBGOMPS and "OMP_MAX_ACTIVE_LEVELS" in self.program.environment:
            environment["OMP_NESTED"] = "true"
        return environment | self.program.environment

    def _stock_outcome(self, row: Combination) -> Outcome:
        environment = SLEEPING | self._environment(row)
        command = self._command(row)
        key = (*command, row.runtime, environment["OMP_NUM_THREADS"])
        outcome = self._stock.get(key) or execute(command, environment)
        for _ in range(STOCK_TRIES - 1):  # old runtimes sometimes fail an assertion of their own
            if outcome.status == 0:
                break
            print(f"stock alone, once more: {outcome.describe()}"[:300], flush=True)
            outcome = execute(command, environment)
        self._stock[key] = outcome
        return outcome

    def preloaded_environment(self, row: Combination, report: Path) -> dict[str, str]:
        environment = self._environment(row)
        if self.places.library is None:
            return environment
        environment |= preload(self.places.library, environment.get("LD_PRELOAD"))
        environment["MUSTER_BARRIER"] = row.barrier
        environment["MUSTER_WAIT"] = row.wait
        environment["MUSTER_FORKJOIN"] = row.forkjoin
        environment["MUSTER_REPORT"] = str(report)
        return environment | self.places.extra

    def check(self, row: Combination) -> str | None:
        """None, or what went wrong and the command that shows it again."""
        problem = self._check_once(row)
        if problem is None:
            return None
        known = self.program.fails_stock
        if known is None and ended_by_known_assertion(problem):
            known = "now and then: lab/runtimes.py"
        if known is None:
            return problem
        self._stock.clear()  # it may be stock's run that went wrong
        print(f"once more, since stock fails {known}\n  {problem}", flush=True)
        return self._check_once(row)

    def _check_once(self, row: Combination) -> str | None:
        command = self._command(row)
        stock = self._stock_outcome(row)
        if stock.status != 0:
            again = command_line(command, self._environment(row))
            return f"stock itself fails: {stock.describe()}\n  {again}"
        with tempfile.TemporaryDirectory(prefix="muster-") as folder:
            report = Path(folder) / "report.json"
            environment = self.preloaded_environment(row, report)
            outcome = execute(command, environment)
            problems = self._compare(stock, outcome, row, report)
        if not problems:
            return None
        again = environment | ({"MUSTER_REPORT": "stderr"} if self.places.library else {})
        return "; ".join(problems) + f"\n  {command_line(command, again)}"

    def _compare(
        self, stock: Outcome, outcome: Outcome, row: Combination, report: Path
    ) -> list[str]:
        if not outcome.same_as(stock):
            return [f"{outcome.describe()}; stock: {stock.describe()}"]
        problems = []
        if outcome.other_lines != stock.stderr.splitlines():
            problems.append(f"stderr {outcome.other_lines!r:.300}; stock: {stock.stderr[:300]!r}")
        if self.places.library is None:
            return problems
        try:
            return problems + reports.read(
                report, lambda content: report_problems(self.program, row, content)
            )
        except reports.ReportError as error:
            return [*problems, str(error)]
