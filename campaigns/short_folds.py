#!/usr/bin/env python3
"""The most that folding can lose: folds of R regions, each closed by a call in the serial part.

Runs bin/short_folds stock and preloaded, MUSTER_FORKJOIN=auto and on, interleaved. Each R and closer has its own
process, so that auto learns nothing from another one. Prints medians and ratios with confidence intervals; `auto` may
lose 5 % at most. Exit status 1 where it loses more. Needs scipy.

    campaigns/short_folds.py [--bin build/release/bin] [--runtime build/runtimes/libomp19] [--rounds 15]
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import paired_runs  # noqa: E402

from lab import results  # noqa: E402
from lab.bench import Bench  # noqa: E402
from lab.statistics import interleave, ratio  # noqa: E402
from lab.tables import table  # noqa: E402

LENGTHS = (1, 2, 3, 4, 8, 16, 64)
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
    parser.add_argument("--regions", default=",".join(map(str, LENGTHS)), help="R, comma-separated")
    parser.add_argument("--samples", type=int, default=100, help="timed runs of 1 ms a process")
    arguments = parser.parse_args()
    bench = Bench(arguments.bin.parent, ("short_folds",))
    runtimes = paired_runs.runtimes(arguments.runtime)
    closers = arguments.closers.split(",")
    lengths = [int(regions) for regions in arguments.regions.split(",")]

    def measure(cell: Cell) -> float:
        options = ["--closer", cell.closer, "--regions", str(cell.regions), "--samples", str(arguments.samples)]
        text = paired_runs.run(bench, arguments.threads, "short_folds", options, cell.runtime, cell.setting)
        return json.loads(text)["lengths"][0]["region_us"]["median"]

    cells = [Cell(*parts) for parts in itertools.product(runtimes, closers, lengths, SETTINGS)]
    times = interleave(arguments.rounds, cells, measure)

    legend = f"us per region, {arguments.threads} threads, medians of {arguments.rounds} rounds"
    print(legend)
    verdicts = paired_runs.Verdicts()
    rows = []
    for runtime, closer, regions in itertools.product(runtimes, closers, lengths):
        stock = times[Cell(runtime, closer, regions, paired_runs.STOCK)]
        row = [runtime.name, closer, str(regions), f"{statistics.median(stock):.3f}"]
        for setting, bar in BARS.items():
            values = times[Cell(runtime, closer, regions, setting)]
            found = ratio(values, stock)
            row += [f"{statistics.median(values):.3f}", f"{found}  {verdicts.judge(found, bar)}".rstrip()]
        rows.append(row)
    head = ["runtime", "closer", "R", "stock", "auto", "ratio", "on", "ratio"]
    print(table(head, rows, {"runtime", "closer", "ratio"}))
    if arguments.json:
        found = results.table_of_words(head, rows, "", [legend])
        results.leave(arguments.json, "Programs that close their fold after R regions", [found])
    return verdicts.conclude()


if __name__ == "__main__":
    raise SystemExit(main())
