"""A published claim, what we found for it, and whether the one is accepted for the other."""

from __future__ import annotations

import csv
import io
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lab.campaign import Campaign

CLAIMS = Path(__file__).resolve().parents[1] / "claims.csv"


class Unavailable(Exception):
    """What a claim needs is not here (processors, a privilege); the text is the reason."""


@dataclass(frozen=True)
class Claim:
    """A line of claims.csv."""

    id: str
    source: str
    where: str
    claim: str
    quantity: str
    published: str
    accept: str
    how: str

    @property
    def paper(self) -> str:
        """Of several sources the last: the claim is in its module."""
        return self.source.split()[-1]


@dataclass(frozen=True)
class Found:
    """What we have for a claim: numbers for its ranges, or whether what it says holds; and how to say it.

    Where what is accepted has both, as in `23..44 and flat in the load`, both are needed.
    """

    text: str
    value: float | None = None
    holds: bool | None = None
    values: Sequence[float] = ()  # of several ranges, one each; of one range, all must be in it
    measured: bool = False  # on this machine, and so not the same everywhere
    beside: str = ""  # what else was found, which decides nothing

    @property
    def numbers(self) -> tuple[float, ...]:
        return tuple(self.values) if self.value is None else (self.value, *self.values)


# Of a claim that has several rows, each with a verdict of its own.
Rows = Sequence[Found | Unavailable]


@dataclass
class Context:
    """What a claim's function may use."""

    build: Path
    jobs: int | None = None
    progress: Callable[[float, str], None] | None = None
    folder: Path | None = None  # of kept results
    episodes: int = 200  # of each run of bin/coherence
    machines: Path | None = None  # of bin/coherence, other than its own
    coherence_words: tuple[str, ...] = ()  # for bin/coherence, beside the usual ones
    cache: dict[str, object] = field(default_factory=dict)  # of a module: what several of its claims need

    @cached_property
    def campaign(self) -> Campaign:
        return Campaign(self.build, self.jobs, self.folder, self.progress)


@dataclass(frozen=True)
class Part:
    """Of what is accepted: a range of numbers, and words behind it that the module must have checked."""

    low: float
    high: float
    low_in: bool = True
    high_in: bool = True
    words: str = ""

    def has(self, value: float) -> bool:
        above = operator.ge if self.low_in else operator.gt
        below = operator.le if self.high_in else operator.lt
        return above(value, self.low) and below(value, self.high)


NUMBER = r"[+-]?\d+(?:\.\d+)?"
RANGE = re.compile(rf"(?:best )?({NUMBER})\.\.({NUMBER})(.*)")
BOUND = re.compile(rf"(<=|>=|<|>) ?({NUMBER})(.*)")
EXACT = re.compile(rf"({NUMBER})()")
MARGIN = re.compile(rf"({NUMBER}) \+- ({NUMBER})")
AS_PUBLISHED = "within the +- given"
REPORTED = "reported"
INFINITY = float("inf")


def part_of(text: str) -> Part | None:
    """None of words alone."""
    if match := RANGE.fullmatch(text):
        return Part(float(match[1]), float(match[2]), words=match[3].strip(" %"))
    if match := BOUND.fullmatch(text):
        value, words = float(match[2]), match[3].strip(" %")
        if match[1][0] == ">":
            return Part(value, INFINITY, low_in=match[1] == ">=", words=words)
        return Part(-INFINITY, value, high_in=match[1] == "<=", words=words)
    if match := EXACT.fullmatch(text):
        return Part(float(match[1]), float(match[1]))
    return None


def is_accepted(claim: Claim, found: Found) -> bool:
    """Numbers by the claim's ranges, words by what the module says."""
    numbers = found.numbers
    if claim.accept == REPORTED:
        return bool(numbers)
    if claim.accept == AS_PUBLISHED:
        margins = MARGIN.findall(claim.published)
        parts = [Part(float(middle) - float(off), float(middle) + float(off)) for middle, off in margins]
        words = False
    else:
        read = [part_of(text) for text in claim.accept.split(" and ")]
        parts = [part for part in read if part is not None]
        words = len(parts) < len(read) or any(part.words for part in parts)
    if words and not found.holds:
        return False
    if not parts:
        return bool(found.holds)
    if len(parts) == 1:
        return bool(numbers) and all(parts[0].has(value) for value in numbers)
    return len(numbers) == len(parts) and all(map(Part.has, parts, numbers))


def read_claims(text: str | None = None) -> list[Claim]:
    return [Claim(**row) for row in csv.DictReader(io.StringIO(CLAIMS.read_text() if text is None else text))]
