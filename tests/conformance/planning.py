"""Which variants, barriers, waiting policies and foldings a program meets on a runtime."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from building import VARIANTS
from metadata import Program

LIBOMPS = ("libomp14", "libomp16", "libomp19", "libomp21", "libiomp5")
OLD_LIBGOMPS = ("libgomp7", "libgomp9")
LIBGOMPS = (*OLD_LIBGOMPS, "libgomp12", "libgomp14")
RUNTIMES = (*LIBOMPS, *LIBGOMPS)
FORKJOINS = ("on", "off")
# Drawn or taken from a distribution each time: as `cs` for a program.
WAITS_LEFT_OUT = ("exponential", "uniform", "random", "conditional")


@dataclass(frozen=True)
class Combination:
    program: str
    variant: str
    runtime: str
    barrier: str
    wait: str
    forkjoin: str


def variants(program: Program, runtime: str) -> list[str]:
    """Those of the program that run on the runtime."""
    own = [variant for variant in VARIANTS if variant.runs_on_libgomp == (runtime in LIBGOMPS)]
    return [variant.name for variant in own if program.runs_on(variant.name, runtime)]


@dataclass(frozen=True)
class Planner:
    programs: list[Program]
    barriers: tuple[str, ...]
    waits: tuple[str, ...]
    cpus: int

    def allowed(self, row: Combination, program: Program) -> bool:
        """Spinning for ever with more threads than CPUs is legal, but takes a slice a barrier."""
        return row.wait != "spin" or (program.threads or 0) <= self.cpus

    def product(self, program: Program, runtime: str) -> Iterator[Combination]:
        """Everything. The control needs one policy only: it never waits in Muster's code."""
        for variant, *rest in itertools.product(variants(program, runtime), self.barriers, self.waits, FORKJOINS):
            row = Combination(program.name, variant, runtime, *rest)
            if self.allowed(row, program) and (row.barrier != "native" or row.wait == "block"):
                yield row

    def rows(self, program: Program, runtime: str, full: bool) -> list[Combination]:
        """Each optimised variant with and without folding; with `full`, each variant with every barrier and policy.

        Barriers and policies go round from program to program, so that each pair of them meets some programs.
        """
        own = [variant for variant in variants(program, runtime) if full or variant != "clang-O0"]
        waits = [wait for wait in self.waits if full or wait != "spin"]  # beside others each barrier takes slices
        place = self.programs.index(program) + RUNTIMES.index(runtime)
        barriers = len(self.barriers)
        turns = max(barriers, len(waits)) if full else len(FORKJOINS)
        found = []
        for number, variant in enumerate(own):
            for turn in range(turns):
                step = turns * (place * len(VARIANTS) + number) + turn
                barrier, wait = self.barriers[step % barriers], waits[(step // barriers + step) % len(waits)]
                row = Combination(program.name, variant, runtime, barrier, wait, FORKJOINS[(turn + number) % 2])
                found.append(row if self.allowed(row, program) else replace(row, wait="block"))
        return found

