"""What the benchmarks that compare stock and preloaded runs share: environments, interleaved rounds, medians."""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar

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


def ratio(values: list[float], stock: list[float]) -> float:
    below = statistics.median(stock)
    return statistics.median(values) / below if below > 0 else float("inf")


def is_noisy(*samples: list[float]) -> bool:
    """Whether the rounds of one of these disagree: their middle half is wider than a quarter of the median."""
    for values in samples:
        if len(values) < 2:
            return True
        first, _, third = statistics.quantiles(values, n=4)
        if third - first > abs(statistics.median(values)) / 4:
            return True
    return False


def conclude(missed: int, noisy: int) -> int:
    """Says how it went; the exit status. What is noisy proves nothing, held or missed."""
    print("every bar was held" if missed == 0 else f"{missed} bars were missed")
    if noisy > 0:
        print(f"{noisy} lines are noisy and prove nothing: measure on an idle machine")
    return int(missed > 0)


def verdict(found: float, bar: float | None) -> str:
    if bar is None:
        return ""
    return f"bar {bar:.2f}  {'held' if found <= bar else 'MISSED'}"
