#!/usr/bin/env python3
"""Real programs, stock against preloaded: the kernels of tests/programs at sizes where a run takes a second or so.

    campaigns/programs.py [--build build/release] [--rounds 5] [--json FILE]

Idle and beside CPU hogs, with as many threads as CPUs and with twice that. In each round every cell is run stock and
preloaded; which of them is first alternates; the table has the medians. The runtime is the one that the loader finds,
or that of --runtime; the seconds are those that the program measured. Beside hogs a run does an eighth of the work: a
stock region may take a whole time slice there. 5 rounds take half an hour; see --kernels, --loads and --rounds.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "programs")]

from kernels import VARIANTS, Binary, compile_kernels, execute, seconds_of  # noqa: E402

from lab import bench, reports, results, tables  # noqa: E402
from lab.compilers import BuildError  # noqa: E402
from lab.environment import preload  # noqa: E402
from lab.machine import cpus  # noqa: E402
from lab.runs import exit_by_exception  # noqa: E402
from lab.statistics import geometric_mean  # noqa: E402

SIZES: dict[str, tuple[int, int]] = {  # size, repetitions; a region takes 10 to 50 us
    "bfs": (400, 60),
    "cg": (100, 40),
    "fft": (14, 600),
    "heat": (128, 200),
    "mergesort": (20_000, 300),
    "particles": (20_000, 12_000),
    "pipeline": (16_384, 12_000),
    "stencil": (200, 20),
}
HOGS = 2
BUSY_SHARE = 8
LIMIT = 60.0  # seconds; beside hogs a stock run may almost stop
SIDES = ("stock", "muster")


def say(text: str) -> None:
    bench.say("programs", text)


@dataclass
class Cell:
    """One row of the table: the seconds of both sides, in the order they were measured."""

    load: str
    threads: int
    kernel: str
    arguments: list[str]
    seconds: dict[str, list[float]] = field(default_factory=lambda: {side: [] for side in SIDES})
    late: list[str] = field(default_factory=list)  # sides that ran into the limit, and are not run again

    def shown(self, side: str) -> str:
        if side in self.late:
            return f"> {LIMIT:.0f}"
        return f"{statistics.median(self.seconds[side]):.3f}" if self.seconds[side] else "-"

    def times_faster(self) -> float | None:
        """How many times Muster is; None where one side has no figure or only a bound."""
        if self.late or not all(self.seconds.values()):
            return None
        stock, muster = (statistics.median(self.seconds[side]) for side in SIDES)
        return stock / muster

    def verdict(self) -> str:
        ratio = self.times_faster()
        if ratio is not None:
            return f"{ratio:.3g} x"
        if self.late == ["stock"] and self.seconds["muster"]:
            return f"> {LIMIT / statistics.median(self.seconds['muster']):.3g} x"
        return "-"


@dataclass
class Kernels:
    bench: bench.Bench
    binaries: dict[str, Binary]
    settings: dict[str, str]  # of both sides
    muster_settings: dict[str, str]
    lines: dict[tuple[str, str], str] = field(default_factory=dict)  # what the first run printed

    def measure(self, cell: Cell, side: str) -> str:
        """Runs a side of a cell once; returns its time or what went wrong."""
        if side in cell.late:
            return "too late before"
        environment = self.settings | {"OMP_NUM_THREADS": str(cell.threads)}
        if side == "muster":
            environment |= self.muster_settings | preload(self.bench.library)
        outcome = execute(self.binaries[cell.kernel].path, cell.arguments, environment, LIMIT)
        if outcome.status is None:
            cell.late.append(side)
            return f"over {LIMIT:.0f} s"
        seconds = seconds_of(outcome, cell.kernel)
        expected = self.lines.setdefault((cell.kernel, cell.arguments[1]), outcome.stdout)
        if outcome.status != 0 or seconds is None or outcome.stdout != expected:
            self.bench.failures.append(f"{cell.kernel}, {cell.threads} threads, {side}: {outcome.describe()}")
            return "failed"
        cell.seconds[side].append(seconds)
        return f"{seconds:.3f} s"

    def not_preloaded(self, kernel: str, threads: int) -> str:
        """Why Muster would not be active on the preloaded side; empty if it is."""
        with tempfile.TemporaryDirectory(prefix="muster-programs-") as folder:
            file = Path(folder) / "report.json"
            environment = self.settings | self.muster_settings | {"OMP_NUM_THREADS": str(threads)}
            environment |= preload(self.bench.library) | {"MUSTER_REPORT": str(file)}
            execute(self.binaries[kernel].path, [], environment, LIMIT)
            try:
                problem = reports.read(file, reports.inactive)
            except reports.ReportError as error:
                problem = str(error)
        return f"{kernel}: {problem}" if problem else ""


def run_rounds(kernels: Kernels, cells: list[Cell], rounds: int) -> None:
    begin = time.monotonic()
    for number in range(rounds):
        for load in dict.fromkeys(cell.load for cell in cells):
            with kernels.bench.hogs(0 if load == "idle" else HOGS):
                for cell in (cell for cell in cells if cell.load == load):
                    order = SIDES if number % 2 == 0 else SIDES[::-1]
                    shown = {side: kernels.measure(cell, side) for side in order}
                    where = f"{cell.load}, {cell.threads} threads, {cell.kernel}"
                    pair = f"stock {shown['stock']}, Muster {shown['muster']}"
                    say(f"round {number + 1}/{rounds} at {time.monotonic() - begin:.0f} s: {where}: {pair}")


HEAD = ["load", "threads", "program", "stock s", "Muster s", "faster"]


def rows_of(cells: list[Cell]) -> list[list[str]]:
    """A block for each load and number of threads, with the geometric mean of its speed-ups."""
    rows = []
    for group in dict.fromkeys((cell.load, cell.threads) for cell in cells):
        of_group = [cell for cell in cells if (cell.load, cell.threads) == group]
        start = (group[0], str(group[1]))
        rows += [[*start, cell.kernel, *(cell.shown(side) for side in SIDES), cell.verdict()] for cell in of_group]
        ratios = [ratio for cell in of_group if (ratio := cell.times_faster()) is not None]
        if ratios:
            name = "mean" if len(ratios) == len(of_group) else f"mean of {len(ratios)}"
            rows.append([*start, name, "", "", f"{geometric_mean(ratios):.3g} x"])
    return rows


def setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name.startswith("MUSTER_") or not equals:
        raise argparse.ArgumentTypeError(f"not MUSTER_...=VALUE: {text}")
    return name, value


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernels", nargs="+", choices=SIZES, default=list(SIZES), metavar="NAME")
    parser.add_argument("--loads", nargs="+", choices=("idle", "busy"), default=["idle", "busy"])
    parser.add_argument("--threads", nargs="+", type=int, help="team sizes (CPUs, twice the CPUs)")
    parser.add_argument("--compiler", choices=VARIANTS, default="clang", help="where both are installed")
    parser.add_argument("--runtime", type=Path, help="the folder of the libomp to run on")
    parser.add_argument("--set", type=setting, nargs="+", default=[], help="MUSTER_...=VALUE for the preloaded side")
    results.add_option(parser)
    return parser.parse_args()


def libomp_to_link() -> Path:
    found = subprocess.check_output(["clang-19", "-print-file-name=libomp.so"], text=True).strip()
    return Path(found).resolve().parent


def main() -> int:
    arguments = parse_arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, exit_by_exception)
    built = bench.Bench(arguments.build, (bench.HOG,), LIMIT)
    preference = sorted(VARIANTS, key=lambda variant: variant != arguments.compiler, reverse=True)
    try:
        compiled, _ = compile_kernels(tuple(preference), arguments.build.resolve() / "programs", libomp_to_link())
    except BuildError as error:
        sys.exit(f"programs: {error}")
    binaries = {binary.kernel: binary for binary in compiled}  # the preferred one is the last
    chosen = [kernel for kernel in arguments.kernels if kernel in binaries]
    for kernel in set(arguments.kernels) - set(chosen):
        say(f"{kernel} is left out: no compiler for it is installed")

    settings = {"LD_LIBRARY_PATH": str(arguments.runtime.resolve())} if arguments.runtime else {}
    kernels = Kernels(built, binaries, settings, dict(arguments.set))
    if problems := list(filter(None, (kernels.not_preloaded(kernel, cpus()) for kernel in chosen))):
        sys.exit("programs: " + "; ".join(problems))
    bench.warn_if_busy("programs")
    cells = []
    for load in arguments.loads:
        for threads in arguments.threads or [cpus(), 2 * cpus()]:
            for kernel in chosen:
                size, repetitions = SIZES[kernel]
                words = [str(size), str(repetitions if load == "idle" else max(1, repetitions // BUSY_SHARE))]
                cells.append(Cell("idle" if load == "idle" else f"{HOGS} CPU hogs", threads, kernel, words))
    run_rounds(kernels, cells, arguments.rounds)

    rows = rows_of(cells)
    legend = f"{cpus()} CPUs, medians of {arguments.rounds} rounds; faster: how many times Muster is; below 1, slower."
    print(tables.table(HEAD, rows, {"load", "program"}, groups=2))
    print(legend)
    for failure in built.failures:
        say(f"FAILED {failure}")
    if arguments.json:
        found = results.table_of_words(HEAD, rows, notes=[legend])
        raw = {"limit_s": LIMIT, "failures": built.failures, "cells": list(map(asdict, cells))}
        results.leave(arguments.json, "The programs of tests/programs, stock and Muster", [found], raw=raw)
    return 1 if built.failures else 0


if __name__ == "__main__":
    sys.exit(main())
