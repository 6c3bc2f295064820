"""Which combinations of program, variant, runtime, barrier, waiting policy and folding are run.

The subset is two pairwise covering arrays, one for libomp and one for libgomp: every pair of values of two dimensions
occurs in some combination, unless a constraint forbids it. They are built greedily, from a fixed seed.
"""

from __future__ import annotations

import random
from dataclasses import astuple, dataclass
from itertools import combinations

from building import VARIANTS, variant_named
from metadata import Program

LIBOMPS = ("libomp14", "libomp16", "libomp19", "libomp21", "libiomp5")
OLD_LIBGOMPS = ("libgomp7", "libgomp9")
LIBGOMPS = (*OLD_LIBGOMPS, "libgomp12", "libgomp14")
RUNTIMES = (*LIBOMPS, *LIBGOMPS)
BARRIERS = (
    "fetch-add",
    "fetch-add-xadd",
    "dist-counter",
    "dist-counter-padded",
    "local-sensor",
    "dist-sensor",
    "dissemination",
    "dissemination-or-counter",
    "tree",
    "native",
    "auto",
)
WAITS = ("spin", "block", "cs", "cs+", "2cs+", "yield", "50us", "auto")
FORKJOINS = ("on", "off")
FULL_WAITS = ("block", "2cs+", "yield", "auto", "spin")
CANDIDATES = 30  # rows looked at for each row taken


@dataclass(frozen=True)
class Combination:
    program: str
    variant: str
    runtime: str
    barrier: str
    wait: str
    forkjoin: str


PROGRAM, _, _, BARRIER, WAIT, _ = range(6)  # the fields' places
Pair = tuple[int, str, int, str]


def _pairs(row: Combination) -> list[Pair]:
    values = list(enumerate(astuple(row)))
    return [(i, a, j, b) for (i, a), (j, b) in combinations(values, 2)]


class Planner:
    def __init__(self, programs: list[Program], cpus: int) -> None:
        self.programs = {program.name: program for program in programs}
        self.cpus = cpus

    def allowed(self, row: Combination) -> bool:
        """Spinning for ever with more threads than CPUs is legal, but takes a slice a barrier."""
        program = self.programs[row.program]
        if variant_named(row.variant).runs_on_libgomp != (row.runtime in LIBGOMPS):
            return False
        if row.wait == "spin" and (program.threads or 0) > self.cpus:
            return False
        return program.runs_on(row.variant, row.runtime)

    def _rows(self, waits: tuple[str, ...]) -> list[Combination]:
        return [
            row
            for program in self.programs
            for variant in VARIANTS
            for runtime in RUNTIMES
            for barrier in BARRIERS
            for wait in waits
            for forkjoin in FORKJOINS
            if self.allowed(
                row := Combination(program, variant.name, runtime, barrier, wait, forkjoin)
            )
        ]

    def full(self) -> list[Combination]:
        # The control needs one policy only: it never waits in Muster's code.
        return [
            row for row in self._rows(FULL_WAITS) if row.barrier != "native" or row.wait == "block"
        ]

    def subset(self) -> list[Combination]:
        return self._covering(LIBOMPS) + self._covering(LIBGOMPS)

    @staticmethod
    def _left_to_others(pair: Pair) -> bool:
        """For time: gcc's programs have met each barrier and policy on libomp, and meet old libgomps with --full."""
        first, _, second, value = pair
        return first == PROGRAM and (second in (BARRIER, WAIT) or value in OLD_LIBGOMPS)

    def _covering(self, runtimes: tuple[str, ...]) -> list[Combination]:
        chance = random.Random(20)
        rows = [row for row in self._rows(WAITS) if row.runtime in runtimes]
        by_program: dict[str, list[Combination]] = {}
        for row in rows:
            by_program.setdefault(row.program, []).append(row)
        wanted = {pair for row in rows for pair in _pairs(row)}
        if runtimes == LIBGOMPS:
            wanted = {pair for pair in wanted if not self._left_to_others(pair)}
        taken: list[Combination] = []
        stock_runs: set[tuple[str, str, str]] = set()
        for program, own in by_program.items():
            while missing := sorted(pair for pair in wanted if pair[:2] == (0, program)):
                # Rows that cover one missing pair at least; the one that covers the most is taken.
                # Among equals, one whose stock run is there already.
                _, _, dimension, value = chance.choice(missing)
                useful = [row for row in own if astuple(row)[dimension] == value]
                sample = chance.sample(useful, min(CANDIDATES, len(useful)))
                best = max(
                    sample,
                    key=lambda row: (
                        sum(pair in wanted for pair in _pairs(row)),
                        (row.program, row.variant, row.runtime) in stock_runs,
                    ),
                )
                taken.append(best)
                stock_runs.add((best.program, best.variant, best.runtime))
                wanted.difference_update(_pairs(best))
        while wanted:  # pairs without a program, where the programs were few
            pair = min(wanted)
            useful = [row for row in rows if pair in _pairs(row)]
            best = max(useful, key=lambda row: sum(other in wanted for other in _pairs(row)))
            taken.append(best)
            wanted.difference_update(_pairs(best))
        return taken
