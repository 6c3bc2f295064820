#!/usr/bin/env python3
"""Copies of the BARRIER program side by side, in several settings: the rate of all copies together.

    benchmarks/copies.py --copies 2,3,4 --threads 2 --work 0,10,100 --settings libomp,libomp-passive,auto,block
    benchmarks/copies.py --threads 4 --burners 2 --library before=OTHER/lib/libmuster.so --settings auto,auto@before

A setting is libomp, libgomp, either with -passive (OMP_WAIT_POLICY), or what Muster is told: [BARRIER/]WAIT, with @NAME
by another library that --library names. Prints a line a cell: iterations/s, median [least-most] of interleaved rounds.
Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from paired_runs import CLEARED, interleave

# In Muster's report.
REPLACED = re.compile(r"^  barriers +[1-9]\d* arrivals replaced", re.MULTILINE)
STOCK = ("libomp", "libomp-passive", "libgomp", "libgomp-passive")


class Cell(NamedTuple):
    copies: int
    threads: int
    work_us: int
    setting: str


class Bench:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.bin: Path = arguments.bin.resolve()
        self.seconds: float = arguments.seconds
        self.margin: float = arguments.margin
        self.libraries = {"": self.bin.parent / "lib" / "libmuster.so"}
        for given in arguments.library:
            name, _, path = given.partition("=")
            self.libraries[name] = Path(path).resolve()
        for path in self.libraries.values():
            if not path.is_file():
                sys.exit(f"copies.py: {path}: there is no such library")

    def environment(self, setting: str) -> dict[str, str]:
        out = {name: value for name, value in os.environ.items() if not name.startswith(CLEARED)}
        if setting in STOCK:
            return out | ({"OMP_WAIT_POLICY": "passive"} if setting.endswith("-passive") else {})
        told, _, library = setting.partition("@")
        barrier, slash, wait = told.rpartition("/")
        if library not in self.libraries:
            sys.exit(f"copies.py: {setting}: no --library {library}=FILE")
        if slash:
            out["MUSTER_BARRIER"] = barrier
        # A value that Muster does not know is told on stderr, and would be measured under a wrong name.
        return out | {"LD_PRELOAD": str(self.libraries[library]), "MUSTER_WAIT": wait, "MUSTER_REPORT": "stderr"}

    def rate(self, cell: Cell) -> float:
        program = self.bin / ("barrier-gomp" if cell.setting.startswith("libgomp") else "barrier")
        words = ["--threads", str(cell.threads), "--interval", str(cell.work_us), "--format", "json"]
        words += ["--seconds", str(self.seconds), "--margin", str(self.margin)]
        runs = [
            subprocess.Popen(
                [program, *words],
                env=self.environment(cell.setting),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(cell.copies)
        ]
        total = 0.0
        for run in runs:
            text, told = run.communicate()
            if run.returncode != 0 or "bad value" in told:
                sys.exit(f"copies.py: {cell.setting}: exit status {run.returncode}: {told.strip()}")
            if cell.setting not in STOCK and not REPLACED.search(told):
                sys.exit(f"copies.py: {cell.setting}: by its report Muster has replaced no barrier")
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
    parser.add_argument("--burners", type=int, default=0, help="beside all of them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.6, help="that count, of each run")
    parser.add_argument("--margin", type=float, default=0.4, help="seconds that each runs on before and after")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    burners = [subprocess.Popen([bench.bin / "burner"]) for _ in range(arguments.burners)]
    try:
        for threads in arguments.threads:
            for work in arguments.work:
                for copies in arguments.copies:
                    cells = [Cell(copies, threads, work, setting) for setting in arguments.settings]
                    found = interleave(arguments.rounds, cells, bench.rate)
                    shown = [
                        f"{cell.setting} {statistics.median(of):,.0f} [{min(of):,.0f}-{max(of):,.0f}]"
                        for cell, of in found.items()
                    ]
                    print(f"{copies} x {threads} threads, {work} us: {'  '.join(shown)}", flush=True)
    finally:
        for burner in burners:
            burner.kill()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
