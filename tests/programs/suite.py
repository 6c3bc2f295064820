"""Real programs, stock against preloaded: the same line and status, and Muster took part, by its report.

Each kernel on each runtime by each compiler, with 2 and 4 threads, with MUSTER_FORKJOIN=on and auto. One at a time:
another would take CPUs from a stock run that spins.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernels import VARIANTS, Binary, compile_kernel, execute, seconds_of, sources

from driver.entries import Entry
from driver.places import GATE_RUNTIMES, Places
from lab import reports
from lab.environment import preload
from lab.runs import Outcome, command_line
from lab.runtimes import OLD_RUNTIMES

RUNTIMES = ("libomp14", "libomp19", "libomp21", "libiomp5")
TEAMS = (2, 4)
FORK_JOIN = ("on", "auto")
LEAST_REGIONS = 100  # each kernel has hundreds
LIMIT = 60.0  # seconds for a run, which takes some hundredths of one


@dataclass(frozen=True)
class Case:
    """One stock run and as many preloaded ones as there are values of MUSTER_FORKJOIN."""

    binary: Binary
    runtime: str
    threads: int


def report_problems(report: dict[str, Any], fork_join: str) -> list[str]:
    """Whether the report proves that the program's regions went through Muster."""
    problems = []
    if not report["active"]:
        problems.append(f"inactive: {report['inactive_reason']}")
    if report["regions"] < LEAST_REGIONS:
        problems.append(f"only {report['regions']} regions seen")
    if fork_join == "on" and not report["fork_join"]["folded"] > 0:
        problems.append(f"no region was folded: {report['fork_join']}")
    return problems


@dataclass(frozen=True)
class Checker:
    places: Places

    def _stock(self, case: Case) -> dict[str, str]:
        settings = {
            "LD_LIBRARY_PATH": str(self.places.runtimes / case.runtime),
            "OMP_NUM_THREADS": str(case.threads),
            "OMP_DYNAMIC": "false",
        }
        if case.runtime in OLD_RUNTIMES:
            settings["LD_PRELOAD"] = str(self.places.old_runtime)
        return settings

    def check(self, case: Case) -> list[str]:
        """What went wrong, each with the command that shows it again."""
        settings = self._stock(case)
        stock = execute(case.binary.path, [], settings, LIMIT)
        if stock.status != 0 or "verified" not in stock.stdout:
            return [f"stock itself fails: {stock.describe()}\n  {command_line([str(case.binary.path)], settings)}"]
        problems = []
        for fork_join in FORK_JOIN:
            preloaded = settings | preload(self.places.library, settings.get("LD_PRELOAD"))
            preloaded |= {"MUSTER_FORKJOIN": fork_join} | self.places.extra
            if problem := self._compare(case, stock, preloaded, fork_join):
                again = command_line([str(case.binary.path)], preloaded | {"MUSTER_REPORT": "stderr"})
                problems.append(f"MUSTER_FORKJOIN={fork_join}: {problem}\n  {again}")
        return problems

    def _compare(self, case: Case, stock: Outcome, settings: dict[str, str], fork_join: str) -> str:
        with tempfile.TemporaryDirectory(prefix="muster-") as folder:
            file = Path(folder) / "report.json"
            outcome = execute(case.binary.path, [], settings | {"MUSTER_REPORT": str(file)}, LIMIT)
            if not outcome.same_as(stock):
                return f"{outcome.describe()}; stock: {stock.describe()}"
            if seconds_of(outcome, case.binary.kernel) is None:
                return f"no seconds on stderr: {outcome.describe()}"
            try:
                return "; ".join(reports.read(file, lambda report: report_problems(report, fork_join)))
            except reports.ReportError as error:
                return str(error)


def entries(places: Places) -> Iterator[Entry]:
    for source, runtime in itertools.product(sources(), RUNTIMES):
        yield Entry(f"programs.{source.stem}.{runtime}", full=runtime not in GATE_RUNTIMES, alone=True)


def run(places: Places, name: str) -> str:
    """Empty, or what went wrong."""
    _, stem, runtime = name.split(".")
    source = next(source for source in sources() if source.stem == stem)
    problems = []
    for variant, threads in itertools.product(VARIANTS, TEAMS):
        binary = compile_kernel(source, variant, places.programs("programs"), places.runtimes / "libomp19")
        if binary is None:
            print(f"{variant}: not installed")
            continue
        problems += Checker(places).check(Case(binary, runtime, threads))
    return "\n".join(problems)
