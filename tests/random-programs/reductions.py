"""Reductions: of scalars, array sections and what the user declares, on loops and on regions.

The expected value is computed by the same loop without OpenMP, so it needs no model here.
"""

from __future__ import annotations

from dataclasses import dataclass

from scope import Scope, index_loop

EXACT_TYPES = ("long", "int", "unsigned long", "double")  # doubles of small multiples of 1/2
INTEGER_OPERATORS = ("+", "*", "max", "min", "&", "|", "^", "&&", "||")
DOUBLE_OPERATORS = ("+", "max", "min", "*")


@dataclass(frozen=True)
class Reduction:
    name: str
    operator: str
    type: str
    start: int
    term: str  # with {i} for the index
    length: int = 0  # of an array section

    @property
    def expected(self) -> str:
        return f"want_{self.name}"

    @property
    def clause(self) -> str:
        section = f"[0 : {self.length}]" if self.length else ""
        return f" reduction({self.operator} : {self.name}{section})"

    def declare(self, name: str) -> list[str]:
        if self.operator == "summary":
            return [f"Summary {name} = {{{self.start}, {self.start}}};"]
        if self.length:
            values = ", ".join(str(self.start + index) for index in range(self.length))
            return [f"{self.type} {name}[{self.length}] = {{{values}}};"]
        return [f"{self.type} {name} = {self.start};"]

    def body(self, index: str, name: str | None = None) -> list[str]:
        """One step, into `name`, by default the variable itself."""
        target, term = name or self.name, self.term.format(i=index)
        if self.operator == "summary":
            return [f"add_value(&{target}, {term});"]
        if self.length:
            return index_loop(
                self.length, self._step(f"{target}[place]", f"({term}) + place"), "place"
            )
        return self._step(target, term)

    def _step(self, target: str, term: str) -> list[str]:
        term = f"({self.type})({term})"
        if self.operator in ("max", "min"):
            sign = ">" if self.operator == "max" else "<"
            return [f"if ({term} {sign} {target}) {target} = {term};"]
        return [f"{target} = {target} {self.operator} {term};"]

    def compare(self) -> list[str]:
        name, want = self.name, self.expected
        if self.operator == "summary":
            return [f"expect({name}.sum == {want}.sum && {name}.most == {want}.most);"]
        if self.length:
            return index_loop(self.length, [f"expect({name}[i] == {want}[i]);"])
        return [f"expect({name} == {want});"]


def pick_reduction(scope: Scope) -> Reduction:
    chance = scope.chance
    name = scope.name("reduced")
    if scope.one_in(6):
        return Reduction(name, "summary", "Summary", 3, f"({{i}} * 7) % {chance.randint(3, 50)}")
    type_name = chance.choice(EXACT_TYPES)
    operator = chance.choice(DOUBLE_OPERATORS if type_name == "double" else INTEGER_OPERATORS)
    if operator == "*":
        # Small powers of two: exact in every type, in every order.
        return Reduction(name, "*", type_name, 3, "1 + ({i} % 16 == 3)")
    half = " * 0.5" if type_name == "double" else ""
    term = f"({{i}} * {chance.randint(1, 30)} + {chance.randint(0, 9)}) % 41{half}"
    length = chance.choice((0, 0, 1, 3, 8)) if operator in ("+", "max") else 0
    return Reduction(name, operator, type_name, chance.randint(0, 5), term, length)
