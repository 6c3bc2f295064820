#!/usr/bin/env python3
"""Data races in our own OpenMP test programs: each is compiled with ThreadSanitizer and run, stock, with Archer.

    campaigns/races/run.py [--filter conformance/locks] [--logs FOLDER]

A line a program: clean, its races (the two source lines), those it declares, or why it was not run. Status 1 where a
race is not declared.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from inventory import Program, programs
from tsan import ARCHER, Race, compile_program, observe, symbolizer

from lab.compilers import BuildError
from lab.runs import how_it_ended

AGAIN = 4  # more runs where something was found: Archer now and then misses the end of a region of new threads
COUNTER = "counter"  # of the torture program: eight bytes that it maps


@dataclass
class Found:
    program: Program
    races: set[Race] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    once: set[Race] = field(default_factory=set)  # in one run, and not again
    not_run: str = ""
    endings: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        if self.not_run:
            return "not run"
        return "RACES" if self.races else "declared" if self.declared else "seen once" if self.once else "clean"

    def __str__(self) -> str:
        notes = [self.not_run] if self.not_run else [f"race: {race}" for race in sorted(self.races)]
        notes += [f"declared: {why}" for why in sorted(self.declared)]
        notes += [f"in one of {1 + AGAIN} runs: {race}" for race in sorted(self.once)]
        notes += [f"ends otherwise: {ending}" for ending in self.endings]
        return f"{self.program.name}: {self.verdict}" + "".join(f"\n    {note}" for note in notes)


def undeclared(races: set[Race], found: Found) -> list[Race]:
    """Notes the others' reasons."""
    left = []
    for race in races:
        why = race.declared(found.program)
        if why is None:
            left.append(race)
        else:
            found.declared.add(why)
    return left


def look_at(program: Program, arguments: argparse.Namespace) -> Found:
    found = Found(program, not_run=program.not_run)
    if program.not_run:
        return found
    try:
        binary = compile_program(program, arguments.build)
    except BuildError as error:
        found.not_run = f"does not compile: {error}"
        return found
    if program.shared:
        found.not_run = "a shared object; with the programs that open it"
        return found
    for number, run in enumerate(program.runs):
        observed = observe(binary, run, arguments.timeout)
        times = Counter(undeclared(observed.races, found))
        if times:
            for _ in range(AGAIN):
                times.update(undeclared(observe(binary, run, arguments.timeout).races, found))
        found.races.update(race for race, count in times.items() if count > 1)
        found.once.update(race for race, count in times.items() if count == 1)
        if observed.outcome.status != run.status:
            status = observed.outcome.status
            how = "no end in time" if status is None else how_it_ended(status)
            found.endings.append(" ".join([*run.arguments, how]).replace("{build}/", ""))
        if arguments.logs and (observed.log or observed.outcome.status != 0):
            file = arguments.logs / f"{program.file_name}.{number}"
            file.write_text(observed.log + observed.outcome.stdout[-2000:] + observed.outcome.stderr[-2000:])
    return found


def what_is_missing() -> str | None:
    if not ARCHER.exists():
        return f"no {ARCHER}, which is in the package libomp-19-dev"
    return None if symbolizer() else "no llvm-symbolizer, which is in the package llvm"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/races"))
    parser.add_argument("--filter", default="", metavar="WORD", help="only programs whose name contains it")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS", help="for one run")
    parser.add_argument("--logs", type=Path, metavar="FOLDER", help="for ThreadSanitizer's own words")
    arguments = parser.parse_args()
    if problem := what_is_missing():
        print(f"races: {problem}", file=sys.stderr)
        return 1
    arguments.build = arguments.build.resolve()
    for folder in (arguments.build, arguments.logs):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    (arguments.build / COUNTER).write_bytes(bytes(8))
    everything = list(programs())
    chosen = [one for one in everything if arguments.filter in one.name]
    shared = [one for one in everything if one.shared and one not in chosen] if arguments.filter else []
    counts: Counter[str] = Counter()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for objects in (shared, [one for one in chosen if one.shared], [one for one in chosen if not one.shared]):
            for found in pool.map(lambda one: look_at(one, arguments), objects):
                if found.program in chosen:
                    counts[found.verdict] += 1
                    print(found, flush=True)
    print("; ".join(f"{verdict}: {count}" for verdict, count in sorted(counts.items())))
    return 1 if counts["RACES"] else 0


if __name__ == "__main__":
    sys.exit(main())
