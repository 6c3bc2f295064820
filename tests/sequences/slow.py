"""Slow is wrong: finds programs that take longer preloaded than stock, idle and beside CPU hogs.

Sequences are repeated in one process, random programs (tests/random-programs) run as often in a row as it takes. Both have
Muster's default settings and as many threads as the machine has CPUs. Alone on the machine, this measures; else it does not.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from choosing import sample
from plan import Case, parse
from sequence_runs import Runner

from lab.compilers import compile_old_runtime
from lab.hogs import hogs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "random-programs"))

from executing import Places, compile_unit  # noqa: E402
from settings import Settings, settings_of  # noqa: E402

RATIO = 1.5
RUNS = 5  # of which the median counts
HOGS = 2
ENOUGH = 0.15  # seconds that a stock run takes
MOST_ROUNDS = 4096
LONGEST = 60.0  # seconds, of one run
PROGRAMS_A_UNIT = 25
DEFAULTS = {"MUSTER_FORKJOIN": "auto", "MUSTER_WAIT": "auto", "MUSTER_BARRIER": "auto"}
NOT_REPEATED = ("exits", "leaves", "forks_region", "detached")  # a round would end the program, or add threads to it

Timed = Callable[[bool, int], float]  # (preloaded, how often): seconds; infinite where it did not end


def enough_times(run: Timed) -> int:
    """How often, so that stock takes long enough to be timed; 0: stock fails."""
    times = 1
    while times < MOST_ROUNDS:
        seconds = run(False, times)
        if seconds == float("inf"):
            return 0
        if seconds >= ENOUGH:
            break
        times *= 2
    return times


def ratio(run: Timed, times: int) -> float:
    """Preloaded over stock, medians of interleaved runs."""
    pairs = [(run(True, times), run(False, times)) for _ in range(RUNS)]
    ours, stock = (statistics.median(column) for column in zip(*pairs, strict=True))
    return ours / stock if stock != float("inf") else 0.0


class Suite:
    def __init__(self) -> None:
        self.failures: list[str] = []
        self.ratios: list[float] = []

    def take(self, name: str, run: Timed) -> None:
        times = enough_times(run)
        if times == 0:
            print(f"left out, stock fails: {name}", flush=True)
            return
        for hog_count in (0, HOGS):
            with hogs(hog_count):
                found = ratio(run, times)
                if found > RATIO:  # again: something else may have run
                    found = min(found, ratio(run, times))
            self.ratios.append(found)
            if found > RATIO:
                self.failures.append(f"{found:.2f} x stock beside {hog_count} hogs, {times} times: {name}")
                print(f"SLOW {self.failures[-1]}", flush=True)

    def verdict(self) -> int:
        if self.ratios:
            tenths = statistics.quantiles([*self.ratios, *self.ratios], n=10)
            print(f"{len(self.ratios)} ratios to stock: median {tenths[4]:.2f}, a tenth above {tenths[8]:.2f}, "
                  f"largest {max(self.ratios):.2f}; {len(self.failures)} above {RATIO}")  # fmt: skip
        return 1 if self.failures else 0


def sequence_run(runner: Runner, case: Case) -> Timed:
    def run(preloaded: bool, times: int) -> float:
        environment = runner.environment(case, preloaded)
        del environment["OMP_WAIT_POLICY"]
        begin = time.perf_counter()
        outcome = runner.execute(runner.command(case, None, times), environment, LONGEST)
        return time.perf_counter() - begin if outcome.status == 0 else float("inf")

    return run


def take_sequences(suite: Suite, runner: Runner, arguments: argparse.Namespace) -> None:
    cpus = max(len(os.sched_getaffinity(0)), 2)
    taken = 0
    drawn = map(parse, arguments.case) if arguments.case else sample(arguments, "table", 100 * arguments.slow)
    for case in drawn:
        if taken == arguments.slow:
            return
        if set(case.steps).isdisjoint(NOT_REPEATED):
            plain = {"mode": "auto", "wait": "auto", "barrier": "auto", "size": cpus, "times": 1, "flags": "-"}
            usual = dataclasses.replace(case, **plain)
            suite.take(f"--case '{usual}'", sequence_run(runner, usual))
            taken += 1


def take_random_programs(suite: Suite, runner: Runner, arguments: argparse.Namespace, scratch: Path) -> None:
    places = Places(runner.runtimes, runner.library, compile_old_runtime(scratch), LONGEST)
    chance = random.Random(f"slow {arguments.seed}")
    left = [settings_of(chance.randrange(1, 100_000), [], []) for _ in range(arguments.slow)]
    while left:
        flavour = left[0].flavour
        unit = [one for one in left if one.flavour == flavour][:PROGRAMS_A_UNIT]
        left = [one for one in left if one not in unit]
        binary = scratch / "random-unit"
        compile_unit(unit, binary, runner.runtimes / "libomp19", "-O1", False)
        for one in unit:

            def run(preloaded: bool, times: int, one: Settings = one, binary: Path = binary) -> float:
                environment = places.environment(one, preloaded) | (DEFAULTS if preloaded else {})
                begin = time.perf_counter()
                good = all(places.execute(binary, one, environment).status == 0 for _ in range(times))
                return time.perf_counter() - begin if good else float("inf")

            suite.take(f"tests/random-programs/run.py --programs 1 --seed {one.seed} --runtime {one.runtime} "
                       f"--compiler {one.flavour.compiler}", run)  # fmt: skip


def slow_ones(runner: Runner, arguments: argparse.Namespace, scratch: Path) -> int:
    suite = Suite()
    take_sequences(suite, runner, arguments)
    if not arguments.case:
        take_random_programs(suite, runner, arguments, scratch)
    return suite.verdict()
