"""What a trap program says about itself: the `// muster-test:` lines (`! muster-test:` in Fortran).

env NAME=VALUE         set for every run of it
arguments WORDS        its command line
status N               how it ends, stock as well (default 0; -N: by signal N)
FACT                   what the report must say under MUSTER_FORKJOIN=on:
    folded >= N, opened >= N, closed >= N, unfolded >= N     or <= N
    closed "REASON" >= N, unfolded "REASON" >= N             or <= N
inactive REASON        Muster replaces nothing there, for that reason; other facts are not asked for
no-report              no report is written where it ends like this
auto, off              run under that MUSTER_FORKJOIN, too; followed by a FACT: asked for there
unordered              stdout is compared line by line, in any order
flags WORDS            further compiler flags
module NAME            programs/modules/NAME.c is built for it; TRAP_MODULE holds its path
libgomp-module NAME    the same, by gcc, linked with libgomp
libiomp5-module NAME   another one, linked with libiomp5 whatever the row's runtime is; in TRAP_SECOND_MODULE
libgomp-program        the program runs on libgomp, its module on libomp: for the variant `gnu` only
needs MACHINE          only on that machine (as `uname -m` says)
skip VARIANT [RUNTIME]: WHY     it cannot run there, even stock; VARIANT: clang, gcc, gnu, libgomp, any
full WHY               not in the gate
fails-stock WHY        stock does now and then: what goes wrong once is tried once more
race WORD: WHY         for campaigns/races, which does not see what orders lines or functions with this WORD
case NAME              the lines that follow are for this case only, until the next
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from pathlib import Path

LINE = re.compile(r"^(?://|!) muster-test: (.*)$", re.MULTILINE)
FACT = re.compile(r'(opened|folded|unfolded|closed)(?: "([^"]+)")? (>=|<=) (\d+)')
SKIP = re.compile(r"skip (\S+)(?: (\S+))?: .+")
SUFFIXES = (".c", ".cpp", ".f90")


@dataclass(frozen=True)
class Fact:
    """One number of the report's `fork_join`."""

    mode: str
    what: str
    reason: str | None
    relation: str
    number: int

    def holds(self, count: int) -> bool:
        return count >= self.number if self.relation == ">=" else count <= self.number

    def __str__(self) -> str:
        reason = f' "{self.reason}"' if self.reason else ""
        return f"{self.what}{reason} {self.relation} {self.number}"


@dataclass
class Case:
    """One way to run one program."""

    source: Path
    case: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    status: int = 0
    facts: list[Fact] = field(default_factory=list)
    inactive: str | None = None
    writes_report: bool = True
    modes: list[str] = field(default_factory=lambda: ["on"])
    unordered: bool = False
    flags: tuple[str, ...] = ()
    module: str | None = None
    module_of_libgomp: bool = False
    module_of_libiomp5: str | None = None
    program_of_libgomp: bool = False
    machine: str | None = None
    skips: list[tuple[str, str | None]] = field(default_factory=list)
    fails_stock: bool = False
    full: bool = False

    @property
    def name(self) -> str:
        return f"{self.source.stem}:{self.case}" if self.case else self.source.stem

    def runs_on(self, variant: str, runtime: str | None) -> bool:
        """With runtime None: on any runtime at all."""
        skipped = {(v, r) for v in (variant, "any") for r in (None, runtime)}
        return not skipped.intersection(self.skips)


def _read_fact(case: Case, mode: str, text: str) -> bool:
    match = FACT.fullmatch(text)
    if match is None:
        return False
    case.facts.append(Fact(mode, match[1], match[2], match[3], int(match[4])))
    return True


def _apply(case: Case, text: str) -> None:
    word, _, rest = text.partition(" ")
    if word == "env":
        name, _, value = rest.partition("=")
        case.environment[name] = value
    elif word == "arguments":
        case.arguments = tuple(rest.split())
    elif word == "status":
        case.status = int(rest)
    elif word == "inactive":
        case.inactive = rest
    elif text == "no-report":
        case.writes_report = False
    elif word in ("auto", "off") and (not rest or _read_fact(case, word, rest)):
        if word not in case.modes:
            case.modes.append(word)
    elif text == "unordered":
        case.unordered = True
    elif word == "flags":
        case.flags += tuple(rest.split())
    elif word in ("module", "libgomp-module"):
        case.module = rest
        case.module_of_libgomp = word == "libgomp-module"
    elif word == "libiomp5-module":
        case.module_of_libiomp5 = rest
    elif text == "libgomp-program":
        case.program_of_libgomp = True
        case.skips += [(variant, None) for variant in ("clang", "gcc", "libgomp")]
    elif word == "race" and ": " in rest:
        pass
    elif word == "needs":
        case.machine = rest
    elif word == "fails-stock" and rest:
        case.fails_stock = True
    elif word == "full" and rest:
        case.full = True
    elif match := SKIP.fullmatch(text):
        case.skips.append((match[1], match[2]))
    elif not _read_fact(case, "on", text):
        raise ValueError(f"{case.source.name}: unknown metadata: {text}")


def read_cases(source: Path) -> list[Case]:
    common = Case(source)
    cases: list[Case] = []
    for line in LINE.findall(source.read_text()):
        text = line.strip()
        if text.startswith("case "):
            cases.append(copy.deepcopy(common))
            cases[-1].case = text[5:]
        else:
            _apply(cases[-1] if cases else common, text)
    return cases or [common]


def read_all(folder: Path) -> list[Case]:
    sources = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)
    return [case for source in sources for case in read_cases(source)]
