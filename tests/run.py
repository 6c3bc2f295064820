#!/usr/bin/env python3
"""Runs tests by name, one after the other; ctest runs the same ones two at a time.

    tests/run.py --list placement                 names that contain a word (a regular expression)
    tests/run.py conformance single libomp19      runs those that contain each of the words
    tests/run.py --library none region-folding    stock against stock: checks the tests themselves
    tests/run.py --full --runtimes build/runtimes 'conformance.*every-barrier'    beyond the gate, on fetched runtimes
    tests/run.py torture --minutes 60 --set seconds=20                            by hand, for so long
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

from driver import ctest  # noqa: E402
from driver.entries import Entry, all_entries, entry_named, load_suite, suite_folders, suite_of  # noqa: E402
from driver.places import ROOT, Places  # noqa: E402
from lab.compilers import BuildError  # noqa: E402
from lab.registrations import remove_stale  # noqa: E402

SKIPPED = 77


def pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD", help="regular expressions: each is in the name")
    parser.add_argument("--exactly", metavar="NAME", help="the one test of this name")
    parser.add_argument("--list", action="store_true", help="print the names, run nothing")
    parser.add_argument("--full", action="store_true", help="those beyond the gate as well")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--library", help="of the suites of whole programs: libmuster.so (default: the build's), or `none`")
    parser.add_argument("--runtimes", type=Path, help="default: BUILD/runtimes, which has the gate's two")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="so many times, until one fails")
    parser.add_argument("--minutes", type=float, default=0, metavar="N", help="again and again, for so long")
    parser.add_argument("--env", action="append", default=[], type=pair, metavar="NAME=VALUE", help="of preloaded runs")
    parser.add_argument("--set", action="append", default=[], type=pair, metavar="NAME=VALUE", help="of a suite")
    parser.add_argument("--write-ctest", type=Path, metavar="FILE", help="write all as ctest reads it")
    return parser.parse_args()


def places_of(arguments: argparse.Namespace) -> Places:
    build = arguments.build.resolve()
    given = arguments.library or build / "lib/libmuster.so"
    library = None if arguments.library == "none" else Path(given).resolve()
    runtimes = (arguments.runtimes or build / "runtimes").resolve()
    return Places(build, library, runtimes, dict(arguments.set), dict(arguments.env))


def command_again(entry: Entry, places: Places) -> str:
    words = ["tests/run.py", "--exactly", entry.name]
    if places.build != ROOT / "build/release":
        words += ["--build", str(places.build)]
    if places.runtimes != places.build / "runtimes":
        words += ["--runtimes", str(places.runtimes)]
    if places.library != places.build / "lib/libmuster.so":
        words += ["--library", str(places.library or "none")]
    words += [word for name, value in places.settings.items() for word in ("--set", f"{name}={value}")]
    return " ".join(words + [word for name, value in places.extra.items() for word in ("--env", f"{name}={value}")])


def run_one(entry: Entry, places: Places) -> int:
    """Its exit status; after a failure a line that repeats it."""
    if entry.command:
        environment = os.environ | entry.environment | {"MUSTER_RUNTIMES": str(places.runtimes)}
        if places.library is None:
            environment["MUSTER_LIBRARY"] = ""
        status = subprocess.run(entry.command, env=environment | places.extra, check=False).returncode
    else:
        try:
            problem = suite_of(entry.name).run(places, entry.name)
        except BuildError as error:
            problem = str(error)
        if problem:
            print(problem, flush=True)
        status = 1 if problem else 0
    if status not in (0, SKIPPED):
        print(f"FAILED {entry.name}\n  again: {command_again(entry, places)}", flush=True)
    return status


def chosen(arguments: argparse.Namespace, places: Places) -> Iterable[Entry]:
    if arguments.exactly:
        return [entry_named(arguments.exactly, places) or sys.exit(f"run.py: no test {arguments.exactly}; see --list")]
    found = [entry for entry in ctest.expanded(all_entries(places)) if entry.matches(arguments.words)]
    return [entry for entry in found if arguments.full or not entry.full]


def for_minutes(minutes: float, entries: list[Entry], words: list[str], places: Places) -> Iterable[Entry]:
    """All again and again; of a suite that draws its runs, new ones."""
    until = time.monotonic() + 60 * minutes
    drawing = [suite for folder in suite_folders() if hasattr(suite := load_suite(folder), "more")]
    drawn = [entry for suite in drawing for entry in suite.entries(places) if entry.matches(words)]
    if drawn:
        endless: Iterable[Entry] = suite_of(drawn[0].name).more(places)
    else:
        endless = itertools.cycle(entries)
    return itertools.takewhile(lambda _: time.monotonic() < until, endless)


def main() -> int:
    arguments = parse_arguments()
    places = places_of(arguments)
    if arguments.write_ctest:
        ctest.write(all_entries(places), places, arguments.write_ctest)
        return 0
    entries = list(chosen(arguments, places))
    if arguments.list:
        print("\n".join(entry.name for entry in entries))
        return 0
    if places.library is not None and not places.library.is_file():
        sys.exit(f"run.py: no library {places.library}; ./bootstrap build makes it")
    work: Iterable[Entry] = entries * arguments.repeat
    if arguments.minutes:
        work = for_minutes(arguments.minutes, entries, arguments.words, places)
    elif not entries:
        sys.exit("run.py: no test matches; see --list, and --full")
    counts = {0: 0, SKIPPED: 0, 1: 0}
    for entry in work:
        remove_stale()
        status = run_one(entry, places)
        counts[status if status in counts else 1] += 1
        if arguments.exactly and arguments.repeat == 1:
            return status
    print(f"{counts[0]} passed, {counts[SKIPPED]} skipped, {counts[1]} failed")
    return 1 if counts[1] else 0


if __name__ == "__main__":
    sys.exit(main())
