"""Programs with one barrier taken out. Each must fail, stock: else the program proves nothing.

A line `#pragma omp barrier  // MUTANT: remove` is taken out; to a line that ends in
`// MUTANT: nowait` the clause is added. One mutant a marked line.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from building import BuildError, compile_program, variant_named
from metadata import Program
from running import Outcome, command_line, execute

REPETITIONS = 3
THREADS = 4


@dataclass(frozen=True)
class Mutant:
    name: str
    program: Program
    text: str


def _mutate(line: str) -> str | None:
    code, marker, kind = line.partition("  // MUTANT: ")
    if not marker:
        return None
    if kind == "remove" and code.strip() == "#pragma omp barrier":
        return ""
    if kind == "nowait" and code.startswith("#pragma omp "):
        return f"{code} nowait"
    raise ValueError(f"not a mutant that can be made: {line}")


def find_mutants(programs: list[Program]) -> list[Mutant]:
    mutants = []
    for program in programs:
        lines = program.source.read_text().split("\n")
        for number, line in enumerate(lines):
            changed = _mutate(line)
            if changed is not None:
                text = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
                mutants.append(Mutant(f"{program.name}:{number + 1}", program, text))
    return mutants


def _survives(mutant: Mutant, folder: Path, libomp: Path) -> str | None:
    """None where every run of the mutant failed, else what happened."""
    source = folder / (mutant.name.replace(":", "-") + mutant.program.source.suffix)
    if not source.exists() or source.read_text() != mutant.text:
        source.write_text(mutant.text)
    binary = source.with_suffix("")
    compile_program(source, variant_named("clang-O2"), binary, libomp)
    environment = {"LD_LIBRARY_PATH": str(libomp), "OMP_NUM_THREADS": str(THREADS)}
    environment |= mutant.program.environment
    for _ in range(REPETITIONS):
        outcome: Outcome = execute([str(binary)], environment)
        if outcome.status in (0, None):
            return f"{outcome.describe()}\n  {command_line([str(binary)], environment)}"
    return None


def run_mutants(programs: list[Program], folder: Path, libomp: Path, jobs: int) -> list[str]:
    """The failures. Prints as it goes."""
    folder.mkdir(parents=True, exist_ok=True)
    mutants = find_mutants(programs)
    failures = []
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(_survives, mutant, folder, libomp) for mutant in mutants]
        for mutant, future in zip(mutants, futures, strict=True):
            try:
                survived = future.result()
            except BuildError as error:
                survived = f"does not compile: {error}"
            print(f"{mutant.name}: {'SURVIVES' if survived else 'detected'}", flush=True)
            if survived:
                failures.append(f"mutant {mutant.name} survives: {survived}")
    print(f"{len(mutants) - len(failures)} passed, {len(failures)} failed")
    return failures
