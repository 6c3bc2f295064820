"""What fork_join_bars.py and short_folds.py share: options, runs on a given libomp, verdicts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lab import results
from lab.bench import Bench
from lab.statistics import Ratio

STOCK = "stock"


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
    results.add_option(parser)


def runtimes(given: list[Path] | None) -> list[Path]:
    """The folders named, or those of the usual ones that exist."""
    folders = given or [Path("build/runtimes") / name for name in ("libomp19", "libomp21")]
    found = [folder.resolve() for folder in folders if (folder / "libomp.so").exists()]
    if not found or (given and len(found) < len(given)):
        raise SystemExit(
            f"no libomp.so in one of: {', '.join(map(str, folders))} (tests/runtimes/fetch.py fetches them)"
        )
    return found


def run(bench: Bench, threads: int, program: str, options: list[str], runtime: Path, setting: str) -> str:
    """The program's output. A setting is STOCK, or a value of MUSTER_FORKJOIN."""
    settings = {"LD_LIBRARY_PATH": str(runtime), "OMP_NUM_THREADS": str(threads)}
    if setting != STOCK:
        settings["MUSTER_FORKJOIN"] = setting
    text = bench.output(program, options, setting != STOCK, **settings)
    if text is None:
        sys.exit(bench.failures[-1])
    if str(runtime) not in text:
        sys.exit(f"{program} did not run on {runtime}")
    return text


class Verdicts:
    """Counts the bars that were missed and those that are undecided."""

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
        """Prints how many were missed; returns the exit status."""
        print(f"{self.missed} bars were missed" if self.missed else "no bar was missed")
        if self.undecided > 0:
            print(f"{self.undecided} are undecided: use more --rounds or an idle machine")
        return int(self.missed > 0)
