#!/usr/bin/env python3
"""Stock runtimes and Muster, idle and beside CPU hogs: libomp and libgomp, each by default, passive and preloaded.

    demo.py --build build/release [--seconds 100] [--resume] [--folder FOLDER] [--json FILE]

`muster compare` makes every run: of syncbench (overhead of a construct) and of the BARRIER program (iterations per
second), with as many threads as CPUs and with twice as many. In the first round rows are printed as soon as they are
measured. Further rounds follow while there is time; a table of medians and the verdicts end it. Ctrl-C keeps what was
measured, and --resume goes on with it. `./bootstrap demo` builds and runs this; demo_shown.py puts a result into the
README.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab import results, tables  # noqa: E402
from lab.bench import Bench, say, warn_if_busy  # noqa: E402
from lab.machine import cpus  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.runs import end_with_parent, exit_by_exception, start_child  # noqa: E402
from lab.statistics import median  # noqa: E402
from lab.tables import figure  # noqa: E402

BARRIER_PROGRAM = "BARRIER program"
ENDINGS = {"libomp": "", "libgomp": "-gomp"}  # of the programs' names
VARIANTS = {"stock": "default", "passive": "passive", "Muster": "Muster"}  # of `muster compare`, and our sides
SIDES = list(VARIANTS.values())
HOGS = 2
MOST_ROUNDS = 7
RUN_LIMIT = "15"  # seconds; beside hogs a stock run may almost stop
MADE = (0, 1)  # exit statuses of `muster compare` after its runs; outputs with figures in them always differ
HEAD = ("load", "threads", "what", "", "runtime", *SIDES, "of default", "of passive")
TEXTS = ("load", "what", "", "runtime")
WIDTHS = (6, 7, 15, 3, 7, 9, 9, 9, 10, 10)  # of rows that are printed before all are known


class Program(NamedTuple):
    name: str
    words: Sequence[str]
    unit: str
    found_by: Sequence[str]  # how `muster compare` finds the figure in the output


def construct(name: str) -> Program:
    words = ["--outer-repetitions", "10", "--test-time", "500", "--measureonly", name]
    return Program("syncbench", words, "us", ["--cost", "median_ovrhd *="])


PROGRAMS = {
    **{name: construct(name) for name in ("BARRIER", "FOR", "REDUCTION", "PARALLEL")},
    BARRIER_PROGRAM: Program("barrier", ["--seconds", "0.4", "--format", "json"], "1/s", ["--rate", "iterations_per_s\":"]),
}


class Stopped(Exception):
    """The text says why `muster compare` made no runs."""


@dataclass
class Cell:
    """One row of the table: the figures of each side, in the order they were measured."""

    load: str
    threads: int
    what: str
    unit: str
    runtime: str
    figures: dict[str, list[float]] = field(default_factory=lambda: {side: [] for side in SIDES})

    def median(self, side: str) -> float | None:
        return median(self.figures[side])

    def times_faster(self, than: str) -> float | None:
        stock, muster = self.median(than), self.median("Muster")
        if stock is None or muster is None or stock <= 0 or muster <= 0:
            return None
        return stock / muster if self.unit == "us" else muster / stock

    def row(self) -> list[str]:
        ratios = [self.times_faster(than) for than in ("default", "passive")]
        return [
            *(self.load, str(self.threads), self.what, self.unit, self.runtime),
            *(figure(self.median(side)) for side in SIDES),
            *("-" if ratio is None else f"{figure(ratio)} x" for ratio in ratios),
        ]


def aligned(row: list[str]) -> str:
    texts = tables.is_text(HEAD, TEXTS)
    words = zip(row, WIDTHS, texts, strict=True)
    return "  ".join(word.ljust(width) if text else word.rjust(width) for word, width, text in words).rstrip()


class Comparison:
    """One program on one runtime, under all loads: a folder of `muster compare`."""

    def __init__(self, bench: Bench, folder: Path, runtime: str, what: str) -> None:
        self.bench = bench
        self.runtime = runtime
        self.what = what
        self.folder = folder / f"{runtime}-{what.replace(' ', '-')}"
        self.file = self.folder / "compare.json"

    def has_runs(self) -> bool:
        return self.file.exists()

    def kept(self) -> dict[str, Any]:
        return json.loads(self.file.read_text())

    def rounds(self) -> int:
        """How many are complete."""
        kept = self.kept() if self.has_runs() else {}
        return len(kept["runs"]) // (len(kept["cases"]) * len(kept["variants"])) if kept else 0

    def run(self, rounds: int) -> None:
        """Makes the runs that are missing for so many rounds."""
        if self.has_runs():
            words = ["--resume", str(self.folder), "--rounds", str(rounds), "--"]
        else:
            program = PROGRAMS[self.what]
            words = ["--folder", str(self.folder), "--rounds", str(rounds), "--warm-up", "0", "--timeout", RUN_LIMIT]
            words += ["--threads", f"{cpus()},{2 * cpus()}", "--hogs", f"0,{HOGS}", *program.found_by]
            words += ["--", str(self.bench.bin / f"{program.name}{ENDINGS[self.runtime]}"), *program.words]
        with start_child(
            [self.bench.bin / "muster", "compare", *words],
            end_with_parent,
            env=self.bench.environment(False),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,  # Ctrl-C is for this process, which then ends it
        ) as process:
            try:
                complaint = process.communicate()[1]
            except BaseException:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                process.send_signal(signal.SIGINT)  # keeps its runs
                process.wait()
                raise
        if process.returncode not in MADE:
            raise Stopped(complaint.strip() or f"muster compare: status {process.returncode}")

    def cells(self) -> list[Cell]:
        if not self.has_runs():
            return []
        kept = self.kept()
        found = []
        for case in kept["cases"]:
            load = f"{case['hogs']} hogs" if case["hogs"] else "idle"
            found.append(Cell(load, case["threads"], self.what, PROGRAMS[self.what].unit, self.runtime))
        for run in kept["runs"]:
            if run["figure"] is not None:
                found[run["case"]].figures[VARIANTS[kept["variants"][run["variant"]]["name"]]].append(run["figure"])
        return found

    def failures(self) -> Iterator[str]:
        kept = self.kept() if self.has_runs() else {"runs": []}
        for run in kept["runs"]:
            if run["timed_out"] or run["status"] != "0" or run["figure"] is None:
                how = f"no end after {RUN_LIMIT} s" if run["timed_out"] else f"status {run['status']}"
                yield f"{self.folder / 'runs' / run['file']}.out: {how}"

    def verdict(self) -> str:
        return f"{self.runtime}, {' '.join(self.kept()['findings']['verdict'])}"


class Demo:
    def __init__(self, bench: Bench, folder: Path) -> None:
        self.comparisons = [Comparison(bench, folder, runtime, what) for what in PROGRAMS for runtime in ENDINGS]
        self.show = Progress()

    def rounds(self) -> int:
        return min(each.rounds() for each in self.comparisons)

    def run(self, seconds: float) -> None:
        """As many rounds as fit, and at least one."""
        start = time.monotonic()
        made = 0  # in this session
        for number in range(1, MOST_ROUNDS + 1):
            missing = [each for each in self.comparisons if each.rounds() < number]
            elapsed = time.monotonic() - start
            if number > 1 and made and elapsed + elapsed / made * len(missing) > seconds:
                break
            for each in missing:
                elapsed = time.monotonic() - start
                left = (MOST_ROUNDS - number + 1) * len(self.comparisons)
                expected = max(seconds, elapsed) if made == 0 else min(seconds, elapsed / made * (made + left))
                self.show(min(elapsed / expected, 0.99), f"round {number}, {each.what}, {each.runtime}")
                each.run(number)
                made += 1
                if number == 1:
                    self.print_rows(each.cells())
        self.show.clear()

    def print_rows(self, cells: list[Cell]) -> None:
        self.show.clear()
        for cell in cells:
            print(aligned(cell.row()), flush=True)

    def cells(self) -> list[Cell]:
        """In the order of the table."""
        found = [cell for each in self.comparisons for cell in each.cells()]
        runtimes = list(ENDINGS)
        return sorted(found, key=lambda cell: (cell.load != "idle", cell.threads, runtimes.index(cell.runtime)))


def describe(rounds: int) -> list[str]:
    return [
        f"{cpus()} CPUs; medians of {rounds} interleaved rounds of `muster compare`.",
        "us: overhead of one construct. 1/s: iterations of the BARRIER program, two barriers each.",
        "passive: OMP_WAIT_POLICY=passive. of default, of passive: how many times Muster is faster; below 1, slower.",
        f"{HOGS} hogs: beside {HOGS} processes that only use CPU time.",
    ]


def print_result(demo: Demo, rows: list[list[str]], notes: list[str]) -> None:
    print(f"\nMedians:\n\n{tables.table(HEAD, rows, TEXTS, groups=2)}\n")
    print("\n".join(notes))
    shown = [each for each in demo.comparisons if each.what == BARRIER_PROGRAM and each.has_runs()]
    print(f"\n{BARRIER_PROGRAM}, against the better of default and passive:")
    for each in shown:
        print(f"{each.verdict()}\n    {each.folder / 'compare.html'}")
    sys.stdout.flush()
    for each in demo.comparisons:
        for failure in each.failures():
            say("demo", failure)


def positive(word: str) -> float:
    number = float(word)
    if not 0 < number < math.inf:
        raise ValueError
    return number


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--seconds", type=positive, default=100.0, help="time for the rounds (100)")
    parser.add_argument("--folder", type=Path, help="for what `muster compare` writes (demo/ in the build folder)")
    parser.add_argument("--resume", action="store_true", help="go on with the rounds in that folder")
    results.add_option(parser)
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, exit_by_exception)

    names = {f"{program.name}{ending}" for program in PROGRAMS.values() for ending in ENDINGS.values()}
    folder = arguments.folder or arguments.build / "demo"
    demo = Demo(Bench(arguments.build, ("muster", *sorted(names))), folder)
    found = [each for each in demo.comparisons if each.has_runs()]
    if arguments.resume and not found:
        say("demo", f"--resume: {folder} has no rounds to go on with")
        return 2
    if not arguments.resume:
        for each in found:
            shutil.rmtree(each.folder)
    ended = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        warn_if_busy("demo")
        print(aligned(list(HEAD)), flush=True)
        demo.run(arguments.seconds)
    except OSError as error:
        say("demo", f"{error.filename}: {error.strerror}")
        return 1
    except Stopped as stopped:
        demo.show.clear()
        say("demo", str(stopped))
        return 1
    except SystemExit as ending:  # by a signal
        demo.show.clear()
        ended = int(ending.code or 0)

    cells = demo.cells()
    rounds = demo.rounds()
    rows = [cell.row() for cell in cells]
    notes = describe(rounds)
    if cells:
        print_result(demo, rows, notes)
    if ended:
        same = f" --folder {folder}" if arguments.folder else ""
        say("demo", f"ended after {rounds} of {MOST_ROUNDS} rounds; the others by: ./bootstrap demo --resume{same}")
        return ended
    if arguments.json:
        table = results.table_of_words(HEAD, rows, notes=notes)
        raw = {"cells": list(map(asdict, cells))}
        results.leave(arguments.json, "Stock runtimes and Muster, idle and beside CPU hogs", [table], raw=raw)
    return 0 if all(cell.median(side) for cell in cells for side in SIDES) else 1


if __name__ == "__main__":
    sys.exit(main())
