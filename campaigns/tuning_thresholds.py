"""The thresholds that a header has, for tuning.py."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

CHANGES = ("half", "double")
UNITS = {"kNs": 1, "kUs": 1_000, "kMs": 1_000_000, "kS": 1_000_000_000}  # where another header defines them
INTEGERS = r"std::u?int(?:8|16|32|64)_t|unsigned|int|long"
CONSTANT = re.compile(
    r"^(?P<above>(?:[ \t]*//.*\n)*)"
    rf"[ \t]*(?:inline|static) constexpr (?P<type>{INTEGERS}|double) (?P<name>k\w+)\s*=\s*(?P<value>[^;{{}}]+);"
    r"(?:[ \t]*//[ \t]*(?P<comment>.*))?$",
    re.MULTILINE,
)


class TuningError(Exception):
    """One line: what is wrong with the header, the build or the grid."""


@dataclass(frozen=True)
class Threshold:
    name: str
    shown: str  # as the header has it
    value: float
    whole: bool
    comment: str
    begin: int  # where the value stands in the header
    end: int

    def changed(self, change: str) -> str | None:
        """The other value; None where it would be the same, or nothing."""
        if not self.whole:
            return repr(self.value / 2 if change == "half" else self.value * 2)
        other = int(self.value) // 2 if change == "half" else int(self.value) * 2
        return str(other) if other not in (0, self.value) else None

    def put(self, header: str, value: str) -> str:
        """The header with that value in place of its own."""
        return header[: self.begin] + value + header[self.end :]


def value_of(text: str, known: dict[str, float], whole: bool) -> float:
    """Of an arithmetic expression of C++, in which names are known."""

    def value(node: ast.AST) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name) if name in known:
                return known[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = value(left), value(right)
                match op:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div() if b:
                        return a // b if whole else a / b
        raise ValueError

    plain = re.sub(r"(?<=[\d.])[uUlLfF]+\b", "", text.replace("'", "_"))
    return value(ast.parse(" ".join(plain.split()), mode="eval").body)


def thresholds_of(header: str) -> list[Threshold]:
    known: dict[str, float] = dict(UNITS)
    found = []
    for match in CONSTANT.finditer(header):
        whole = match["type"] != "double"
        try:
            known[match["name"]] = value_of(match["value"], known, whole)
        except (SyntaxError, ValueError):
            raise TuningError(f"{match['name']}: '{match['value']}' is not understood") from None
        if match["name"] not in UNITS:
            comment = match["comment"] or " ".join(match["above"].replace("//", " ").split())
            shown = " ".join(match["value"].split())
            where = match.span("value")
            found.append(Threshold(match["name"], shown, known[match["name"]], whole, comment.strip(), *where))
    if not found:
        raise TuningError("the header has no thresholds")
    return found
