"""How an overhead grows with the number of threads P: in proportion to log2 P, or to P?

Both are curves of one shape each on log-log axes, which only move up and down: the nearer one is said. No constant part
is taken off, so an overhead that is still mostly constant at the last P grows slower than either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

FROM_THREADS = 16  # below, a machine's nearest caches decide
LEAST_POINTS = 3
FLAT, FASTER = 0.1, 1.2  # slopes at which neither describes it
ALIKE = 1.25  # errors this close do not decide


@dataclass(frozen=True)
class Fit:
    """y = factor * f(P), by least squares on logarithmic axes."""

    factor: float
    error: float  # root of the mean square of what is left, as a share of y


@dataclass(frozen=True)
class Growth:
    slope: float  # on log-log axes: k of P^k
    by_log: Fit
    by_threads: Fit
    verdict: str  # a phrase


def fit(shape: Sequence[float], y: Sequence[float]) -> Fit:
    logs = [math.log(value / form) for form, value in zip(shape, y, strict=True)]
    mean = sum(logs) / len(logs)
    error = math.sqrt(sum((value - mean) ** 2 for value in logs) / len(logs))
    return Fit(math.exp(mean), math.exp(error) - 1)


def slope_of(threads: Sequence[float], y: Sequence[float]) -> float:
    """Of log y against log P."""
    logs, values = [math.log(value) for value in threads], [math.log(value) for value in y]
    mean_x, mean_y = sum(logs) / len(logs), sum(values) / len(values)
    spread = sum((a - mean_x) ** 2 for a in logs)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(logs, values, strict=True)) / spread


def growth(threads: Sequence[float], overheads: Sequence[float]) -> Growth | None:
    """None where there are too few points to decide."""
    points = [(p, y) for p, y in zip(threads, overheads, strict=True) if p >= FROM_THREADS and y > 0]
    if len(points) < LEAST_POINTS:
        return None
    x, y = [float(p) for p, _ in points], [value for _, value in points]
    by_log, by_threads, slope = fit([math.log2(p) for p in x], y), fit(x, y), slope_of(x, y)
    return Growth(slope, by_log, by_threads, verdict(slope, by_log, by_threads))


def verdict(slope: float, by_log: Fit, by_threads: Fit) -> str:
    if slope < FLAT:
        return "hardly"
    if slope > FASTER:
        return "faster than P"
    smaller, larger = sorted((by_log.error, by_threads.error))
    if larger <= ALIKE * smaller:
        return "between log P and P"
    return "like log P" if by_log.error < by_threads.error else "like P"
