"""Medians, interleaved rounds and ratios. Only ratio() needs scipy."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

Cell = TypeVar("Cell", bound=Hashable)
CONFIDENCE = 0.95
RESAMPLES = 2000


@dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float
    runs: int


def spread(values: Iterable[float]) -> Spread | None:
    """None without values."""
    found = sorted(values)
    return Spread(statistics.median(found), found[0], found[-1], len(found)) if found else None


def median(values: Sequence[float]) -> float | None:
    """None without values."""
    return statistics.median(values) if values else None


def geometric_mean(values: Iterable[float]) -> float | None:
    """None without values; 0 where one is 0."""
    found = list(values)
    if not found:
        return None
    return math.exp(math.fsum(map(math.log, found)) / len(found)) if min(found) > 0 else 0.0


def interleave(rounds: int, cells: Sequence[Cell], measure: Callable[[Cell], float]) -> dict[Cell, list[float]]:
    """Measures each cell once a round, in a new random order each round: what changes on the machine affects all."""
    values: dict[Cell, list[float]] = {cell: [] for cell in cells}
    for _ in range(rounds):
        for cell in random.sample(cells, len(cells)):
            values[cell].append(measure(cell))
    return values


class Ratio(NamedTuple):
    """A ratio of medians, with its confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:5.3f} ({self.low:.3f} to {self.high:.3f})"


def ratio(values: Sequence[float], base: Sequence[float]) -> Ratio:
    """The median of `values` over that of `base`, with the percentile bootstrap's interval."""
    import numpy
    from scipy import stats

    def of_medians(above: numpy.ndarray, below: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        with numpy.errstate(divide="ignore"):
            return numpy.median(above, axis=axis) / numpy.median(below, axis=axis)

    found = float(of_medians(numpy.asarray(values), numpy.asarray(base)))
    if len(values) < 2 or len(base) < 2:
        return Ratio(found, found, found)
    interval = stats.bootstrap(
        (values, base), of_medians, n_resamples=RESAMPLES, vectorized=True, confidence_level=CONFIDENCE,
        method="percentile", random_state=1,
    ).confidence_interval  # fmt: skip
    return Ratio(found, float(interval.low), float(interval.high))
