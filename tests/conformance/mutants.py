"""Programs with one barrier taken out. Each must fail, stock: else the program proves nothing.

A line `#pragma omp barrier  // MUTANT: remove` is taken out; to a line that ends in
`// MUTANT: nowait` the clause is added. One mutant a marked line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from building import compile_program, variant_named
from metadata import Program
from running import command_line, execute

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


def of_program(program: Program) -> list[Mutant]:
    lines = program.source.read_text().split("\n")
    found = []
    for number, line in enumerate(lines):
        changed = _mutate(line)
        if changed is not None:
            text = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
            found.append(Mutant(f"{program.name}.mutant-{number + 1}", program, text))
    return found


def survives(mutant: Mutant, folder: Path, libomp: Path) -> str:
    """Empty where every run of the mutant failed, else what happened."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / (mutant.name + mutant.program.source.suffix)
    if not source.exists() or source.read_text() != mutant.text:
        source.write_text(mutant.text)
    binary = source.with_suffix("")
    compile_program(source, variant_named("clang-O2"), binary, libomp)
    environment = {"LD_LIBRARY_PATH": str(libomp), "OMP_NUM_THREADS": str(THREADS)}
    environment |= mutant.program.environment
    for _ in range(REPETITIONS):
        outcome = execute([str(binary)], environment)
        if outcome.status in (0, None):
            return f"survives: {outcome.describe()}\n  {command_line([str(binary)], environment)}"
    return ""
