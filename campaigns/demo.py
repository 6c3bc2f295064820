#!/usr/bin/env python3
"""Stock runtimes and Muster, idle and beside CPU hogs: libomp and libgomp, each by default, passive and preloaded.

    demo.py --build build/release [--seconds 100] [--json FILE]

In the first round each row is printed as soon as it is measured. Interleaved rounds follow while there is time; a table
of medians and Muster's report of one run end it. The programs are syncbench (overhead of a construct) and the BARRIER
program (iterations per second), with as many threads as CPUs and with twice as many. "Passive" is
OMP_WAIT_POLICY=passive. `./bootstrap demo` builds and runs this; demo_shown.py puts a result into the README.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab import results, tables  # noqa: E402
from lab.bench import HOG, Bench, say, warn_if_busy  # noqa: E402
from lab.machine import cpus  # noqa: E402
from lab.runs import exit_by_exception  # noqa: E402
from lab.statistics import median  # noqa: E402
from lab.tables import figure  # noqa: E402

CONSTRUCTS = ["BARRIER", "FOR", "REDUCTION", "PARALLEL"]
BARRIER_PROGRAM = "BARRIER program"
ENDINGS = {"libomp": "", "libgomp": "-gomp"}  # of the programs' names
PROGRAMS = [name + ending for name in ("syncbench", "barrier") for ending in ENDINGS.values()]
SIDES = ["default", "passive", "Muster"]
HOGS = 2
MOST_ROUNDS = 7
RUN_LIMIT = 15.0  # seconds; beside hogs a stock run may almost stop
REPORT_SECONDS = 3.0  # reserved for the last run
HEAD = ("load", "threads", "what", "", "runtime", *SIDES, "of default", "of passive")
TEXTS = ("load", "what", "", "runtime")
WIDTHS = (6, 7, 15, 3, 7, 9, 9, 9, 10, 10)  # of rows that are printed before all are known


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


class Demo:
    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.cells: dict[tuple[bool, int, str, str], Cell] = {}
        self.team_sizes = [cpus(), 2 * cpus()]
        for busy in (False, True):
            load = f"{HOGS} hogs" if busy else "idle"
            for threads in self.team_sizes:
                for runtime in ENDINGS:
                    for what in (*CONSTRUCTS, BARRIER_PROGRAM):
                        unit = "1/s" if what == BARRIER_PROGRAM else "us"
                        self.cells[busy, threads, runtime, what] = Cell(load, threads, what, unit, runtime)

    def output(self, words: list[str], threads: int, side: str) -> str | None:
        """Preloaded by the environment: the demo need not wait until the `muster` command is built."""
        settings = {"OMP_NUM_THREADS": str(threads)}
        if side == "passive":
            settings["OMP_WAIT_POLICY"] = "passive"
        return self.bench.output(words[0], words[1:], preloaded=side == "Muster", **settings)

    def line_crossing_ns(self) -> float | None:
        """The median over all pairs of CPUs; None with one CPU only."""
        text = self.bench.output("linetransfer", ["--format", "json"])
        return json.loads(text)["median_ns"] if text else None

    def measured(self, busy: bool, threads: int, runtime: str, side: str) -> dict[str, float]:
        """Overheads of the constructs, and the rate of the BARRIER program."""
        ending = ENDINGS[runtime]
        runs, length = ("6", "1000") if busy else ("15", "300")
        options = ["--outer-repetitions", runs, "--test-time", length, "--format", "json"]
        text = self.output([f"syncbench{ending}", *options, "--measureonly", ",".join(CONSTRUCTS)], threads, side)
        rows = json.loads(text)["benchmarks"] if text else []
        found = {row["name"]: row["overhead_us"]["median"] for row in rows}
        seconds = "0.8" if busy else "0.4"
        text = self.output([f"barrier{ending}", "--seconds", seconds, "--format", "json"], threads, side)
        return found | ({BARRIER_PROGRAM: json.loads(text)["iterations_per_s"]} if text else {})

    def report(self, threads: int) -> str:
        """Muster's text report of the BARRIER program beside the hogs."""
        with tempfile.TemporaryDirectory(prefix="muster-demo-") as folder, self.bench.hogs(HOGS):
            file = Path(folder) / "report.txt"
            settings = {"OMP_NUM_THREADS": str(threads), "MUSTER_REPORT": str(file)}
            self.bench.output("barrier", ["--seconds", "0.5"], preloaded=True, **settings)
            return file.read_text() if file.exists() else "no report was written"

    def record(self, number: int, busy: bool, threads: int, runtime: str) -> None:
        """Each side once; which of them is first changes with the rounds."""
        first = number % len(SIDES)
        for side in SIDES[first:] + SIDES[:first]:
            for what, value in self.measured(busy, threads, runtime, side).items():
                self.cells[busy, threads, runtime, what].figures[side].append(value)

    def round(self, number: int) -> None:
        for busy in (False, True):
            with self.bench.hogs(HOGS if busy else 0):
                for threads in self.team_sizes:
                    for runtime in ENDINGS:
                        self.record(number, busy, threads, runtime)
                        for what in (*CONSTRUCTS, BARRIER_PROGRAM) if number == 0 else ():
                            print(aligned(self.cells[busy, threads, runtime, what].row()), flush=True)

    def run(self, seconds: float) -> int:
        """As many rounds as fit; returns how many."""
        start = time.monotonic()
        longest = 0.0
        print(aligned(list(HEAD)), flush=True)
        for number in range(MOST_ROUNDS):
            begun = time.monotonic()
            if number > 0 and begun - start + longest > seconds:
                return number
            self.round(number)
            now = time.monotonic()
            longest = max(longest, now - begun)
            say("demo", f"round {number + 1}, {now - start:.0f} s of at most {seconds:.0f}")
        return MOST_ROUNDS


def describe(crossing_ns: float | None, rounds: int) -> list[str]:
    lines = [
        f"{cpus()} CPUs; medians of {rounds} interleaved rounds.",
        "us: overhead of one construct. 1/s: iterations of the BARRIER program, two barriers each.",
        "passive: OMP_WAIT_POLICY=passive. of default, of passive: how many times Muster is faster; below 1, slower.",
        f"{HOGS} hogs: beside {HOGS} processes that only use CPU time.",
    ]
    if crossing_ns:
        lines.append(f"One cache line crosses from CPU to CPU in {crossing_ns:.1f} ns.")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--seconds", type=float, default=100.0, help="time for the rounds (100)")
    results.add_option(parser)
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, exit_by_exception)

    bench = Bench(arguments.build, (HOG, "linetransfer", *PROGRAMS), RUN_LIMIT)
    warn_if_busy("demo")
    demo = Demo(bench)
    rounds = demo.run(arguments.seconds - REPORT_SECONDS)
    crossing_ns = demo.line_crossing_ns()
    threads = 2 * cpus()
    report = demo.report(threads)

    cells = list(demo.cells.values())
    rows = [cell.row() for cell in cells]
    notes = describe(crossing_ns, rounds)
    print(f"\nMedians:\n\n{tables.table(HEAD, rows, TEXTS, groups=2)}\n")
    print("\n".join(notes))
    print(f"\nMuster's report of the BARRIER program, {threads} threads beside {HOGS} CPU hogs:\n")
    print(report)
    for failure in bench.failures:
        say("demo", failure)
    if arguments.json:
        raw = {"line_crossing_ns": crossing_ns, "failures": bench.failures, "cells": list(map(asdict, cells))}
        found = results.table_of_words(HEAD, rows, notes=notes)
        results.leave(arguments.json, "Stock runtimes and Muster, idle and beside CPU hogs", [found], raw=raw)
    return 0 if all(cell.median(side) for cell in cells for side in SIDES) else 1


if __name__ == "__main__":
    sys.exit(main())
