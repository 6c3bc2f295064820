"""The traps of region folding, each stock against preloaded. See docs/understand/folding.md."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

from compiling import VARIANTS, Compiler, compiler_for
from trap_runs import Checker, Row
from traps import Case, read_all

from driver.entries import Entry
from driver.places import GATE_RUNTIMES, Places
from lab.runtimes import lacks_versions

PROGRAMS = Path(__file__).resolve().parent / "programs"
RUNTIMES = ("libomp19", "libomp14", "libomp16", "libomp21", "libiomp5")
LIBGOMPS = ("libgomp12", "libgomp9", "libgomp14", "libgomp7")
# Fold and join go through the halves of every algorithm and policy. `spin` is left out: with more threads than CPUs
# each barrier would take slices of the scheduler.
WAITS = ("auto", "block", "2cs+", "yield", "50us")


def variants_on(case: Case, runtime: str) -> list[str]:
    """By which the case can be built and run here."""
    if case.machine not in (None, platform.machine()):
        return []
    own = [variant for variant in VARIANTS if (variant == "libgomp") == (runtime in LIBGOMPS)]
    return [v for v in own if compiler_for(case.source, v) is not None and case.runs_on(v, runtime)]


def entries(places: Places) -> Iterator[Entry]:
    for case in read_all(PROGRAMS):
        for runtime in (*RUNTIMES, *LIBGOMPS):
            if variants_on(case, runtime):
                name = f"region-folding.{case.name.replace(':', '.')}.{runtime}"
                in_gate = runtime in GATE_RUNTIMES and not (case.fails_stock or case.full or case.module_of_libiomp5)
                yield Entry(name, full=not in_gate)
                if in_gate and len(variants_on(case, runtime)) > 1:
                    yield Entry(f"{name}.every-compiler", full=True)


def rows(case: Case, number: int, runtime: str, full: bool, barriers: tuple[str, ...]) -> Iterator[Row]:
    """By one compiler, another from case to case; with `full`, by each. Other modes than `on` differ by a decision only:
    on two runtimes."""
    possible = variants_on(case, runtime)
    place = (*RUNTIMES, *LIBGOMPS).index(runtime)
    chosen = possible if full else [possible[(number + place) % len(possible)]]
    step = 7 * number + place
    for variant in chosen:
        for mode in case.modes if full or runtime in GATE_RUNTIMES else ["on"]:
            yield Row(case, variant, runtime, mode, barriers[step % len(barriers)], WAITS[step // 3 % len(WAITS)])
            step += 1


def run(places: Places, name: str) -> str:
    """Empty, or what went wrong and the command that shows it again."""
    cases = read_all(PROGRAMS)
    full = name.endswith(".every-compiler")
    _, *words, runtime = name.removesuffix(".every-compiler").split(".")
    number = next(n for n, case in enumerate(cases) if case.name == ":".join(words))
    case = cases[number]
    compiler = Compiler(places.programs("region-folding"), places.runtimes / "libomp19")
    barriers = tuple(barrier for barrier in places.values_of("MUSTER_BARRIER") if barrier != "native")
    checker = Checker(compiler, places)
    for row in rows(case, number, runtime, full, barriers):
        files = compiler.compile(case, row.variant)
        if any(lacks_versions(file, places.runtimes / runtime) for file in files):
            continue  # the loader refuses it: this libgomp is older than what gcc compiled it for
        if problem := checker.check(row):
            return f"{row}: {problem}"
    return ""
