"""A whole program from its seed, and the source file of some of them together."""

from __future__ import annotations

import random
from pathlib import Path

from between_regions import between_regions, opening
from regions import region
from scope import Flavour, Program, Scope, block
from serial_part import statement

REPEATS = (1, 1, 1, 2, 3, 10, 30, 100, 300)
BUDGET = 2500.0  # of the cost of one group's repetitions


def group(scope: Scope, budget: float) -> list[str]:
    """Some regions in a row, or with serial statements between them, perhaps many times."""
    lines: list[str] = []
    cost = 0.0
    with_statements = scope.one_in(2)
    for _ in range(scope.chance.randint(1, 3)):
        text, price = region(scope)
        lines += text
        cost += price
        while with_statements and scope.one_in(2):
            piece = statement(scope)
            lines += block(piece.inside) if piece.inside[0] != "{" else piece.inside
            cost += piece.cost
    repeats = [times for times in REPEATS if times * cost <= budget] or [1]
    times = scope.chance.choice(repeats)
    if times == 1:
        return lines
    return block(lines, f"for (int round = 0; round < {times}; ++round)")


def statements(scope: Scope, budget: float) -> list[str]:
    lines = []
    for _ in range(scope.chance.randint(1, 2)):
        lines += group(scope, budget)
    return lines


def program_text(seed: int, flavour: Flavour) -> list[str]:
    """The functions of the program of this seed; the last is its own."""
    program = Program(seed, random.Random(f"program {seed}"), flavour)
    scope = Scope(program)
    lines: list[str] = []
    for number in range(scope.chance.randint(2, 6)):
        if scope.one_in(5):
            lines += between_regions(scope, statements)
        if scope.one_in(3):
            lines += statement(scope).inside
        lines += group(scope, BUDGET)
        lines.append(f"checkpoint({number});")
    body = ["const int round = 0;", *opening("first_icvs()"), *lines]
    return [*program.functions, *block(body, f"static void program_{seed}(void)")]


MAIN = """
int main(int count, char** words) {
  tracing = getenv("RANDOM_TRACE") != NULL;
  const long seed = count > 1 ? atol(words[1]) : 0;
  for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); ++i) {
    if (programs[i].seed != seed) continue;
    programs[i].run();
    printf("checksum %016llx\\n", checksum);
    return 0;
  }
  return 2;
}
"""


def unit_text(seeds: list[int], flavour: Flavour, header: Path) -> str:
    """One source file that holds all these programs; the argument tells which to run."""
    lines = [f'#include "{header}"']
    if flavour.cpp:
        lines += ["#include <stdexcept>", "#include <string>"]
    for seed in seeds:
        lines += ["", f"// Seed {seed}.", *program_text(seed, flavour)]
    table = "\n".join(f"    {{{seed}, program_{seed}}}," for seed in seeds)
    lines += ["", "static const struct {", "  long seed;", "  void (*run)(void);"]
    lines += ["} programs[] = {", table, "};", MAIN]
    return "\n".join(lines)
