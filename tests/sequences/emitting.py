"""Source text of sequences that are compiled into one function each: other code than steps called by pointer."""

from __future__ import annotations

HEAD = """// Made by emitting.py.
#define SHAPED static
#include "steps.h"

namespace sequences {
"""
TAIL = """const Entry* const entries = table;
const int entry_count = sizeof table / sizeof table[0];

}  // namespace sequences
"""


def sequence_file(all_steps: list[tuple[str, ...]]) -> str:
    """Each use of a step is an instance of its own, with outlined functions of its own."""
    lines = [HEAD]
    instance = 0
    for number, steps in enumerate(all_steps):
        lines.append(f"static void s{number}(Actor& actor) {{")
        for place, step in enumerate(steps, 1):
            instance += 1
            lines.append(f"  actor.step = {place};")
            lines.append(f"  {step}<{instance}>(actor);")
        lines.append("}\n")
    rows = ", ".join(f'{{"s{number}", s{number}}}' for number in range(len(all_steps)))
    return "\n".join([*lines, f"static const Entry table[] = {{{rows}}};", TAIL])
