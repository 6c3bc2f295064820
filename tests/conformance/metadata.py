"""What a program says about itself: the `// muster-test:` lines in its source.

env NAME=VALUE          set for every run of it
threads N               its largest team, where it does not go by OMP_NUM_THREADS
replaced >= N           at least N arrivals took Muster's barrier (default: 1)
no-replacement          none did
any-replacement         nothing is asked of the number
cancellation            Muster may be inactive, then for that reason
reason WORD[|WORD...]   some arrivals were passed through for a reason that contains a WORD
alone                   very many barriers: never run beside another program
full WHY                not in the gate
fails-stock HOW OFTEN: WHY     stock does now and then: what goes wrong once is tried once more
skip VARIANT [RUNTIME]: WHY    it cannot run there, even stock; VARIANT may be * with a runtime
race WORD: WHY          for campaigns/races, which does not see what orders lines or functions with this WORD
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

LINE = re.compile(r"^// muster-test: (.*)$", re.MULTILINE)
SKIP = re.compile(r"skip (\S+)(?: (\S+))?: .+")


@dataclass
class Program:
    source: Path
    environment: dict[str, str] = field(default_factory=dict)
    threads: int | None = None
    least_replaced: int = 1
    most_replaced: int | None = None
    may_be_inactive: str | None = None
    reasons: list[str] = field(default_factory=list)
    alone: bool = False
    full: bool = False
    fails_stock: str | None = None
    skips: list[tuple[str, str | None]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.source.stem

    @property
    def is_cpp(self) -> bool:
        return self.source.suffix == ".cpp"

    def runs_on(self, variant: str, runtime: str | None) -> bool:
        """With runtime None: on any runtime at all."""
        skipped = [(variant, None)]
        if runtime is not None:
            skipped += [(variant, runtime), ("*", runtime)]
        return not any(skip in self.skips for skip in skipped)


def _apply(program: Program, text: str) -> None:
    word, _, rest = text.partition(" ")
    if word == "env":
        name, _, value = rest.partition("=")
        program.environment[name] = value
    elif word == "threads":
        program.threads = int(rest)
    elif word == "replaced" and rest.startswith(">= "):
        program.least_replaced = int(rest[3:])
    elif text == "no-replacement":
        program.least_replaced = program.most_replaced = 0
    elif text == "any-replacement":
        program.least_replaced = 0
    elif text == "cancellation":
        program.least_replaced = 0
        program.may_be_inactive = text
    elif word == "reason":
        program.reasons.append(rest)
    elif text == "alone":
        program.alone = True
    elif word == "full" and rest:
        program.full = True
    elif word == "race" and ": " in rest:
        pass
    elif word == "fails-stock" and ": " in rest:
        program.fails_stock = rest
    elif match := SKIP.fullmatch(text):
        program.skips.append((match[1], match[2]))
    else:
        raise ValueError(f"{program.source.name}: unknown metadata: {text}")


def read_program(source: Path) -> Program:
    program = Program(source)
    for text in LINE.findall(source.read_text()):
        _apply(program, text.strip())
    return program


def read_programs(folder: Path) -> list[Program]:
    sources = [path for path in folder.iterdir() if path.suffix in (".c", ".cpp")]
    return [read_program(source) for source in sorted(sources)]
