#!/usr/bin/env python3
"""What folding loses at its worst: R regions, then something that closes the fold, and again.

Runs worst_rhythm stock and preloaded, MUSTER_FORKJOIN=auto and on, interleaved, each R and closer in a process of its
own, so that auto learns nothing from the rhythm before. Prints medians and ratios; `auto` may lose 5 % at most. Exit
status 1 where it loses more.

    benchmarks/worst_rhythm.py [--bin build/release/bin] [--runtime build/runtimes/libomp19] [--rounds 15]
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
from pathlib import Path
from typing import NamedTuple

import paired_runs

RHYTHMS = (1, 2, 3, 4, 8, 16, 64)
CLOSERS = ("setter", "getter", "serialized")
SETTINGS = (paired_runs.STOCK, "auto", "on")
BARS = {"auto": 1.05, "on": None}


class Cell(NamedTuple):
    runtime: Path
    closer: str
    regions: int
    setting: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    paired_runs.add_options(parser)
    parser.add_argument("--closers", default=",".join(CLOSERS), help="of none, setter, getter, serialized")
    parser.add_argument("--regions", default=",".join(map(str, RHYTHMS)), help="R, comma-separated")
    parser.add_argument("--samples", type=int, default=100, help="timed runs of 1 ms a process")
    arguments = parser.parse_args()
    runtimes = paired_runs.runtimes(arguments.runtime)
    closers = arguments.closers.split(",")
    rhythms = [int(regions) for regions in arguments.regions.split(",")]

    def measure(cell: Cell) -> float:
        options = ["--closer", cell.closer, "--regions", str(cell.regions), "--samples", str(arguments.samples)]
        text = paired_runs.run(arguments, "worst_rhythm", options, cell.runtime, cell.setting)
        return json.loads(text)["rhythms"][0]["region_us"]["median"]

    cells = [Cell(*parts) for parts in itertools.product(runtimes, closers, rhythms, SETTINGS)]
    times = paired_runs.interleave(arguments.rounds, cells, measure)

    print(f"us a region, {arguments.threads} threads, medians of {arguments.rounds} rounds")
    print(f"{'runtime':10} {'closer':11} {'R':>3}  {'stock':>7}  {'auto':>7}  {'ratio':38}  {'on':>7}  ratio")
    verdicts = paired_runs.Verdicts()
    for runtime, closer, regions in itertools.product(runtimes, closers, rhythms):
        stock = times[Cell(runtime, closer, regions, paired_runs.STOCK)]
        line = f"{runtime.name:10} {closer:11} {regions:3}  {statistics.median(stock):7.3f}"
        for setting, bar in BARS.items():
            values = times[Cell(runtime, closer, regions, setting)]
            found = paired_runs.ratio(values, stock)
            told = f"{found}  {verdicts.judge(found, bar)}"
            line += f"  {statistics.median(values):7.3f}  {told:38}"
        print(line.rstrip())
    return verdicts.conclude()


if __name__ == "__main__":
    raise SystemExit(main())
