#!/usr/bin/env python3
"""syncbench on an idle machine, stock against preloaded: does folding gain what its bars require?

A process for each construct, stock and preloaded interleaved; medians over the rounds of the median overheads, and
their ratios, with confidence intervals, against the bars. Exit status 1 where one is missed. Needs scipy.

    campaigns/fork_join_bars.py [--bin build/release/bin] [--runtime build/runtimes/libomp19] [--rounds 15]
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import paired_runs  # noqa: E402

from lab import results  # noqa: E402
from lab.bench import Bench  # noqa: E402
from lab.statistics import interleave, ratio  # noqa: E402
from lab.tables import table  # noqa: E402

# The largest ratio of the preloaded overhead to stock's; by the runtime's folder where it matters. Debian's libomp
# formats a line of text in each static loop (docs/results/notes), a cost that no barrier can avoid.
BARS: dict[str, float | dict[str, float] | None] = {
    "PARALLEL": 0.5,
    "PARALLEL_FOR": {"libomp21": 0.5, "libomp19": 0.75},
    "REDUCTION": 0.6,
    "COPYPRIVATE_1": 0.7,
    "COPYPRIVATE_729": 0.7,
    "BARRIER": None,
}


class Cell(NamedTuple):
    runtime: Path
    construct: str
    setting: str


def bar_of(construct: str, runtime: Path) -> float | None:
    bar = BARS[construct]
    return bar.get(runtime.name) if isinstance(bar, dict) else bar


def known_constructs(arguments: argparse.Namespace) -> list[str]:
    """The constructs with bars that this syncbench has."""
    text = subprocess.check_output([arguments.bin / "syncbench", "--help"], text=True)
    names = set(text.replace(",", " ").split())
    for construct in BARS:
        if construct not in names:
            print(f"{construct}: this syncbench does not have it")
    return [construct for construct in BARS if construct in names]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    paired_runs.add_options(parser)
    parser.add_argument("--forkjoin", default="auto", choices=("auto", "on", "off"), help="of the preloaded runs")
    parser.add_argument("--repetitions", type=int, default=100, help="timed runs of 1 ms a process")
    arguments = parser.parse_args()
    bench = Bench(arguments.bin.parent, ("syncbench",))
    runtimes = paired_runs.runtimes(arguments.runtime)
    constructs = known_constructs(arguments)
    settings = (paired_runs.STOCK, arguments.forkjoin)

    def measure(cell: Cell) -> float:
        options = ["--measureonly", cell.construct, "--outer-repetitions", str(arguments.repetitions)]
        options += ["--format", "json"]
        text = paired_runs.run(bench, arguments.threads, "syncbench", options, cell.runtime, cell.setting)
        return json.loads(text)["benchmarks"][0]["overhead_us"]["median"]

    cells = [Cell(*parts) for parts in itertools.product(runtimes, constructs, settings)]
    overheads = interleave(arguments.rounds, cells, measure)

    legend = f"overhead in us, {arguments.threads} threads, medians of {arguments.rounds} rounds, preloaded: "
    legend += f"MUSTER_FORKJOIN={arguments.forkjoin}"
    print(legend)
    verdicts = paired_runs.Verdicts()
    rows = []
    for runtime, construct in itertools.product(runtimes, constructs):
        stock, ours = (overheads[Cell(runtime, construct, setting)] for setting in settings)
        found = ratio(ours, stock)
        medians = [f"{statistics.median(side):.3f}" for side in (stock, ours)]
        rows.append([runtime.name, construct, *medians, str(found), verdicts.judge(found, bar_of(construct, runtime))])
    head = ["runtime", "construct", "stock", "Muster", "ratio", "bar"]
    print(table(head, rows, {"runtime", "construct", "bar"}))
    if arguments.json:
        found = results.table_of_words(head, rows, "", [legend])
        results.leave(arguments.json, "Fork and join, stock and Muster", [found])
    return verdicts.conclude()


if __name__ == "__main__":
    raise SystemExit(main())
