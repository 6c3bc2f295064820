#!/usr/bin/env python3
"""Copies of a program side by side, in several settings: the rate of all copies together, and the slowest over the
fastest.

    campaigns/copies.py --copies 2,3,4 --threads 2 --work 0,10,100 --settings libomp,libomp-passive,auto,block
    campaigns/copies.py --threads 4 --hogs 2 --library before=OTHER/lib/libmuster.so --settings auto,auto@before

Where --work has several numbers with a + between them, copies take them in rotation: some programs are fine-grained and
some are coarse. Then the share shown is the least CPU time of a copy over the most, and each work has a rate.

A setting is libomp, libgomp, either with -passive (OMP_WAIT_POLICY=passive), or Muster's [BARRIER/]WAIT, with +turns
for MUSTER_TURNS=auto and @NAME for another library, which --library names. Prints a line for each cell: iterations/s,
median [least-most] of interleaved rounds, and the median of slowest / fastest. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab import results  # noqa: E402
from lab.bench import HOG, Bench  # noqa: E402
from lab.statistics import interleave, spread  # noqa: E402

# In Muster's report.
REPLACED = {
    "barrier": re.compile(r"^  barriers +[1-9]\d* arrivals replaced", re.MULTILINE),
    "parallel_for": re.compile(r"^  fork and join .*: [1-9]\d* regions folded", re.MULTILINE),
}
STOCK = ("libomp", "libomp-passive", "libgomp", "libgomp-passive")
PROGRAMS = tuple(REPLACED)
TURNS = "+turns"


class Cell(NamedTuple):
    program: str
    copies: int
    threads: int
    work: str  # us; several: the copies' in rotation
    setting: str

    def works(self) -> list[str]:
        """Of each copy."""
        return list(itertools.islice(itertools.cycle(self.work.split("+")), self.copies))

    @property
    def is_mixed(self) -> bool:
        return "+" in self.work


class Copies:
    def __init__(self, bench: Bench, arguments: argparse.Namespace) -> None:
        self.bench = bench
        self.seconds: float = arguments.seconds
        self.margin: float = arguments.margin
        # Slowest / fastest, of each round; if mixed, by CPU time.
        self.evenness: dict[Cell, list[float]] = defaultdict(list)
        self.rates: dict[tuple[Cell, str], list[float]] = defaultdict(list)  # of the copies with that work
        self.libraries = {"": bench.library}
        for given in arguments.library:
            name, _, path = given.partition("=")
            self.libraries[name] = Path(path).resolve()
        for path in self.libraries.values():
            if not path.is_file():
                sys.exit(f"copies.py: {path}: there is no such library")

    def start(self, cell: Cell, work: str) -> subprocess.Popen[str]:
        words = ["--threads", str(cell.threads), "--interval", work, "--format", "json"]
        words += ["--seconds", str(self.seconds), "--margin", str(self.margin)]
        program = cell.program + ("-gomp" if cell.setting.startswith("libgomp") else "")
        if cell.setting in STOCK:
            passive = {"OMP_WAIT_POLICY": "passive"} if cell.setting.endswith("-passive") else {}
            return self.bench.start(program, words, **passive)
        options, _, library = cell.setting.partition("@")
        barrier, slash, wait = options.removesuffix(TURNS).rpartition("/")
        if library not in self.libraries:
            sys.exit(f"copies.py: {cell.setting}: no --library {library}=FILE")
        # With a report on stderr, also the line for a value that Muster does not know.
        settings = {"MUSTER_WAIT": wait, "MUSTER_REPORT": "stderr"} | ({"MUSTER_BARRIER": barrier} if slash else {})
        if options.endswith(TURNS):
            settings["MUSTER_TURNS"] = "auto"
        return self.bench.start(program, words, self.libraries[library], **settings)

    def rate(self, cell: Cell) -> float:
        """Iterations per second of all copies together."""
        running = [self.start(cell, work) for work in cell.works()]
        rates = []
        cpu_times = []
        for run in running:
            text, errors, cpu_time = ended(run)
            cpu_times.append(cpu_time)
            if run.returncode != 0 or "bad value" in errors:
                sys.exit(f"copies.py: {cell.setting}: exit status {run.returncode}: {errors.strip()}")
            if cell.setting not in STOCK and not REPLACED[cell.program].search(errors):
                sys.exit(f"copies.py: {cell.setting}: Muster replaced nothing, by its report")
            rates.append(float(json.loads(text)["iterations_per_s"]))
        for work in set(cell.works()):
            found = [rate for rate, its in zip(rates, cell.works(), strict=True) if its == work]
            self.rates[cell, work].append(sum(found))
        compared = cpu_times if cell.is_mixed else rates
        self.evenness[cell].append(min(compared) / max(compared))
        return sum(rates)

    def shown(self, cell: Cell) -> str:
        """The rate, for each work; how even the copies were."""
        parts = [spread(self.rates[cell, work]) for work in dict.fromkeys(cell.works())]
        text = " + ".join(f"{of.median:,.0f} [{of.low:,.0f}-{of.high:,.0f}]" for of in parts if of)
        return text + (f", {statistics.median(self.evenness[cell]):.2f}" if cell.copies > 1 else "")


def ended(run: subprocess.Popen[str]) -> tuple[str, str, float]:
    """Output, errors, and the seconds of CPU time."""
    assert run.stdout is not None and run.stderr is not None
    with run.stdout, run.stderr:
        text, errors = run.stdout.read(), run.stderr.read()
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    return text, errors, usage.ru_utime + usage.ru_stime


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def words(text: str) -> list[str]:
    return text.split(",")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"), help="where the programs are")
    parser.add_argument("--library", action="append", default=[], metavar="NAME=FILE", help="another libmuster.so")
    parser.add_argument("--programs", type=words, default=["barrier"], help=f"of {','.join(PROGRAMS)}")
    parser.add_argument("--copies", type=numbers, default=[1])
    parser.add_argument("--threads", type=numbers, default=[2], help="of each copy")
    parser.add_argument(
        "--work", type=words, default=["0", "10", "100"], help="us before the barriers of an iteration: 0,10,10+100"
    )
    parser.add_argument("--settings", type=words, default=["libomp", "libomp-passive", "auto"])
    parser.add_argument("--hogs", "--burners", type=int, default=0, help="CPU hogs beside all of them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.6, help="of each run that are measured")
    parser.add_argument("--margin", type=float, default=0.4, help="seconds that each runs before and after them")
    results.add_option(parser)
    arguments = parser.parse_args()
    for program in arguments.programs:
        if program not in PROGRAMS:
            parser.error(f"argument --programs: there is no '{program}', but {', '.join(PROGRAMS)}")
    names = [program + suffix for program in arguments.programs for suffix in ("", "-gomp")]
    bench = Bench(arguments.bin.parent, (*names, HOG))
    copied = Copies(bench, arguments)
    rows = []
    with bench.hogs(arguments.hogs):
        for program, threads, work, copies in itertools.product(
            arguments.programs, arguments.threads, arguments.work, arguments.copies
        ):
            cells = [Cell(program, copies, threads, work, setting) for setting in arguments.settings]
            interleave(arguments.rounds, cells, copied.rate)
            shown = {cell.setting: copied.shown(cell) for cell in cells}
            where = f"{program}, {copies} x {threads} threads, {work} us"
            print(f"{where}: {'  '.join(f'{setting} {rates}' for setting, rates in shown.items())}", flush=True)
            rows.append([where, *(shown.get(setting, "-") for setting in arguments.settings)])
    if arguments.json:
        notes = [
            f"Iterations or regions a second of all copies: median [least-most] of {arguments.rounds} rounds; slowest"
            " / fastest copy. Works with a + have a rate each, and the least CPU time of a copy over the most."
        ]
        table = results.table_of_words(["program, copies, work", *arguments.settings], rows, "", notes)
        results.leave(arguments.json, "Copies of a program side by side", [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
