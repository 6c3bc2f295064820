#!/usr/bin/env python3
"""Real programs, stock against preloaded: the same line and status, and Muster took part, by its report.

    run.py --library build/release/lib/libmuster.so [--filter 'cg gcc libomp14'] [--list]

Each kernel by each compiler, on each runtime, with 2 and 4 threads, with MUSTER_FORKJOIN=on and
auto. One run at a time: another would take CPUs from a stock run that spins.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kernels import VARIANTS, Binary, compile_kernels, execute, seconds_of  # noqa: E402

from lab import reports  # noqa: E402
from lab.compilers import BuildError, compile_old_runtime  # noqa: E402
from lab.environment import preload  # noqa: E402
from lab.runs import Outcome, command_line  # noqa: E402
from lab.runtimes import OLD_RUNTIMES  # noqa: E402

RUNTIMES = ("libomp14", "libomp19", "libomp21", "libiomp5")
TEAMS = (2, 4)
FORK_JOIN = ("on", "auto")
LEAST_REGIONS = 100  # each kernel has hundreds
LIMIT = 60.0  # seconds for a run, which takes some hundredths of one
PROGRESS_EVERY = 16


@dataclass(frozen=True)
class Case:
    """One stock run and as many preloaded ones as there are values of MUSTER_FORKJOIN."""

    binary: Binary
    runtime: str
    threads: int

    def words(self) -> tuple[str, ...]:
        return self.binary.kernel, self.binary.variant, self.runtime, str(self.threads)


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
    library: Path
    runtimes: Path
    old_runtime: Path

    def _stock(self, case: Case) -> dict[str, str]:
        settings = {
            "LD_LIBRARY_PATH": str(self.runtimes / case.runtime),
            "OMP_NUM_THREADS": str(case.threads),
            "OMP_DYNAMIC": "false",
        }
        if case.runtime in OLD_RUNTIMES:
            settings["LD_PRELOAD"] = str(self.old_runtime)
        return settings

    def check(self, case: Case) -> list[str]:
        """What went wrong, each with the command that shows it again."""
        settings = self._stock(case)
        stock = execute(case.binary.path, [], settings, LIMIT)
        if stock.status != 0 or "verified" not in stock.stdout:
            return [f"stock itself fails: {stock.describe()}\n  {command_line([str(case.binary.path)], settings)}"]
        problems = []
        for fork_join in FORK_JOIN:
            preloaded = settings | preload(self.library, settings.get("LD_PRELOAD"))
            preloaded["MUSTER_FORKJOIN"] = fork_join
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


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, default=ROOT / "build/release/lib/libmuster.so")
    parser.add_argument("--runtimes", type=Path, default=ROOT / "build/runtimes")
    parser.add_argument("--build", type=Path, default=ROOT / "build/programs")
    parser.add_argument(
        "--filter", default="", metavar="WORDS", help="only cases with each of these words, e.g. 'cg gcc libomp14 2'"
    )
    parser.add_argument("--list", action="store_true", help="print the cases, run nothing")
    return parser.parse_args()


def check_all(checker: Checker, cases: list[Case]) -> list[str]:
    failures = []
    begin = time.monotonic()
    for done, case in enumerate(cases, 1):
        for problem in checker.check(case):
            failures.append(f"{' '.join(case.words())}: {problem}")
            print(f"FAILED {failures[-1]}", flush=True)
        if done % PROGRESS_EVERY == 0 or done == len(cases):
            print(f"{done}/{len(cases)} after {time.monotonic() - begin:.0f} s", flush=True)
    return failures


def main() -> int:
    arguments = parse_arguments()
    runtimes, build = arguments.runtimes.resolve(), arguments.build.resolve()
    for name in RUNTIMES:
        if not (runtimes / name / "libomp.so.5").exists():
            print(f"run.py: no {name} in {runtimes}; run tests/runtimes/fetch.py on it", file=sys.stderr)
            return 1
    if not arguments.library.is_file():
        print(f"run.py: no library {arguments.library}", file=sys.stderr)
        return 1
    try:
        binaries, missing = compile_kernels(VARIANTS, build, runtimes / "libomp19")
        checker = Checker(arguments.library.resolve(), runtimes, compile_old_runtime(build))
    except BuildError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    for line in missing:
        print(f"skipped {line}")
    cases = [Case(*values) for values in itertools.product(binaries, RUNTIMES, TEAMS)]
    wanted = arguments.filter.split()
    cases = [case for case in cases if all(word in case.words() for word in wanted)]
    if arguments.list:
        print("\n".join(" ".join(case.words()) for case in cases))
        return 0
    if not cases:
        print("run.py: no case matches; see --list", file=sys.stderr)
        return 1
    failures = check_all(checker, cases)
    print(f"{len(cases)} cases, {len(FORK_JOIN)} preloaded runs each: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
