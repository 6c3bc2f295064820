"""Conformance: OpenMP programs of ours, stock against preloaded. See README.md."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import mutants
from building import compile_program, variant_named
from metadata import Program, read_programs
from planning import RUNTIMES, WAITS_LEFT_OUT, Combination, Planner, variants
from running import Runner

from driver.entries import Entry
from driver.places import GATE_RUNTIMES, Places
from lab.runtimes import lacks_versions

PROGRAMS = Path(__file__).resolve().parent / "programs"


def entries(places: Places) -> Iterator[Entry]:
    """Each program on each runtime; and each of its barriers taken out."""
    for program in read_programs(PROGRAMS):
        for runtime in RUNTIMES:
            if variants(program, runtime):
                full = program.full or program.fails_stock is not None or runtime not in GATE_RUNTIMES
                yield Entry(f"conformance.{program.name}.{runtime}", full=full, alone=program.alone)
                yield Entry(f"conformance.{program.name}.{runtime}.every-barrier", full=True, alone=program.alone)
        for mutant in mutants.of_program(program):
            yield Entry(f"conformance.{mutant.name}", full=True)


def run(places: Places, name: str) -> str:
    """Empty, or what went wrong and the command that shows it again."""
    programs = read_programs(PROGRAMS)
    _, stem, what, *more = name.split(".")
    program = next(program for program in programs if program.name == stem)
    folder = places.programs("conformance")
    libomp = places.runtimes / "libomp19"
    if what not in RUNTIMES:
        return mutants.survives(next(m for m in mutants.of_program(program) if name.endswith(m.name)), folder, libomp)
    waits = tuple(wait for wait in places.values_of("MUSTER_WAIT") if wait not in WAITS_LEFT_OUT)
    planner = Planner(programs, places.values_of("MUSTER_BARRIER"), waits, len(os.sched_getaffinity(0)))
    if places.settings.get("product"):
        return check(places, program, planner.product(program, what), folder, libomp)
    return check(places, program, planner.rows(program, what, bool(more)), folder, libomp)


def check(places: Places, program: Program, rows: Iterable[Combination], folder: Path, libomp: Path) -> str:
    runner = Runner(program, folder, places)
    for row in rows:
        binary = runner.binary(row)
        compile_program(program.source, variant_named(row.variant), binary, libomp)
        if lacks_versions(binary, places.runtimes / row.runtime):
            return ""  # the loader refuses it: this libgomp is older than what gcc compiled it for
        if problem := runner.check(row):
            return f"{describe(row)}: {problem}"
    return ""


def describe(row: Combination) -> str:
    return f"{row.program} {row.variant} {row.runtime} {row.barrier} {row.wait} {row.forkjoin}"
