#!/usr/bin/env python3
"""Random OpenMP programs, stock against preloaded. See docs/develop/testing.md."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from executing import Places, compile_unit, work_done  # noqa: E402
from settings import COMPILERS, GNU, LIBGOMPS, RUNTIMES, Settings, settings_of  # noqa: E402

from lab.compilers import BuildError, compile_old_runtime  # noqa: E402
from lab.runs import Outcome, command_line  # noqa: E402
from lab.runtimes import LIBGOMP, ended_by_known_assertion  # noqa: E402

PROGRAMS_A_UNIT = 25
PROGRESS_EVERY = 500
REPORT_EVERY = 20  # programs, of which one has its report read
# Stock runs of a program whose preloaded run differed, and as many with MUSTER=off: seed 1924 crashes stock in one run
# of twenty, seed 14884 in one of forty with MUSTER=off.
STOCK_AGAIN = 200
MOST_OF_STOCK = 0.003  # of the programs: more, and the generator makes what stock cannot run
NOTICED = 0.5  # of the mutants: in the rest the team is of one, or the scheduler did the work


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--runtime", nargs="+", choices=(*RUNTIMES, *LIBGOMPS), default=[])
    parser.add_argument("--compiler", nargs="+", choices=[*sorted(set(COMPILERS)), GNU], default=[],
                        help="gnu: gcc, for programs that run on libgomp; not among the default ones")
    parser.add_argument(
        "--library",
        default=str(ROOT / "build/release/lib/libmuster.so"),
        help="libmuster.so, or `none`: stock against stock",
    )
    parser.add_argument("--runtimes", type=Path, default=ROOT / "build/runtimes")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--level", default="-O0", help="of optimisation; higher ones take several times as long"
    )
    parser.add_argument("--timeout", type=float, default=30, metavar="SECONDS")
    parser.add_argument("--repeat", type=int, default=1, help="preloaded runs of each program")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave sources and binaries there")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE",
                        help="for the preloaded runs, whatever the seed says")  # fmt: skip
    parser.add_argument(
        "--mutants", action="store_true", help="take barriers out: the programs must notice"
    )
    return parser.parse_args()


@dataclass
class Suite:
    arguments: argparse.Namespace
    places: Places
    folder: Path
    done: int = 0
    of_stock: int = 0
    reports: int = 0
    replaced: int = 0
    failures: list[str] = field(default_factory=list)
    begin: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def unit(self, work: tuple[int, list[Settings]]) -> None:
        number, programs = work
        binary = self.folder / f"unit-{number}-{programs[0].flavour.name}"
        libomp = self.places.runtimes / "libomp19"
        compile_unit(programs, binary, libomp, self.arguments.level, self.arguments.mutants)
        for one in programs:
            self._count(one, binary, self.check(one, binary))
        if not self.arguments.keep:
            for suffix in ("", ".c", ".cpp"):
                binary.with_suffix(suffix).unlink(missing_ok=True)

    def check(self, one: Settings, binary: Path) -> str | None:
        """None, or what went wrong."""
        environment = self.places.environment(one, preloaded=False)
        stock = self.places.execute(binary, one, environment)
        if self.arguments.mutants:
            return None if stock.status == 0 else stock.describe()
        if stock.status != 0:
            # A failure of stock may occur preloaded, too: such a run proves nothing.
            self._fault_of_stock(one, stock)
            return None
        for turn in range(self.arguments.repeat):
            if problem := self._preloaded(one, binary, stock, one.seed + turn):
                return problem
        return None

    def _fault_of_stock(self, one: Settings, outcome: Outcome) -> None:
        with self.lock:
            self.of_stock += 1
            print(f"stock alone, seed {one.seed}, {one.runtime}: {outcome.describe()}", flush=True)

    def _stock_fails_too(self, one: Settings, binary: Path, stock: Outcome) -> bool:
        """Whether stock ever differs from itself in some more runs, half of them with a Muster that replaces nothing:
        races of the runtime's may need a little more time here or there to show."""
        alone = self.places.environment(one, preloaded=False)
        off = self.preloaded_environment(one) | {"MUSTER": "off"}
        for environment in (alone, off):
            for _ in range(STOCK_AGAIN):
                again = self.places.execute(binary, one, environment)
                if not again.same_as(stock):
                    self._fault_of_stock(one, again)
                    return True
        return False

    def preloaded_environment(self, one: Settings) -> dict[str, str]:
        extra = dict(pair.split("=", 1) for pair in self.arguments.env)
        return self.places.environment(one, preloaded=True) | extra

    def _preloaded(self, one: Settings, binary: Path, stock: Outcome, turn: int) -> str | None:
        environment = self.preloaded_environment(one)
        asks = self.places.library is not None and turn % REPORT_EVERY == 0
        report = self.folder / f"report-{one.seed}.json"
        if asks:
            environment["MUSTER_REPORT"] = str(report)
        outcome = self.places.execute(binary, one, environment)
        if not outcome.same_as(stock):
            if ended_by_known_assertion(outcome.stderr):  # too rarely to show again in so many runs
                self._fault_of_stock(one, outcome)
                return None
            if self._stock_fails_too(one, binary, stock):
                return None
            return f"{outcome.describe()}; stock: {stock.describe()}"
        if not asks:
            return None
        found = work_done(report)
        report.unlink(missing_ok=True)
        if isinstance(found, str):
            return found
        with self.lock:
            self.reports += 1
            self.replaced += found
        return None

    def _count(self, one: Settings, binary: Path, problem: str | None) -> None:
        with self.lock:
            self.done += 1
            if problem is not None:
                name = f"seed {one.seed} ({one.flavour.name}, {one.runtime})"
                self.failures.append(name)
                if not self.arguments.mutants:
                    again = reproduction(self.arguments, one)
                    print(f"FAILED {name}: {problem}\n  {again}", flush=True)
                    if self.arguments.keep:
                        for environment in (
                            self.places.environment(one, preloaded=False),
                            self.preloaded_environment(one),
                        ):
                            print(f"  {command_line(self.places.command(binary, one), environment)}", flush=True)
            if self.done % PROGRESS_EVERY == 0:
                seconds = time.monotonic() - self.begin
                print(f"{self.done} programs after {seconds:.0f} s", flush=True)


def reproduction(arguments: argparse.Namespace, one: Settings) -> str:
    words = ["tests/random-programs/run.py", f"--seed {one.seed} --programs 1"]
    words += [f"--runtime {one.runtime} --compiler {one.flavour.compiler}"]
    words += [f"--level={arguments.level} --library {arguments.library}"]
    words += [f"--env {pair}" for pair in arguments.env]
    return " ".join([*words, "--repeat 20 --keep DIR"])


def former_failures(arguments: argparse.Namespace) -> list[Settings]:
    """The lines of seeds.txt: SEED RUNTIME COMPILER, then why."""
    found = []
    for line in (HERE / "seeds.txt").read_text().splitlines():
        words = line.partition("#")[0].split()
        if words:
            found.append(settings_of(int(words[0]), words[2:3], words[1:2]))
    is_asked_for = arguments.programs > 1 and not arguments.mutants and GNU not in arguments.compiler
    return found if is_asked_for else []


def units(programs: list[Settings]) -> list[tuple[int, list[Settings]]]:
    """Programs of one flavour share a source file; the order is kept as far as that allows."""
    found: list[list[Settings]] = []
    open_units: dict[str, list[Settings]] = {}
    for one in programs:
        unit = open_units.get(one.flavour.name)
        if unit is None or len(unit) == PROGRAMS_A_UNIT:
            unit = open_units[one.flavour.name] = []
            found.append(unit)
        if all(one.seed != other.seed for other in unit):
            unit.append(one)
    return list(enumerate(found))


def has_mutant(one: Settings) -> bool:
    from program import program_text

    return any("// MUTANT" in line for line in program_text(one.seed, one.flavour))


def verdict(suite: Suite) -> int:
    seconds = time.monotonic() - suite.begin
    failed = len(suite.failures)
    if suite.arguments.mutants:
        share = failed / max(suite.done, 1)
        print(f"{failed} of {suite.done} mutants noticed ({share:.0%}), {seconds:.0f} s")
        return 0 if share >= NOTICED else 1
    print(f"{suite.done - failed} passed, {failed} failed, {seconds:.0f} s; reports read: "
          f"{suite.reports}, arrivals and regions of theirs that Muster took: {suite.replaced}; "
          f"stock failed by itself: {suite.of_stock}")  # fmt: skip
    if suite.of_stock > 1 + MOST_OF_STOCK * suite.done:
        print("FAILED: stock fails too often: the runs prove nothing")
        return 1
    if suite.reports > 1 and suite.replaced == 0:
        print("FAILED: no barrier was ever replaced, no region folded")
        return 1
    for name in suite.failures:
        print(f"FAILED {name}")
    return 1 if failed else 0


def main() -> int:
    arguments = parse_arguments()
    for name in arguments.runtime or (*RUNTIMES, *LIBGOMPS):
        if not any((arguments.runtimes / name / file).exists() for file in ("libomp.so.5", LIBGOMP)):
            print(f"run.py: no {name} in {arguments.runtimes}; run tests/runtimes/fetch.py on it",
                  file=sys.stderr)  # fmt: skip
            return 1
    library = None if arguments.library == "none" else Path(arguments.library).resolve()
    if library is not None and not library.is_file():
        print(f"run.py: no library {library}", file=sys.stderr)
        return 1
    programs = former_failures(arguments) + [
        settings_of(seed, arguments.compiler, arguments.runtime)
        for seed in range(arguments.seed, arguments.seed + arguments.programs)
    ]
    if arguments.mutants:
        programs = [one for one in programs if has_mutant(one)]
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="muster-random-"))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    places = Places(
        arguments.runtimes.resolve(), library, compile_old_runtime(folder), arguments.timeout
    )
    suite = Suite(arguments, places, folder)
    try:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            for _ in pool.map(suite.unit, units(programs)):
                pass
    except BuildError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)
    return verdict(suite)


if __name__ == "__main__":
    sys.exit(main())
