#!/usr/bin/env python3
"""Stock against preloaded, idle and beside CPU burners: one table, then Muster's report of one run.

    demo.py --build build/release [--seconds 100] [--json FILE]

Every cell of the table is run stock and preloaded in turn, round after round while there is time, and the
medians over the rounds are shown. What is run: syncbench (the cost of a construct) and the BARRIER program
(iterations a second), at as many threads as CPUs and at twice that. `./bootstrap demo` builds and runs this.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

CONSTRUCTS = ["BARRIER", "FOR", "SINGLE", "REDUCTION", "PARALLEL", "PARALLEL_FOR"]
BARRIER_PROGRAM = "BARRIER program"
BURNERS = 2
MOST_ROUNDS = 7
IDLE_REPETITIONS = 3  # idle runs are short, and what they show is small: more of them a round
RUN_LIMIT = 15.0  # seconds; a stock run beside burners may all but stop
REPORT_SECONDS = 3.0  # kept back for the last run


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


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
        return tuple(statistics.median(side) if side else None for side in (self.stock, self.muster))

    def times_faster(self) -> float | None:
        stock, muster = self.medians()
        if stock is None or muster is None or stock <= 0 or muster <= 0:
            return None
        return stock / muster if self.unit == "us" else muster / stock


class Bench:
    """Runs the built programs, on their own or under `muster run`."""

    def __init__(self, build: Path) -> None:
        self.bin = build.resolve() / "bin"
        for name in ("muster", "syncbench", "barrier", "burner", "linetransfer"):
            if not (self.bin / name).is_file():
                sys.exit(f"demo: {self.bin / name} is missing; run ./bootstrap build first")
        self.failures: list[str] = []

    def output(self, command: list[str], threads: int | None = None, preloaded: bool = False) -> str | None:
        """The standard output; None, and a line in `failures`, where the run failed or took too long."""
        settings = ("OMP_", "KMP_", "GOMP_", "MUSTER", "LD_PRELOAD")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
        if threads is not None:
            environment["OMP_NUM_THREADS"] = str(threads)
        words = [str(self.bin / command[0]), *command[1:]]
        if preloaded:
            words = [str(self.bin / "muster"), "run", "--", *words]
        shown = f"{'preloaded' if preloaded else 'stock'}, {threads} threads: {' '.join(command)}"
        try:
            done = subprocess.run(
                words, env=environment, capture_output=True, text=True, timeout=RUN_LIMIT, check=False
            )
        except subprocess.TimeoutExpired:
            self.failures.append(f"{shown}: no end after {RUN_LIMIT:.0f} s")
            return None
        if done.returncode != 0:
            self.failures.append(f"{shown}: status {done.returncode} {done.stderr.strip()[-200:]}")
            return None
        return done.stdout

    def line_crossing_ns(self) -> float | None:
        """The median over all pairs of CPUs; None with one CPU only."""
        text = self.output(["linetransfer", "--format", "json"])
        return json.loads(text)["median_ns"] if text else None

    def overheads(self, threads: int, preloaded: bool, busy: bool) -> dict[str, float]:
        runs, length = ("6", "1000") if busy else ("15", "300")
        options = ["--outer-repetitions", runs, "--test-time", length, "--format", "json"]
        command = ["syncbench", *options, "--measureonly", ",".join(CONSTRUCTS)]
        text = self.output(command, threads, preloaded)
        rows = json.loads(text)["benchmarks"] if text else []
        return {row["name"]: row["overhead_us"]["median"] for row in rows}

    def iterations(self, threads: int, preloaded: bool, busy: bool) -> float | None:
        command = ["barrier", "--seconds", "1.0" if busy else "0.4", "--format", "json"]
        text = self.output(command, threads, preloaded)
        return json.loads(text)["iterations_per_s"] if text else None

    @contextlib.contextmanager
    def burners(self, count: int) -> Iterator[None]:
        """CPU burners beside what is inside; ended on every way out, and by themselves if we are killed."""
        started: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(count):
                started.append(subprocess.Popen([self.bin / "burner"], stdout=subprocess.DEVNULL))
            if started:
                time.sleep(0.2)  # let the scheduler spread them
            yield
        finally:
            for burner in started:
                burner.kill()
            for burner in started:
                burner.wait()

    def report(self, threads: int) -> str:
        """Muster's text report of the BARRIER program beside the burners."""
        with tempfile.TemporaryDirectory(prefix="muster-demo-") as folder, self.burners(BURNERS):
            file = Path(folder) / "report.txt"
            command = ["run", "--report", str(file), "--", str(self.bin / "barrier"), "--seconds", "0.5"]
            self.output(["muster", *command], threads)
            return file.read_text() if file.exists() else "no report was written"


class Demo:
    def __init__(self, bench: Bench, cpus: int) -> None:
        self.bench = bench
        self.cells: dict[tuple[bool, int, str], Cell] = {}
        self.team_sizes = [cpus, 2 * cpus]
        for busy in (False, True):
            load = f"{BURNERS} burners" if busy else "idle"
            for threads in self.team_sizes:
                for what in CONSTRUCTS:
                    self.cells[busy, threads, what] = Cell(load, threads, what, "us")
                self.cells[busy, threads, BARRIER_PROGRAM] = Cell(load, threads, BARRIER_PROGRAM, "1/s")

    def record(self, busy: bool, threads: int, preloaded: bool) -> None:
        figures: dict[str, float | None] = dict(self.bench.overheads(threads, preloaded, busy))
        figures[BARRIER_PROGRAM] = self.bench.iterations(threads, preloaded, busy)
        for what, value in figures.items():
            cell = self.cells[busy, threads, what]
            if value is not None:
                (cell.muster if preloaded else cell.stock).append(value)

    def round(self, number: int) -> None:
        """Every cell once (idle: several times), stock and preloaded in turn, who is first alternating."""
        for busy, repetitions in ((False, IDLE_REPETITIONS), (True, 1)):
            with self.bench.burners(BURNERS if busy else 0):
                for threads in self.team_sizes:
                    for repetition in range(repetitions):
                        first = (number + repetition) % 2 == 1
                        self.record(busy, threads, first)
                        self.record(busy, threads, not first)

    def run(self, seconds: float) -> int:
        """As many rounds as fit; how many that were."""
        start = time.monotonic()
        longest = 0.0
        for number in range(MOST_ROUNDS):
            begun = time.monotonic()
            if number > 0 and begun - start + longest > seconds:
                return number
            self.round(number)
            now = time.monotonic()
            longest = max(longest, now - begun)
            say(f"demo: round {number + 1}, {now - start:.0f} s of at most {seconds:.0f}")
        return MOST_ROUNDS


def figure(value: float | None) -> str:
    """Three significant digits, thousands with a comma."""
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.01 else f"{value:.3f}"


def table(cells: list[Cell], crossing_ns: float | None) -> str:
    rows = [("load", "threads", "what", "", "stock", "Muster", "faster", "stock", "Muster")]
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
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    is_text = (True, False, True, True, False, False, False, False, False)
    lines = []
    for index, row in enumerate(rows):
        words = (
            word.ljust(width) if text else word.rjust(width)
            for word, width, text in zip(row, widths, is_text, strict=True)
        )
        lines.append("  ".join(words).rstrip())
        if index == 0 or (index < len(rows) - 1 and row[:2] != rows[index + 1][:2]):
            lines.append("-" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join(lines)


def describe(crossing_ns: float | None, cpus: int, rounds: int) -> str:
    lines = [
        f"{cpus} CPUs; medians of {rounds} interleaved rounds ({IDLE_REPETITIONS} runs each where idle).",
        "us: overhead of one construct. 1/s: iterations of the BARRIER program, two barriers each.",
        'faster: how many times Muster is faster; below 1, slower. "Burners" only use CPU time.',
    ]
    if crossing_ns:
        text = f"the two right columns are the overhead in such crossings ({crossing_ns:.0f} ns)."
        lines.append(f"One cache line crosses from CPU to CPU in {crossing_ns:.1f} ns: {text}")
    return "\n".join(lines)


def end_by_exception(number: int, _frame: object) -> None:
    """So that burners are ended on the way out."""
    raise SystemExit(128 + number)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--seconds", type=float, default=100.0, help="time for the rounds (100)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every single figure as JSON")
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_by_exception)

    bench = Bench(arguments.build)
    cpus = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"demo: the load of this machine is {load:.1f} already: 'idle' will not be idle")
    crossing_ns = bench.line_crossing_ns()
    demo = Demo(bench, cpus)
    rounds = demo.run(arguments.seconds - REPORT_SECONDS)
    report = bench.report(2 * cpus)

    cells = list(demo.cells.values())
    print(table(cells, crossing_ns))
    print()
    print(describe(crossing_ns, cpus, rounds))
    print(f"\nMuster's report of the BARRIER program, {2 * cpus} threads beside {BURNERS} burners:\n")
    print(report)
    for failure in bench.failures:
        say(f"demo: {failure}")
    if arguments.json:
        raw = {"cpus": cpus, "rounds": rounds, "line_crossing_ns": crossing_ns, "failures": bench.failures}
        arguments.json.write_text(json.dumps(raw | {"cells": [asdict(cell) for cell in cells]}, indent=2) + "\n")
    return 0 if all(cell.stock and cell.muster for cell in cells) else 1


if __name__ == "__main__":
    sys.exit(main())
