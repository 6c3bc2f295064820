#!/usr/bin/env python3
"""Real programs, stock against preloaded: the kernels of tests/programs at sizes where a run takes a second or so.

    benchmarks/programs.py [--build build/release] [--rounds 5] [--json FILE]

Idle and beside burners of CPU time, with as many threads as CPUs and with twice that. In each round every cell is run
stock and preloaded, who is first alternating; shown are the medians. The runtime is the one that the loader finds, or
that of --runtime; the seconds are those that the program measured. Beside burners a run does an eighth of the work:
stock, a region may take a whole time slice there. With 5 rounds it takes half an hour; --kernels, --loads and --rounds
make it less.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
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

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "programs"))

from kernels import VARIANTS, Binary, compile_kernels, execute  # noqa: E402

# In tests/conformance, which `kernels` has put on the path.
from building import BuildError  # noqa: E402  # isort: skip

SIZES: dict[str, tuple[int, int]] = {  # size, repetitions; a region takes 10 to 50 us
    "bfs": (400, 60),
    "cg": (100, 40),
    "fft": (14, 600),
    "heat": (128, 200),
    "particles": (20_000, 12_000),
    "pipeline": (16_384, 12_000),
    "stencil": (200, 20),
}
BURNERS = 2
BUSY_SHARE = 8
LIMIT = 60.0  # seconds; a stock run beside burners may all but stop
SIDES = ("stock", "muster")


def say(text: str) -> None:
    print(f"programs: {text}", file=sys.stderr, flush=True)


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
class Bench:
    build: Path
    binaries: dict[str, Binary]
    settings: dict[str, str]  # of both sides
    muster_settings: dict[str, str]
    failures: list[str] = field(default_factory=list)
    lines: dict[tuple[str, str], str] = field(default_factory=dict)  # what the first run printed

    def measure(self, cell: Cell, side: str) -> str:
        """Runs a side of a cell once and returns what to tell of it."""
        if side in cell.late:
            return "too late before"
        environment = self.settings | {"OMP_NUM_THREADS": str(cell.threads)}
        if side == "muster":
            environment |= self.muster_settings | {"LD_PRELOAD": str(self.build / "lib/libmuster.so")}
        outcome = execute(self.binaries[cell.kernel].path, cell.arguments, environment, LIMIT)
        if outcome.status is None:
            cell.late.append(side)
            return f"over {LIMIT:.0f} s"
        seconds = outcome.seconds(cell.kernel)
        expected = self.lines.setdefault((cell.kernel, cell.arguments[1]), outcome.stdout)
        if outcome.status != 0 or seconds is None or outcome.stdout != expected:
            told = f"{outcome.stdout.strip()} {outcome.stderr.strip()[-200:]}"
            self.failures.append(f"{cell.kernel}, {cell.threads} threads, {side}: status {outcome.status}, {told}")
            return "failed"
        cell.seconds[side].append(seconds)
        return f"{seconds:.3f} s"

    def not_preloaded(self, kernel: str, threads: int) -> str | None:
        """Why the preloaded side would be no better than stock; None if all is well."""
        with tempfile.TemporaryDirectory(prefix="muster-programs-") as folder:
            file = Path(folder) / "report.json"
            environment = self.settings | self.muster_settings | {"OMP_NUM_THREADS": str(threads)}
            environment |= {"LD_PRELOAD": str(self.build / "lib/libmuster.so"), "MUSTER_REPORT": str(file)}
            execute(self.binaries[kernel].path, [], environment, LIMIT)
            try:
                report = json.loads(file.read_text())
            except (OSError, ValueError) as error:
                return f"{kernel}: no report: {error}"
        return None if report["active"] else f"{kernel}: Muster is not active: {report['inactive_reason']}"

    @contextlib.contextmanager
    def burners(self, count: int) -> Iterator[None]:
        """CPU burners beside what is inside; ended on every way out, and by themselves if we are killed."""
        started: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(count):
                started.append(subprocess.Popen([self.build / "bin/burner"], stdout=subprocess.DEVNULL))
            if started:
                time.sleep(0.2)  # let the scheduler spread them
            yield
        finally:
            for burner in started:
                burner.kill()
            for burner in started:
                burner.wait()


def run_rounds(bench: Bench, cells: list[Cell], rounds: int) -> None:
    begin = time.monotonic()
    for number in range(rounds):
        for load in dict.fromkeys(cell.load for cell in cells):
            with bench.burners(0 if load == "idle" else BURNERS):
                for cell in (cell for cell in cells if cell.load == load):
                    order = SIDES if number % 2 == 0 else SIDES[::-1]
                    told = {side: bench.measure(cell, side) for side in order}
                    where = f"{cell.load}, {cell.threads} threads, {cell.kernel}"
                    pair = f"stock {told['stock']}, Muster {told['muster']}"
                    say(f"round {number + 1}/{rounds} at {time.monotonic() - begin:.0f} s: {where}: {pair}")


def table(cells: list[Cell]) -> str:
    """A block for each load and number of threads, with the geometric mean of its speed-ups."""
    head = f"{'load':10} {'threads':>7}  {'program':10} {'stock s':>9} {'Muster s':>9} {'faster':>9}"
    lines = [head, "-" * len(head)]
    for group in dict.fromkeys((cell.load, cell.threads) for cell in cells):
        rows = [cell for cell in cells if (cell.load, cell.threads) == group]
        start = f"{group[0]:10} {group[1]:7}"
        for cell in rows:
            stock, muster = (cell.shown(side) for side in SIDES)
            lines.append(f"{start}  {cell.kernel:10} {stock:>9} {muster:>9} {cell.verdict():>9}")
        ratios = [ratio for cell in rows if (ratio := cell.times_faster()) is not None]
        if ratios:
            mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
            name = "mean" if len(ratios) == len(rows) else f"mean of {len(ratios)}"
            lines.append(f"{start}  {name:10} {'':9} {'':9} {f'{mean:.3g} x':>9}")
        lines.append("-" * len(head))
    return "\n".join(lines)


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
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every single figure as JSON")
    return parser.parse_args()


def libomp_to_link() -> Path:
    told = subprocess.check_output(["clang-19", "-print-file-name=libomp.so"], text=True).strip()
    return Path(told).resolve().parent


def end_by_exception(number: int, _frame: object) -> None:
    """So that burners are ended on the way out."""
    raise SystemExit(128 + number)


def main() -> int:
    arguments = parse_arguments()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_by_exception)
    build = arguments.build.resolve()
    for name in ("lib/libmuster.so", "bin/burner"):
        if not (build / name).is_file():
            sys.exit(f"programs: {build / name} is missing; run ./bootstrap build first")
    preference = sorted(VARIANTS, key=lambda variant: variant != arguments.compiler, reverse=True)
    try:
        compiled, _ = compile_kernels(tuple(preference), build / "programs", libomp_to_link())
    except BuildError as error:
        sys.exit(f"programs: {error}")
    binaries = {binary.kernel: binary for binary in compiled}  # the preferred one is the last
    chosen = [kernel for kernel in arguments.kernels if kernel in binaries]
    for kernel in set(arguments.kernels) - set(chosen):
        say(f"{kernel} is left out: no compiler for it is installed")

    cpus = len(os.sched_getaffinity(0))
    settings = {"LD_LIBRARY_PATH": str(arguments.runtime.resolve())} if arguments.runtime else {}
    bench = Bench(build, binaries, settings, dict(arguments.set))
    if problems := list(filter(None, (bench.not_preloaded(kernel, cpus) for kernel in chosen))):
        sys.exit("programs: " + "; ".join(problems))
    if os.getloadavg()[0] > 0.5:
        say(f"the load of this machine is {os.getloadavg()[0]:.1f} already: 'idle' will not be idle")
    cells = []
    for load in arguments.loads:
        for threads in arguments.threads or [cpus, 2 * cpus]:
            for kernel in chosen:
                size, repetitions = SIZES[kernel]
                words = [str(size), str(repetitions if load == "idle" else max(1, repetitions // BUSY_SHARE))]
                cells.append(Cell("idle" if load == "idle" else f"{BURNERS} burners", threads, kernel, words))
    run_rounds(bench, cells, arguments.rounds)

    print(table(cells))
    print(f"{cpus} CPUs, medians of {arguments.rounds} rounds; faster: how many times Muster is; below 1, slower.")
    for failure in bench.failures:
        say(f"FAILED {failure}")
    if arguments.json:
        raw = {"cpus": cpus, "rounds": arguments.rounds, "limit_s": LIMIT, "muster": dict(arguments.set)}
        raw |= {"failures": bench.failures, "cells": [asdict(cell) for cell in cells]}
        arguments.json.write_text(json.dumps(raw, indent=2) + "\n")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
