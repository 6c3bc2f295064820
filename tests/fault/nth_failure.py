#!/usr/bin/env python3
"""The nth call of Muster's own fails, for n = 1, 2, ... until no more fail: every run must end as stock.

By hand, all of it (an hour): tests/fault/nth_failure.py; a third of it: --share 2/3. test_nth_failure.py runs a part.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "conformance")]

import harness  # noqa: E402

from lab import hogs, machine, runs  # noqa: E402
from lab.environment import preload  # noqa: E402

CALLS = (
    *("mmap", "futex", "clone", "sched_setaffinity", "sched_getaffinity", "moved", "membarrier"),
    *("open", "read", "slice", "signals", "getcpu", "dlopen", "atfork", "atexit", "key"),
)
SETTINGS: dict[str, dict[str, str]] = {
    "auto": {},
    "on": {"MUSTER_FORKJOIN": "on"},
    "block": {"MUSTER_WAIT": "block"},
    "conditional": {"MUSTER_WAIT": "conditional"},
    "2cs+": {"MUSTER_WAIT": "2cs+", "MUSTER_BARRIER": "tree"},
}
SECONDS = (20.0, 120.0)  # a run that has not ended by then is repeated once with more: a busy machine is no hang


@dataclass(frozen=True)
class Program:
    """Its words; whether CPU hogs run beside it, with which settings then, and the greatest n that is worth its time."""

    words: tuple[str, ...]
    beside_hogs: bool = False
    settings: tuple[str, ...] = tuple(SETTINGS)
    most: int = 60


PROGRAMS: dict[str, Program] = {
    "constructs": Program(("constructs",)),
    "started": Program(("started",), settings=("auto",), most=24),
    "elsewhere": Program(("constructs", "elsewhere")),
    "keys": Program(("exhausted", "keys", "barriers", "sizes")),
    "memory": Program(("exhausted", "memory", "barriers")),
    # Threads are moved only beside competitors.
    "placed": Program(("placed", "300"), beside_hogs=True, settings=("auto", "on"), most=8),
}


@dataclass
class Case:
    """One program on one runtime with one setting, and one call that fails."""

    program: str
    runtime: str
    command: list[str]
    setting: str
    call: str

    def __str__(self) -> str:
        return f"{self.program} {self.runtime} {self.setting} {self.call}"

    @property
    def modes(self) -> tuple[str, ...]:
        # Where the kernel accepts one mask and then no other, the thread must stay where it is.
        moves = self.call == "sched_setaffinity" and PROGRAMS[self.program].beside_hogs
        return ("FAIL_NTH",) if moves else ("FAIL_NTH", "FAIL_FROM")


@dataclass
class Counted:
    """A run, and the calls in it that may fail."""

    status: int | str
    stdout: str
    calls: int  # of that kind in the whole run; 0 where it did not end

    def same(self, stock: Counted) -> bool:
        return (self.status, self.stdout) == (stock.status, stock.stdout)


def failing_object() -> Path:
    output = harness.places.build / "failing.so"
    harness.places.build.mkdir(parents=True, exist_ok=True)
    source = harness.HERE / "programs" / "failing.c"
    subprocess.run(["clang-19", "-O2", "-g", "-shared", "-fPIC", str(source), "-o", str(output), "-ldl"], check=True)
    return output


def run_once(case: Case, failing: Path | None, how: dict[str, str], folder: Path) -> Counted:
    counted = folder / "counted"
    counted.unlink(missing_ok=True)
    runtimes = str(harness.places.runtimes / case.runtime)
    environment = harness.base_environment({"LD_LIBRARY_PATH": runtimes, "OMP_WAIT_POLICY": "passive"})
    if case.call == "slice":
        environment |= harness.SLICES
    if failing is not None:
        environment |= SETTINGS[case.setting] | how
        environment |= {"FAIL_CALL": case.call, "FAIL_COUNTED": str(counted)}
        environment |= preload(failing, harness.places.library)
        if case.setting == "on":
            environment["MUSTER_REPORT"] = str(folder / "report.json")
    for seconds in SECONDS:
        ended = runs.run(case.command, environment, seconds)
        if ended.status is not None:
            calls = int(counted.read_text()) if counted.exists() else 0
            return Counted(ended.status, ended.stdout, calls)
    return Counted("hangs", "", 0)


def cases(programs: tuple[str, ...], runtimes: tuple[str, ...], settings: tuple[str, ...]) -> Iterator[Case]:
    for name in programs:
        program = PROGRAMS[name]
        built = harness.for_both_runtimes(program.words[0])
        for runtime in runtimes:
            for setting in [setting for setting in settings if setting in program.settings]:
                for call in CALLS:
                    yield Case(name, runtime, [str(built[runtime]), *program.words[1:]], setting, call)


@dataclass
class Tally:
    runs: int = 0
    calls: int = 0
    failures: int = 0


def check(case: Case, failing: Path, most: int, modes: tuple[str, ...], tally: Tally) -> list[str]:
    """Each n up to `most` that there is; FAIL_FROM also: the later ones fail as well."""
    wrong = []
    program = PROGRAMS[case.program]
    most = min(most, program.most)
    count = machine.cpus() if program.beside_hogs else 0
    with tempfile.TemporaryDirectory(prefix="muster-nth-") as name, hogs.hogs(count):
        folder = Path(name)
        stock = run_once(case, None, {}, folder)
        whole = run_once(case, failing, {}, folder)
        tally.calls += whole.calls
        if not whole.same(stock):
            wrong.append(f"{case}, nothing fails: {whole} where stock is {stock}")
        for mode in modes:
            for nth in range(1, most + 1):
                outcome = run_once(case, failing, {mode: str(nth)}, folder)
                tally.runs += 1
                if not outcome.same(stock):
                    wrong.append(f"{case} {mode}={nth}: {outcome} where stock is {stock}")
                if outcome.calls < nth and outcome.status != "hangs":
                    break
    tally.failures += len(wrong)
    return wrong


def main() -> int:
    root = harness.ROOT
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, default=root / "build/release/lib/libmuster.so")
    parser.add_argument("--runtimes", type=Path, default=root / "build/runtimes")
    parser.add_argument("--build", type=Path, default=root / "build/fault")
    parser.add_argument("--most", type=int, default=60, help="the greatest n")
    parser.add_argument("--share", default="1/1", help="K/N: the K-th of N parts of the cases")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--on", default="libgomp12,libomp19,libiomp5")
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--calls", default=",".join(CALLS))
    arguments = parser.parse_args()
    places = (arguments.library.resolve(), arguments.runtimes.resolve(), arguments.build.resolve())
    harness.places = harness.Places(*places)
    failing = failing_object()
    tally = Tally()
    lists = (tuple(text.split(",")) for text in (arguments.programs, arguments.on, arguments.settings))
    part, parts = map(int, arguments.share.split("/"))
    for number, case in enumerate(cases(*lists)):
        if case.call not in arguments.calls.split(",") or number % parts != part - 1:
            continue
        for line in check(case, failing, arguments.most, case.modes, tally):
            print(line, flush=True)
        print(f"{case}: {tally.runs} runs so far, {tally.failures} wrong", file=sys.stderr, flush=True)
    print(f"{tally.runs} runs, {tally.calls} calls of Muster's in those where none fails, {tally.failures} wrong")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
