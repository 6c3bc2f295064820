"""Where in a program the generator stands, and the pieces of text that it puts there."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

MOST_NESTED = 3  # explicit regions inside each other


@dataclass(frozen=True)
class Flavour:
    """What the text of a program may depend on."""

    compiler: str  # clang, gcc, or gnu: gcc for a program that runs on libgomp
    cpp: bool
    old: bool  # a runtime with faults of its own: libomp 14 or 16

    @property
    def libgomp_abi(self) -> bool:
        return self.compiler != "clang"

    @property
    def on_libgomp(self) -> bool:
        return self.compiler == "gnu"

    @property
    def name(self) -> str:
        return f"{self.compiler}-{'cpp' if self.cpp else 'c'}{'-old' if self.old else ''}"


@dataclass
class Program:
    """What is shared by all of one program's text."""

    seed: int
    chance: random.Random
    flavour: Flavour
    functions: list[str] = field(default_factory=list)  # in front of the program's own
    tags: int = 0
    names: int = 0
    resized: bool = False  # omp_set_num_threads() was called since the last region

    def tag(self) -> int:
        self.tags += 1
        return self.tags

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}_{self.names}"

    def function(self, stem: str) -> str:
        """A name that no other program of the same source file has."""
        return self.name(f"{stem}_of_{self.seed}")


@dataclass
class Piece:
    """Part of a region: shared variables in front of it, what its threads do, checks behind it.

    The cost is roughly the microseconds that it takes; loops are as long as it allows.
    """

    inside: list[str]
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    cost: float = 2.0


@dataclass(frozen=True)
class Scope:
    """A place in a program. `depth` regions are around it."""

    program: Program
    depth: int = 0
    initial: bool = True  # the initial thread: its regions keep thread-private values
    naps: bool = True  # not in long loops

    @property
    def chance(self) -> random.Random:
        return self.program.chance

    @property
    def flavour(self) -> Flavour:
        return self.program.flavour

    @property
    def has_tasks(self) -> bool:
        """Not in a root thread that ends: libomp's workers then give memory of its tasks back to a heap that is gone.
        Stock fails, too: an assertion in kmp_alloc.cpp, a hang, another level."""
        return self.initial or self.flavour.on_libgomp

    # The names that generated text has for: this thread's number, its team's size, its ICVs.
    @property
    def me(self) -> str:
        return f"me{self.depth}"

    @property
    def size(self) -> str:
        return f"n{self.depth}"

    @property
    def icvs(self) -> str:
        return f"icvs{self.depth}"

    def deeper(self) -> Scope:
        return replace(self, depth=self.depth + 1)

    def outer(self) -> Scope:
        return replace(self, depth=self.depth - 1)

    def without_naps(self) -> Scope:
        return replace(self, naps=False)

    def tag(self) -> int:
        return self.program.tag()

    def name(self, stem: str) -> str:
        return self.program.name(stem)

    def one_in(self, times: int) -> bool:
        return self.chance.randrange(times) == 0

    def late(self) -> list[str]:
        """Sometimes one thread comes late: a barrier that lets the others through shows then."""
        if not self.naps or not self.one_in(4):
            return []
        who, time = self.chance.randrange(4), self.chance.choice((20, 60, 150))
        return [f"if ({self.me} == {who} % {self.size} && round == 0) nap({time});"]


def indented(lines: list[str]) -> list[str]:
    return ["  " + line for line in lines]


def block(lines: list[str], head: str = "") -> list[str]:
    return [f"{head} {{".lstrip(), *indented(lines), "}"]


def under(pragma: str, lines: list[str]) -> list[str]:
    """A directive and the block that it governs."""
    return [f"#pragma omp {pragma}", *block(lines)]


def index_loop(count: int | str, body: list[str], variable: str = "i") -> list[str]:
    return block(body, f"for (int {variable} = 0; {variable} < {count}; ++{variable})")
