#!/usr/bin/env python3
"""Real applications, unmodified, stock (default and passive) and preloaded, idle and loaded: results compared,
speed-ups over the better stock setting in a table.

    ./bootstrap applications                          installs what is missing, then all of it
    campaigns/applications/run.py                         all of it, on what is there
    campaigns/applications/run.py --only gromacs lightgbm --loads idle hogs --repetitions 3
    campaigns/applications/run.py --only gromacs/idle cp2k faiss/twice     these cells
    campaigns/applications/run.py --tables                the tables and the picture of the runs so far
    campaigns/applications/run.py --loads auto            quotas of 1 and 2 CPUs: stock with 2, 4 and 8 threads
                                                          against `muster run --threads auto`
    campaigns/applications/run.py --startup               what preloading costs Python at its start
    campaigns/applications/run.py --list                  the applications

Runs are written into OUTPUT/runs.jsonl as they end, and a further call continues there. The exit code is 1 where a
result was wrong, or a run crashed or did not end (its output and backtraces are in FOLDER/failures).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import picture  # noqa: E402
import startup  # noqa: E402
import tables  # noqa: E402
from recipe import Recipe  # noqa: E402
from recipes import RECIPES  # noqa: E402
from record import Record, RecordError, common  # noqa: E402
from running import (  # noqa: E402
    AUTO_LOADS, LEAST_LIMIT, LOADS, LONGER, NO_END, OK, REPORTED, SETTINGS, STOCK, TIMED, Load, Run, Runner, Setting,
)  # fmt: skip
from setting_up import Unavailable, set_up  # noqa: E402
from verdict import IDLE, Cell, bars, judge  # noqa: E402

from lab import results  # noqa: E402
from lab.campaign import positive  # noqa: E402
from lab.machine import cpus  # noqa: E402
from lab.quota import make_quota  # noqa: E402
from lab.runs import exit_by_exception  # noqa: E402

AUTO = "auto"  # for --loads
USUAL = 3.0  # seconds, until a stock run has been timed
LEGEND = (
    "{cpus} CPUs of {machine}, Linux {kernel}, commit {commit}. Medians of interleaved runs.\n"
    "stock s, stock-passive s (OMP_WAIT_POLICY=passive), Muster s: the work alone of the Python programs, the whole\n"
    "process of the others. of X: how many times faster than X Muster is; single pairs: of the better stock setting.\n"
    "waiting: the part of all threads' time that they waited at barriers."
)


def say(text: str) -> None:
    print(f"applications: {text}", file=sys.stderr, flush=True)


def read_arguments(recipes: Sequence[Recipe]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="applications", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [recipe.name for recipe in recipes]
    loads = [load.name for load in (*LOADS, *AUTO_LOADS)]
    parser.add_argument("--only", nargs="+", metavar="NAME[/LOAD]", help="these applications, or single cells of them")
    parser.add_argument(
        "--loads", nargs="+", choices=[*loads, AUTO], metavar="LOAD",
        help=f"of {', '.join(loads)}; {AUTO}: all {AUTO}-QUOTA-THREADS. By default those without",
    )  # fmt: skip
    parser.add_argument("--repetitions", type=positive, default=5, metavar="N", help="of each cell (5)")
    parser.add_argument("--minutes", type=float, metavar="N", help="begin no run after that")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="of a run (20 times its usual time)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", metavar="DIR", help="(build/release)")
    parser.add_argument("--library", type=Path, metavar="FILE", help="(lib/libmuster.so of the build)")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build/applications", metavar="DIR", help="for venv, inputs and failures"
    )
    parser.add_argument("--output", type=Path, default=Path("applications"), metavar="DIR", help="(applications)")
    parser.add_argument("--fresh", action="store_true", help="forget the runs so far")
    parser.add_argument("--tables", action="store_true", help="show the runs so far and end")
    results.add_option(parser)
    parser.add_argument("--startup", action="store_true", help="measure Python's start only")
    parser.add_argument("--list", action="store_true", help="list the applications and end")
    parser.add_argument("--packages", action="store_true", help="list Debian's packages that are needed and end")
    arguments = parser.parse_args()
    chosen = [
        name
        for word in arguments.loads or [load.name for load in LOADS]
        for name in ([load.name for load in AUTO_LOADS] if word == AUTO else [word])
    ]
    arguments.cells = {cell for word in arguments.only or names for cell in cells_named(parser, word, names, chosen)}
    arguments.library = (arguments.library or arguments.build / "lib/libmuster.so").resolve()
    return arguments


def cells_named(
    parser: argparse.ArgumentParser, word: str, names: Sequence[str], loads: Sequence[str]
) -> list[tuple[str, str]]:
    name, _, load = word.partition("/")
    if name not in names or (load and load not in loads):
        parser.error(f"argument --only: {word} is not one of {', '.join(names)}, or one of them with /LOAD")
    return [(name, one) for one in ([load] if load else loads)]


class Measurement:
    """All rounds of runs: the table is whole, if rough, after the first one."""

    def __init__(self, arguments: argparse.Namespace, recipes: list[Recipe], loads: list[Load], record: Record) -> None:
        self.arguments = arguments
        self.recipes = recipes
        self.loads = loads
        self.record = record
        self.began = time.monotonic()

    def limit(self, recipe: Recipe) -> float:
        if self.arguments.limit:
            return float(self.arguments.limit)
        idle = [run.wall_s for run in self.record.of(recipe.name, IDLE, STOCK[0].name) if run.status == OK]
        return max(LEAST_LIMIT, LONGER * (statistics.median(idle) if idle else USUAL))

    def over(self) -> bool:
        minutes = self.arguments.minutes
        return minutes is not None and time.monotonic() - self.began > 60 * minutes

    def stopped(self, recipe: Recipe, load: Load, setting: Setting) -> bool:
        """Stock would only be stopped again."""
        runs = self.record.of(recipe.name, load.name, setting.name)
        return not setting.preloaded and any(run.status.startswith(NO_END) for run in runs)

    def rounds(self) -> list[tuple[int, Recipe, Load]]:
        return [
            (number, recipe, load)
            for number in range(self.arguments.repetitions)
            for recipe in self.recipes
            for load in self.loads
            if (recipe.name, load.name) in self.arguments.cells
        ]

    def run_all(self, runner: Runner) -> bool:
        """False where time was over before."""
        rounds = self.rounds()
        for index, (number, recipe, load) in enumerate(rounds):
            first = number % len(TIMED)
            reported = (REPORTED,) if number == 0 else ()
            for setting in (*TIMED[first:], *TIMED[:first], *reported):
                done = (recipe.name, load.name, setting.name, number) in self.record.done
                if done or self.stopped(recipe, load, setting):
                    continue
                if self.over():
                    say(f"{self.arguments.minutes:g} minutes are over; a further call continues")
                    return False
                run = runner.run(recipe, load, setting, number, self.limit(recipe))
                self.record.add(run)
                self.show(run, index, len(rounds))
        return True

    def show(self, run: Run, index: int, count: int) -> None:
        minutes = (time.monotonic() - self.began) / 60
        shown = f"{run.seconds:.2f} s" if run.status == OK else run.status
        say(f"{minutes:.1f} min, round {index + 1} of {count}: {run.recipe}, {run.load}, {run.setting}: {shown}")


def cells_of(recipes: Sequence[Recipe], record: Record) -> list[Cell]:
    cells = []
    for recipe in recipes:
        for load in (*LOADS, *AUTO_LOADS):
            runs = {setting.name: record.of(recipe.name, load.name, setting.name) for setting in SETTINGS}
            if any(runs.values()):
                cells.append(judge(recipe, load.name, runs))
    return cells


def leave(path: Path, cells: list[Cell], shared: dict[str, Any]) -> None:
    """A result of the machine and the commit of the runs, which may be older than this call."""
    speed, spent = (
        results.table_of_words(rows[0], rows[1:], title, notes)
        for rows, title, notes in (
            (tables.speed_up_rows(cells), "How much faster", bars(cells)),
            (tables.time_rows(cells), "Where the time goes", ()),
        )
    )
    machine = results.Machine(shared["cpus"], shared["machine"], f"Linux {shared['kernel']}")
    title = "Applications, stock and preloaded"
    results.leave(path, title, [speed, spent], machine=machine, of_commit=shared["commit"])


def show(
    cells: list[Cell], record: Record, unavailable: dict[str, str], output: Path, result: Path | None = None
) -> int:
    shared = record.shared
    if result is not None:
        leave(result, cells, shared)
    text = "\n\n".join(
        [
            tables.speed_ups(cells),
            "\n".join(bars(cells)),
            tables.where_time_goes(cells),
            tables.copies(cells),
            LEGEND.format(**shared),
        ]
    )
    problems = [f"{name} is not available: {reason}" for name, reason in unavailable.items()]
    wrong = [problem for cell in cells for problem in cell.problems]
    text += "".join(f"\n{line}" for line in [*problems, *wrong]) + "\n"
    print(f"\n{text}", end="")
    output.mkdir(parents=True, exist_ok=True)
    (output / "applications.txt").write_text(text)
    (output / "applications.csv").write_text(tables.as_csv(cells))
    try:
        for path in picture.draw(cells, shared, output):
            print(path)
    except ImportError as error:
        say(f"no picture: {error}; install it (Debian: python3-matplotlib, for /usr/bin/python3)")
    for problem in wrong:
        say(f"FAILED: {problem}")
    return 1 if wrong else 0


def available(recipes: list[Recipe], folder: Path) -> tuple[list[Recipe], dict[str, str]]:
    found, unavailable = [], {}
    for recipe in recipes:
        try:
            set_up(recipe, folder)
            found.append(recipe)
        except Unavailable as error:
            unavailable[recipe.name] = str(error)
            say(f"{recipe.name} is not available: {error}")
    return found, unavailable


def measure(arguments: argparse.Namespace, recipes: list[Recipe], loads: list[Load], record: Record) -> bool:
    programs = arguments.build.resolve() / "bin"
    hog, launcher = programs / "burner", programs / "muster"
    with contextlib.ExitStack() as stack:
        quota = None
        if any(load.quota for load in loads):
            try:
                quota = make_quota()
                stack.callback(quota.close)
            except OSError as error:
                say(f"no cgroup with a quota can be made, these runs are left out: {error}")
                loads = [load for load in loads if not load.quota]
        if not loads:
            return True
        runner = Runner(arguments.folder.resolve(), arguments.library, hog, quota, cpus(), launcher)
        return Measurement(arguments, recipes, loads, record).run_all(runner)


def main(recipes: Sequence[Recipe] = RECIPES) -> int:
    arguments = read_arguments(recipes)
    chosen = [recipe for recipe in recipes if recipe.name in {name for name, _ in arguments.cells}]
    loads = [load for load in (*LOADS, *AUTO_LOADS) if load.name in {name for _, name in arguments.cells}]
    if arguments.list:
        for recipe in chosen:
            print(f"{recipe.name:24}{recipe.title}")
        return 0
    if arguments.packages:
        print("\n".join(sorted({package for recipe in chosen for package in recipe.debian})))
        return 0
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, exit_by_exception)
    runs_file = arguments.output / "runs.jsonl"
    versions = {recipe.name: recipe.version() for recipe in recipes}
    try:
        if arguments.tables:
            record = Record(runs_file, None, versions)
            return show(cells_of(chosen, record), record, {}, arguments.output, arguments.json)
        for file in (arguments.library, arguments.build / "bin" / "burner"):
            if not file.is_file():
                raise RecordError(f"{file} is missing; run ./bootstrap build first")
        if arguments.startup:
            available([recipe for recipe in recipes if recipe.pypi], arguments.folder)
            python = arguments.folder / "venv" / "bin" / "python"
            text, good = startup.compare(python, arguments.library, 3 * arguments.repetitions)
            print(text)
            return 0 if good else 1
        if arguments.fresh:
            runs_file.unlink(missing_ok=True)
        record = Record(runs_file, common(arguments.library), versions)
    except (RecordError, RuntimeError, OSError) as error:
        say(str(error))
        return 2
    if os.getloadavg()[0] > 0.5:
        say(f"the load of this machine is {os.getloadavg()[0]:.1f} already: 'idle' will not be idle")
    found, unavailable = available(chosen, arguments.folder)
    try:
        measure(arguments, found, loads, record)
    except KeyboardInterrupt:
        say("interrupted; a further call continues")
        return 130
    return show(cells_of(chosen, record), record, unavailable, arguments.output, arguments.json)


if __name__ == "__main__":
    sys.exit(main())
