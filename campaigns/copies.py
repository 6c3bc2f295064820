#!/usr/bin/env python3
"""Copies of the BARRIER program side by side, in several settings: the rate of all copies together.

    campaigns/copies.py --copies 2,3,4 --threads 2 --work 0,10,100 --settings libomp,libomp-passive,auto,block
    campaigns/copies.py --threads 4 --hogs 2 --library before=OTHER/lib/libmuster.so --settings auto,auto@before

A setting is libomp, libgomp, either with -passive (OMP_WAIT_POLICY=passive), or Muster's [BARRIER/]WAIT, with @NAME for
another library, which --library names. Prints a line for each cell: iterations/s, median [least-most] of interleaved
rounds. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab import results  # noqa: E402
from lab.bench import HOG, Bench  # noqa: E402
from lab.statistics import interleave, spread  # noqa: E402

# In Muster's report.
REPLACED = re.compile(r"^  barriers +[1-9]\d* arrivals replaced", re.MULTILINE)
STOCK = ("libomp", "libomp-passive", "libgomp", "libgomp-passive")


class Cell(NamedTuple):
    copies: int
    threads: int
    work_us: int
    setting: str


class Copies:
    def __init__(self, bench: Bench, arguments: argparse.Namespace) -> None:
        self.bench = bench
        self.seconds: float = arguments.seconds
        self.margin: float = arguments.margin
        self.libraries = {"": bench.library}
        for given in arguments.library:
            name, _, path = given.partition("=")
            self.libraries[name] = Path(path).resolve()
        for path in self.libraries.values():
            if not path.is_file():
                sys.exit(f"copies.py: {path}: there is no such library")

    def start(self, cell: Cell) -> subprocess.Popen[str]:
        words = ["--threads", str(cell.threads), "--interval", str(cell.work_us), "--format", "json"]
        words += ["--seconds", str(self.seconds), "--margin", str(self.margin)]
        program = "barrier-gomp" if cell.setting.startswith("libgomp") else "barrier"
        if cell.setting in STOCK:
            passive = {"OMP_WAIT_POLICY": "passive"} if cell.setting.endswith("-passive") else {}
            return self.bench.start(program, words, **passive)
        options, _, library = cell.setting.partition("@")
        barrier, slash, wait = options.rpartition("/")
        if library not in self.libraries:
            sys.exit(f"copies.py: {cell.setting}: no --library {library}=FILE")
        # With a report on stderr, also the line for a value that Muster does not know.
        settings = {"MUSTER_WAIT": wait, "MUSTER_REPORT": "stderr"} | ({"MUSTER_BARRIER": barrier} if slash else {})
        return self.bench.start(program, words, self.libraries[library], **settings)

    def rate(self, cell: Cell) -> float:
        """Iterations per second of all copies together."""
        running = [self.start(cell) for _ in range(cell.copies)]
        total = 0.0
        for run in running:
            text, errors = run.communicate()
            if run.returncode != 0 or "bad value" in errors:
                sys.exit(f"copies.py: {cell.setting}: exit status {run.returncode}: {errors.strip()}")
            if cell.setting not in STOCK and not REPLACED.search(errors):
                sys.exit(f"copies.py: {cell.setting}: Muster replaced no barrier, by its report")
            total += float(json.loads(text)["iterations_per_s"])
        return total


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"), help="where the programs are")
    parser.add_argument("--library", action="append", default=[], metavar="NAME=FILE", help="another libmuster.so")
    parser.add_argument("--copies", type=numbers, default=[1])
    parser.add_argument("--threads", type=numbers, default=[2], help="of each copy")
    parser.add_argument("--work", type=numbers, default=[0, 10, 100], help="us before the barriers of an iteration")
    parser.add_argument("--settings", type=lambda text: text.split(","), default=["libomp", "libomp-passive", "auto"])
    parser.add_argument("--hogs", "--burners", type=int, default=0, help="CPU hogs beside all of them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.6, help="of each run that are measured")
    parser.add_argument("--margin", type=float, default=0.4, help="seconds that each runs before and after them")
    results.add_option(parser)
    arguments = parser.parse_args()
    bench = Bench(arguments.bin.parent, ("barrier", "barrier-gomp", HOG))
    rate = Copies(bench, arguments).rate
    rows = []
    with bench.hogs(arguments.hogs):
        for threads, work, copies in itertools.product(arguments.threads, arguments.work, arguments.copies):
            cells = [Cell(copies, threads, work, setting) for setting in arguments.settings]
            found = {cell: spread(of) for cell, of in interleave(arguments.rounds, cells, rate).items()}
            shown = {
                cell.setting: f"{of.median:,.0f} [{of.low:,.0f}-{of.high:,.0f}]" for cell, of in found.items() if of
            }
            where = f"{copies} x {threads} threads, {work} us"
            print(f"{where}: {'  '.join(f'{setting} {rates}' for setting, rates in shown.items())}", flush=True)
            rows.append([where, *(shown.get(setting, "-") for setting in arguments.settings)])
    if arguments.json:
        notes = [f"Iterations/s of all copies: median [least-most] of {arguments.rounds} rounds."]
        table = results.table_of_words(["copies, work", *arguments.settings], rows, "", notes)
        results.leave(arguments.json, "Copies of the BARRIER program side by side", [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
