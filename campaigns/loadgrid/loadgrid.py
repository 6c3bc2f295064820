"""Measures programs with every waiting policy, beside every load, and compares the results with what is required.

Results go to a folder: runs.csv (a line for each run, as soon as it ends), summary.csv and summary.txt. Started again
with the same folder, it continues. loadgrid-plot FOLDER draws the heat map, or the curves of --curve.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import secrets
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cells as grid
import curve
import settings as waiting
import tables
from cells import QUOTA, Cell
from record import Record, RecordError, common, read_seed
from running import OK, Runner
from settings import Setting, Unavailable
from summary import Summary
from version import VERSION

from lab import results
from lab.bench import HOG, warn_if_busy
from lab.machine import has_autogroups
from lab.progress import Progress
from lab.quota import Quota, make_quota
from lab.runs import exit_by_exception

QUICK_SECONDS, QUICK_REPETITIONS, QUICK_LIMIT, QUICK_TOTAL = 0.25, 3, 4.0, 165.0
FULL_SECONDS, FULL_REPETITIONS, FULL_LIMIT = 0.5, 5, 15.0
CURVE_SECONDS = curve.TIMES_S[-1]


def say(text: str) -> None:
    print(f"loadgrid: {text}", file=sys.stderr, flush=True)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        say(message)
        raise SystemExit(2)


def numbers(least: float, whole: bool = True) -> Callable[[str], list]:
    def convert(text: str) -> list:
        values = [(int if whole else float)(word) for word in text.split(",")]
        if not all(math.isfinite(value) and value >= least for value in values):
            raise ValueError
        return list(dict.fromkeys(values))

    convert.__name__ = "list of numbers"
    return convert


def above_zero(text: str) -> float:
    value = float(text)
    if not (0 < value < 86400):
        raise ValueError
    return value


def count(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def words(text: str) -> list[str]:
    return list(dict.fromkeys(text.split(",")))


def variant(text: str) -> tuple[str, Path]:
    name, equals, library = text.partition("=")
    if not (name and equals and library):
        raise ValueError
    return name, Path(library).resolve()


def parse(arguments: list[str] | None, here: Path) -> argparse.Namespace:
    parser = Parser(
        prog="loadgrid", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", action="store_true", help="a covering part of the grid, within three minutes")
    mode.add_argument("--full", action="store_true", help="all of it: hours; may be interrupted and started again")
    parser.add_argument(
        "--curve", action="store_true",
        help="record how far a program is 20 ms to 5 s (at most --seconds) after its first iteration began",
    )
    parser.add_argument("--programs", type=words, metavar="LIST", help=f"of {','.join(grid.PROGRAMS)}")
    parser.add_argument("--threads", type=numbers(1), metavar="LIST", help="team sizes (2,4,8)")
    parser.add_argument("--loads", type=words, metavar="LIST", help=f"kinds, of {','.join(grid.LOAD_KINDS)}")
    parser.add_argument(
        "--hogs", "--burners", type=numbers(0), metavar="LIST", help="CPU hogs (0,1,2,4); no other load then"
    )
    parser.add_argument("--work", type=numbers(0, whole=False), metavar="LIST", help="microseconds (0,10,100)")
    parser.add_argument("--settings", type=words, metavar="LIST", help="of those that --list shows")
    parser.add_argument("--list", action="store_true", help="show the settings that exist here, and end")
    of_a_run = f"of a run ({FULL_SECONDS}, quick {QUICK_SECONDS}, curve {CURVE_SECONDS:g})"
    parser.add_argument("--seconds", type=above_zero, help=of_a_run)
    parser.add_argument("--repetitions", type=count, help=f"({FULL_REPETITIONS}, quick at most {QUICK_REPETITIONS})")
    parser.add_argument("--limit", type=above_zero, help="seconds after which a run is ended as failed")
    parser.add_argument("--seed", type=int, help="of the order of settings (drawn, and recorded)")
    parser.add_argument("--output", type=Path, help="folder of the results (loadgrid-quick, -full or -curve)")
    results.add_option(parser)
    parser.add_argument("--bin", type=Path, default=here, help="where the programs are (where loadgrid is)")
    parser.add_argument("--library", type=Path, help="what is preloaded (BIN/../lib/libmuster.so)")
    parser.add_argument(
        "--variant", type=variant, action="append", default=[], metavar="NAME=LIBRARY",
        help="another build of the library, measured as the setting auto-NAME (to be repeated)",
    )
    parser.add_argument("--runtimes", type=Path, help="what tests/runtimes/fetch.py left (BIN/../../runtimes)")
    parser.add_argument(
        "--libomp", default=waiting.DEFAULT_LIBOMP, help=f"which of them is libomp ({waiting.DEFAULT_LIBOMP})"
    )
    parser.add_argument(
        "--libgomp", dest="libomp", action="store_const", const=waiting.LIBGOMP,
        help="preload into the programs linked with libgomp, and compare with libgomp's own settings only",
    )
    options = parser.parse_args(arguments)
    filters = ("programs", "threads", "loads", "hogs", "work", "settings")
    if not (options.quick or options.full or options.list or any(getattr(options, name) for name in filters)):
        parser.error("use --quick, --full, or options for a part of the grid; see --help")
    for name, known in (("programs", grid.PROGRAMS), ("loads", grid.LOAD_KINDS)):
        for word in getattr(options, name) or []:
            if word not in known:
                parser.error(f"argument --{name}: there is no '{word}', but {', '.join(known)}")
    options.bin = options.bin.resolve()
    options.library = (options.library or options.bin.parent / "lib" / "libmuster.so").resolve()
    options.runtimes = (options.runtimes or options.bin.parent.parent / "runtimes").resolve()
    options.output = options.output or Path(
        "loadgrid-curve" if options.curve else "loadgrid-quick" if options.quick else "loadgrid-full"
    )
    by_default = QUICK_SECONDS if options.quick else CURVE_SECONDS if options.curve else FULL_SECONDS
    options.seconds = options.seconds or by_default
    options.times = [time for time in curve.TIMES_S if time <= options.seconds] if options.curve else []
    if options.curve and not options.times:
        parser.error(f"argument --seconds: a curve begins at {curve.TIMES_S[0]:g}")
    options.repetitions = options.repetitions or (QUICK_REPETITIONS if options.quick else FULL_REPETITIONS)
    options.limit = options.limit or (QUICK_LIMIT if options.quick else FULL_LIMIT) + 2 * options.seconds
    return options


def chosen_cells(options: argparse.Namespace) -> list[Cell]:
    kinds = options.loads or (["hogs"] if options.hogs else list(grid.LOAD_KINDS))
    if options.quick:
        wanted = grid.loads(kinds, options.hogs or grid.HOGS)
        checks = (("program", options.programs), ("threads", options.threads), ("load", wanted))
        checks += (("work_us", options.work),)
        return [c for c in grid.quick() if all(getattr(c, name) in allowed for name, allowed in checks if allowed)]
    beside = grid.loads(kinds, options.hogs or grid.HOGS)
    return grid.product(
        options.programs or grid.PROGRAMS, options.threads or grid.THREADS, beside, options.work or grid.WORK_US
    )


def chosen_settings(options: argparse.Namespace) -> list[Setting]:
    """Those asked for, else all that exist here. One that is asked for and does not exist here ends the program."""
    available, left_out = waiting.stock(options.runtimes, options.libomp)
    try:
        available += waiting.preloaded(
            options.runtimes, options.libomp, options.library, options.bin / "muster", dict(options.variant)
        )
    except Unavailable as error:
        left_out.append(f"Muster's settings are left out: {error}")
    names = options.settings or (list(waiting.QUICK_SETTINGS) if options.quick else None)
    if not options.settings:
        for line in left_out:
            say(line)
        if options.curve:
            return [setting for setting in available if is_drawn(setting, options)]
        wanted = [setting for setting in available if options.list or setting.kind != waiting.PART_OF_AUTO]
        return [setting for setting in wanted if names is None or setting.name in names]
    by_name = {setting.name: setting for setting in available}
    for name in names or []:
        if name not in by_name:
            raise Unavailable(f"there is no setting '{name}' here, but {', '.join(by_name)}")
    return [by_name[name] for name in names or []]


def is_drawn(setting: Setting, options: argparse.Namespace) -> bool:
    """Of a curve: what a user could choose instead, and what regret is computed from."""
    parts = {waiting.NO_TRIALS, *(f"auto-{name}" for name, _ in options.variant)}
    return setting.kind in (waiting.STOCK, waiting.AUTO) or setting.name in parts


def measure(
    options: argparse.Namespace, record: Record, cells: list[Cell], settings: list[Setting], quota: Quota | None
) -> None:
    """Repetition by repetition, in each every cell, in each every setting in random order."""
    runner = Runner(options.bin, options.seconds, options.limit, quota, options.times)
    plan = []
    for repetition in range(1, options.repetitions + 1):
        for cell in cells:
            order = sorted(settings, key=lambda setting: setting.name)
            random.Random(f"{record.shared['seed']}/{repetition}/{cell}").shuffle(order)
            plan += [(repetition, cell, s) for s in order if (repetition, cell, s.name) not in record.done]
    progress, begun = Progress(), time.monotonic()
    for number, (repetition, cell, setting) in enumerate(plan):
        if options.quick and time.monotonic() - begun > QUICK_TOTAL - options.limit:
            progress.clear()
            say(f"time is up: {len(plan) - number} runs are left out; start it again to continue")
            return
        progress(number / len(plan), f"{number} of {len(plan)} runs; repetition {repetition}: {cell}")
        # The same for all settings of a cell, which are compared with each other.
        phase = random.Random(f"{record.shared['seed']}/{repetition}/{cell}/phase").random()
        outcome = runner.run(cell, setting, phase)
        if outcome.status != OK:
            say(f"{setting.name}: {cell}: {outcome.status}")
        record.add(repetition, cell, setting.name, setting.kind, outcome)
    progress.clear()
    say(f"{len(plan)} runs in {time.monotonic() - begun:.0f} s; {record.file} has {len(record.runs)}")


def write_summary(options: argparse.Namespace, record: Record) -> None:
    summary = Summary(record.runs)
    (options.output / "summary.csv").write_text(tables.summary_csv(summary))
    curves = curve.Curves(record.runs)
    text = curve.text(curves, record.shared) if options.curve else tables.text(summary, record.shared)
    (options.output / "summary.txt").write_text(text)
    if options.json is not None and options.curve:
        curve.leave(options.json, curves, record.shared)
    elif options.json is not None:
        tables.leave(options.json, summary, record.shared)
    print(text)


def run(options: argparse.Namespace) -> None:
    settings = chosen_settings(options)
    if options.list:
        print("\n".join(f"{setting.name:16} {setting.kind}" for setting in settings))
        return
    cells = chosen_cells(options)
    for name in {cell.program + setting.suffix for cell in cells for setting in settings} | {HOG}:
        if not os.access(options.bin / name, os.X_OK):
            raise Unavailable(f"{options.bin / name} is missing")
    quota = None
    if any(cell.load == QUOTA for cell in cells):
        try:
            quota = make_quota()
            say(f"quota: cgroup {quota.version}")
        except OSError as error:
            say(f"the cells with a quota are skipped: cannot create a cgroup with a CPU quota ({error})")
            cells = [cell for cell in cells if cell.load != QUOTA]
    if any(cell.own_session for cell in cells) and not has_autogroups():
        say("the cells with hogs of another session are skipped: this kernel does not group threads by session")
        cells = [cell for cell in cells if not cell.own_session]
    try:
        if not cells or not settings:
            raise Unavailable("nothing to measure: no cell or no setting is left")
        options.output.mkdir(parents=True, exist_ok=True)
        file = options.output / "runs.csv"
        seed = options.seed if options.seed is not None else read_seed(file)
        seed = secrets.randbelow(1_000_000) if seed is None else seed
        seconds = ",".join(f"{time:g}" for time in options.times or [options.seconds])
        record = Record(file, common(VERSION, options.library, options.libomp, seed, seconds))
        warn_if_busy("loadgrid")
        try:
            measure(options, record, cells, settings, quota)
        finally:
            if record.runs:
                write_summary(options, record)
    finally:
        if quota is not None:
            quota.close()


def main(arguments: list[str] | None = None) -> int:
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, exit_by_exception)
    options = parse(arguments, Path(sys.argv[0]).resolve().parent)
    try:
        run(options)
    except (Unavailable, RecordError, OSError) as error:
        say(str(error))
        return 1
    return 0


def command() -> None:
    sys.exit(main())
