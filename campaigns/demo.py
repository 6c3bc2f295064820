#!/usr/bin/env python3
"""Stock against preloaded, idle and beside CPU hogs: one table, then Muster's report of one run.

    demo.py --build build/release [--seconds 100] [--json FILE]

Each cell of the table is run stock and preloaded, interleaved, for as many rounds as fit into the time; the table has
the medians. The programs are syncbench (overhead of a construct) and the BARRIER program (iterations per second), with
as many threads as CPUs and with twice as many. `./bootstrap demo` builds and runs this.
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

CONSTRUCTS = ["BARRIER", "FOR", "SINGLE", "REDUCTION", "PARALLEL", "PARALLEL_FOR"]
BARRIER_PROGRAM = "BARRIER program"
HOGS = 2
MOST_ROUNDS = 7
IDLE_REPETITIONS = 3  # in each round: idle runs are short, and their differences small
RUN_LIMIT = 15.0  # seconds; beside hogs a stock run may almost stop
REPORT_SECONDS = 3.0  # reserved for the last run


@dataclass
class Cell:
    """One row of the table: the figures of both sides, in the order they were measured."""

    load: str
    threads: int
    what: str
    unit: str
    stock: list[float] = field(default_factory=list)
    muster: list[float] = field(default_factory=list)

    def medians(self) -> tuple[float | None, float | None]:
        return median(self.stock), median(self.muster)

    def times_faster(self) -> float | None:
        stock, muster = self.medians()
        if stock is None or muster is None or stock <= 0 or muster <= 0:
            return None
        return stock / muster if self.unit == "us" else muster / stock


class Demo:
    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.cells: dict[tuple[bool, int, str], Cell] = {}
        self.team_sizes = [cpus(), 2 * cpus()]
        for busy in (False, True):
            load = f"{HOGS} CPU hogs" if busy else "idle"
            for threads in self.team_sizes:
                for what in CONSTRUCTS:
                    self.cells[busy, threads, what] = Cell(load, threads, what, "us")
                self.cells[busy, threads, BARRIER_PROGRAM] = Cell(load, threads, BARRIER_PROGRAM, "1/s")

    def output(self, words: list[str], threads: int, preloaded: bool) -> str | None:
        """A user preloads by `muster run`, and so does the demo."""
        run = ["run", "--", str(self.bench.bin / words[0])] if preloaded else []
        program, *rest = ["muster", *run, *words[1:]] if preloaded else words
        return self.bench.output(program, rest, OMP_NUM_THREADS=str(threads))

    def line_crossing_ns(self) -> float | None:
        """The median over all pairs of CPUs; None with one CPU only."""
        text = self.bench.output("linetransfer", ["--format", "json"])
        return json.loads(text)["median_ns"] if text else None

    def overheads(self, threads: int, preloaded: bool, busy: bool) -> dict[str, float]:
        runs, length = ("6", "1000") if busy else ("15", "300")
        options = ["--outer-repetitions", runs, "--test-time", length, "--format", "json"]
        text = self.output(["syncbench", *options, "--measureonly", ",".join(CONSTRUCTS)], threads, preloaded)
        rows = json.loads(text)["benchmarks"] if text else []
        return {row["name"]: row["overhead_us"]["median"] for row in rows}

    def iterations(self, threads: int, preloaded: bool, busy: bool) -> float | None:
        text = self.output(["barrier", "--seconds", "1.0" if busy else "0.4", "--format", "json"], threads, preloaded)
        return json.loads(text)["iterations_per_s"] if text else None

    def report(self, threads: int) -> str:
        """Muster's text report of the BARRIER program beside the hogs."""
        with tempfile.TemporaryDirectory(prefix="muster-demo-") as folder, self.bench.hogs(HOGS):
            file = Path(folder) / "report.txt"
            words = ["run", "--report", str(file), "--", str(self.bench.bin / "barrier"), "--seconds", "0.5"]
            self.bench.output("muster", words, OMP_NUM_THREADS=str(threads))
            return file.read_text() if file.exists() else "no report was written"

    def record(self, busy: bool, threads: int, preloaded: bool) -> None:
        figures: dict[str, float | None] = dict(self.overheads(threads, preloaded, busy))
        figures[BARRIER_PROGRAM] = self.iterations(threads, preloaded, busy)
        for what, value in figures.items():
            cell = self.cells[busy, threads, what]
            if value is not None:
                (cell.muster if preloaded else cell.stock).append(value)

    def round(self, number: int) -> None:
        """Every cell once (idle: several times), stock and preloaded; which of them is first alternates."""
        for busy, repetitions in ((False, IDLE_REPETITIONS), (True, 1)):
            with self.bench.hogs(HOGS if busy else 0):
                for threads in self.team_sizes:
                    for repetition in range(repetitions):
                        first = (number + repetition) % 2 == 1
                        self.record(busy, threads, first)
                        self.record(busy, threads, not first)

    def run(self, seconds: float) -> int:
        """As many rounds as fit; returns how many."""
        start = time.monotonic()
        longest = 0.0
        for number in range(MOST_ROUNDS):
            begun = time.monotonic()
            if number > 0 and begun - start + longest > seconds:
                return number
            self.round(number)
            now = time.monotonic()
            longest = max(longest, now - begun)
            say("demo", f"round {number + 1}, {now - start:.0f} s of at most {seconds:.0f}")
        return MOST_ROUNDS


HEAD = ("load", "threads", "what", "", "stock", "Muster", "faster", "stock", "Muster")


def rows_of(cells: list[Cell], crossing_ns: float | None) -> list[tuple[str, ...]]:
    rows = []
    for cell in cells:
        stock, muster = cell.medians()
        ratio = cell.times_faster()
        crossings = ["", ""]
        if cell.unit == "us" and cell.load == "idle" and crossing_ns:
            crossings = [figure(None if side is None else side * 1000 / crossing_ns) for side in (stock, muster)]
        faster = "-" if ratio is None else f"{figure(ratio)} x"
        rows.append(
            (cell.load, str(cell.threads), cell.what, cell.unit, figure(stock), figure(muster), faster, *crossings)
        )
    return rows


def describe(crossing_ns: float | None, rounds: int) -> str:
    lines = [
        f"{cpus()} CPUs; medians of {rounds} interleaved rounds ({IDLE_REPETITIONS} runs each where idle).",
        "us: overhead of one construct. 1/s: iterations of the BARRIER program, two barriers each.",
        "faster: how many times Muster is faster; below 1, slower. A CPU hog only uses CPU time.",
    ]
    if crossing_ns:
        text = f"the two right columns are the overhead in such crossings ({crossing_ns:.0f} ns)."
        lines.append(f"One cache line crosses from CPU to CPU in {crossing_ns:.1f} ns: {text}")
    return "\n".join(lines)


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

    bench = Bench(arguments.build, ("muster", "syncbench", "barrier", HOG, "linetransfer"), RUN_LIMIT)
    warn_if_busy("demo")
    demo = Demo(bench)
    crossing_ns = demo.line_crossing_ns()
    rounds = demo.run(arguments.seconds - REPORT_SECONDS)
    threads = 2 * cpus()
    report = demo.report(threads)

    cells = list(demo.cells.values())
    rows = rows_of(cells, crossing_ns)
    print(tables.table(HEAD, rows, {"load", "what", ""}, groups=2))
    print()
    print(describe(crossing_ns, rounds))
    print(f"\nMuster's report of the BARRIER program, {threads} threads beside {HOGS} CPU hogs:\n")
    print(report)
    for failure in bench.failures:
        say("demo", failure)
    if arguments.json:
        found = results.table_of_words(HEAD, rows, notes=describe(crossing_ns, rounds).splitlines())
        raw = {"line_crossing_ns": crossing_ns, "failures": bench.failures, "cells": list(map(asdict, cells))}
        results.leave(arguments.json, "Stock and Muster, idle and beside CPU hogs", [found], raw=raw)
    return 0 if all(cell.stock and cell.muster for cell in cells) else 1


if __name__ == "__main__":
    sys.exit(main())
