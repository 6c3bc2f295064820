#!/usr/bin/env python3
"""How Zhang et al.'s claims depend on what is assumed: `papi-scripts/sensitivity.py [--build DIR] [MACHINE...]`.

The claims on a machine are computed again for each other reading of the paper's barriers, of all combinations; and
with each number of the machine's file whose comment says `assumed`, and each number of --also, halved and doubled,
alone. Printed is what a claim's number becomes, and `!` where its verdict turns.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from claims.claim import Claim, Context, Found, is_accepted, read_claims  # noqa: E402
from claims.zhang import JUDGED, MACHINES, READINGS, Coherence  # noqa: E402

from lab.results import Table, add_option, leave, table_of_words  # noqa: E402

NUMBER = re.compile(r"^(\w+) = (\d+)\b(.*)$")
FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class Assumption:
    """One number of a machine's file, by its line."""

    table: str
    key: str
    value: int
    line: int  # from 0

    def __str__(self) -> str:
        return f"{self.table} {self.key} = {self.value}"

    def changed(self, text: str, factor: float) -> str:
        lines = text.splitlines()
        value = max(1, round(self.value * factor))
        lines[self.line] = re.sub(r"= \d+", f"= {value}", lines[self.line], count=1)
        return "\n".join(lines) + "\n"


def assumptions(text: str, also: set[str]) -> Iterator[Assumption]:
    """A zero stays one, however it is multiplied, and so says nothing."""
    table = ""
    for number, line in enumerate(text.splitlines()):
        if heading := re.match(r"\[+(\w+)\]+", line):
            table = heading[1]
        match = NUMBER.match(line)
        if match is not None and int(match[2]) > 0 and ("assumed" in match[3] or match[1] in also):
            yield Assumption(table, match[1], int(match[2]), number)


def claims_on(machine: str) -> list[Claim]:
    family = machine.split("-")[0]
    return [claim for claim in read_claims() if claim.id in JUDGED and f"sim/coherence {family}" in claim.how]


def brief(found: Found) -> str:
    if found.value is not None:
        return f"{found.value:.0f}"
    return "yes" if found.holds else "no"


def verdicts(context: Context, claims: list[Claim]) -> dict[str, tuple[str, bool]]:
    found = {claim: JUDGED[claim.id](Coherence(context)) for claim in claims}
    return {claim.id: (brief(what), is_accepted(claim, what)) for claim, what in found.items()}


def print_row(what: str, cells: list[str]) -> list[str]:
    print(f"{what:104}" + "".join(f"{cell:>7}" for cell in cells), flush=True)
    return [what, *(cell.strip() for cell in cells)]


def examine(machine: str, program: Path, episodes: int, also: set[str]) -> Table:
    text = (MACHINES / f"{machine}.toml").read_text()
    claims = claims_on(machine)
    names = print_row(machine, [claim.id for claim in claims])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(MACHINES, folder, dirs_exist_ok=True)

        def run(changed: str, words: tuple[str, ...] = ()) -> dict[str, tuple[str, bool]]:
            (folder / f"{machine}.toml").write_text(changed)
            return verdicts(Context(program, episodes=episodes, machines=folder, coherence_words=words), claims)

        as_is = run(text)
        marked = [as_is[claim.id][0] + (" " if as_is[claim.id][1] else "-") for claim in claims]
        rows = [print_row("as it is", marked)]

        def add_row(what: str, now: dict[str, tuple[str, bool]]) -> None:
            turned = {claim.id: "!" if now[claim.id][1] != as_is[claim.id][1] else " " for claim in claims}
            rows.append(print_row(what, [now[claim.id][0] + turned[claim.id] for claim in claims]))

        for name, words in READINGS.items():
            add_row(name, run(text, words))
        for assumption in assumptions(text, also):
            for factor in FACTORS:
                add_row(f"{assumption} x {factor:g}", run(assumption.changed(text, factor)))
    notes = ["-: the claim is missed; !: its verdict changes."]
    return table_of_words(["changed", *names[1:]], rows, machine, notes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("machines", nargs="*", default=["power4-32", "power3-16"], metavar="MACHINE")
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--episodes", type=int, default=100, help="of each simulated run")
    parser.add_argument("--also", default="latency_cycles", help="keys that are varied though they have a source")
    add_option(parser)
    arguments = parser.parse_args()
    program = arguments.build.resolve()
    if not (program / "bin" / "coherence").is_file():
        sys.exit(f"sensitivity: {program / 'bin' / 'coherence'} is missing; run ./bootstrap build first")
    tables = []
    for machine in arguments.machines:
        if not (MACHINES / f"{machine}.toml").is_file():
            parser.error(f"no machine {machine} in {MACHINES}")
        tables.append(examine(machine, program, arguments.episodes, set(arguments.also.split(","))))
    if arguments.json:
        leave(arguments.json, "What the coherence simulator's assumptions do", tables, simulated=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
