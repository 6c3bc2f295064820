"""What the benchmarks that compare stock and preloaded runs share: environments, interleaved rounds, medians."""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import NamedTuple, TypeVar

# What would change a run behind our back.
CLEARED = ("OMP_", "KMP_", "GOMP_", "MUSTER", "LD_PRELOAD", "LD_LIBRARY_PATH")
STOCK = "stock"

Cell = TypeVar("Cell", bound=Hashable)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"), help="where the programs are")
    parser.add_argument(
        "--runtime",
        type=Path,
        action="append",
        help="folder with a libomp.so; again for another (build/runtimes/libomp19 and libomp21)",
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)


def runtimes(given: list[Path] | None) -> list[Path]:
    """The folders named, or the usual ones of those that are there."""
    folders = given or [Path("build/runtimes") / name for name in ("libomp19", "libomp21")]
    found = [folder.resolve() for folder in folders if (folder / "libomp.so").exists()]
    if not found or (given and len(found) < len(given)):
        raise SystemExit(f"no libomp.so in one of: {', '.join(map(str, folders))} (tests/runtimes/fetch.py gets some)")
    return found


def run(arguments: argparse.Namespace, program: str, options: list[str], runtime: Path, setting: str) -> str:
    """The program's output. A setting is STOCK, or a value of MUSTER_FORKJOIN."""
    binaries = arguments.bin.resolve()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(CLEARED)}
    environment |= {"LD_LIBRARY_PATH": str(runtime), "OMP_NUM_THREADS": str(arguments.threads)}
    if setting != STOCK:
        environment["LD_PRELOAD"] = str(binaries.parent / "lib" / "libmuster.so")
        environment["MUSTER_FORKJOIN"] = setting
    text = subprocess.check_output([binaries / program, *options], env=environment, text=True)
    if str(runtime) not in text:
        raise SystemExit(f"{program} was not served by {runtime}")
    return text


def interleave(rounds: int, cells: list[Cell], measure: Callable[[Cell], float]) -> dict[Cell, list[float]]:
    """Each cell once a round, in another order each time, so that none has the machine's better hours."""
    values: dict[Cell, list[float]] = {cell: [] for cell in cells}
    for _ in range(rounds):
        for cell in random.sample(cells, len(cells)):
            values[cell].append(measure(cell))
    return values


class Ratio(NamedTuple):
    """Of the medians, with the bounds between which it lies in 19 of 20 cases, as far as the rounds tell: the
    percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3)."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:5.3f} ({self.low:.3f} to {self.high:.3f})"


def ratio(values: list[float], stock: list[float]) -> Ratio:
    chance = random.Random(1)

    def once(above: list[float], below: list[float]) -> float:
        median = statistics.median(below)
        return statistics.median(above) / median if median > 0 else float("inf")

    def again(sample: list[float]) -> list[float]:
        return chance.choices(sample, k=len(sample))

    drawn = sorted(once(again(values), again(stock)) for _ in range(2000))
    return Ratio(once(values, stock), drawn[49], drawn[1949])


class Verdicts:
    """Counts what became of the bars."""

    def __init__(self) -> None:
        self.missed = 0
        self.undecided = 0

    def judge(self, found: Ratio, bar: float | None) -> str:
        if bar is None:
            return ""
        if found.high <= bar:
            word = "held"
        elif found.low > bar:
            word = "MISSED"
            self.missed += 1
        else:
            word = "undecided"
            self.undecided += 1
        return f"bar {bar:.2f}  {word}"

    def conclude(self) -> int:
        """Says how it went; the exit status."""
        print(f"{self.missed} bars were missed" if self.missed else "no bar was missed")
        if self.undecided > 0:
            print(f"{self.undecided} are undecided: more --rounds, or an idle machine, would tell")
        return int(self.missed > 0)
