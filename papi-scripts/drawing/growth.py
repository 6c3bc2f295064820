"""How an overhead grows with the number of threads P: in proportion to log2 P, or to P?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

FROM_THREADS = 16  # below, a machine's nearest caches decide
LEAST_POINTS = 3


@dataclass(frozen=True)
class Fit:
    """y = base + slope x, by least squares of the relative errors: microseconds at few threads weigh as those at many."""

    base: float
    slope: float
    error: float  # root of the mean square of the relative errors


@dataclass(frozen=True)
class Growth:
    exponent: float  # k of P^k: the slope on log-log axes
    by_log: Fit  # slope: per doubling of P
    by_threads: Fit  # slope: per thread
    verdict: str  # "log P", "P" or "flat"


def fit(x: Sequence[float], y: Sequence[float]) -> Fit:
    weights = [1 / value**2 for value in y]
    total = sum(weights)
    mean_x = sum(w * a for w, a in zip(weights, x, strict=True)) / total
    mean_y = sum(w * b for w, b in zip(weights, y, strict=True)) / total
    spread = sum(w * (a - mean_x) ** 2 for w, a in zip(weights, x, strict=True))
    slope = sum(w * (a - mean_x) * (b - mean_y) for w, a, b in zip(weights, x, y, strict=True)) / spread
    base = mean_y - slope * mean_x
    squares = [((base + slope * a) / b - 1) ** 2 for a, b in zip(x, y, strict=True)]
    return Fit(base, slope, math.sqrt(sum(squares) / len(squares)))


def exponent(threads: Sequence[float], y: Sequence[float]) -> float:
    """The slope of log y against log P."""
    logs = [math.log(value) for value in threads]
    values = [math.log(value) for value in y]
    mean_x, mean_y = sum(logs) / len(logs), sum(values) / len(values)
    spread = sum((a - mean_x) ** 2 for a in logs)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(logs, values, strict=True)) / spread


def growth(threads: Sequence[float], overheads: Sequence[float]) -> Growth | None:
    """None where there are too few points to tell."""
    points = [(p, y) for p, y in zip(threads, overheads, strict=True) if p >= FROM_THREADS and y > 0]
    if len(points) < LEAST_POINTS:
        return None
    x, y = [float(p) for p, _ in points], [value for _, value in points]
    by_log, by_threads, power = fit([math.log2(p) for p in x], y), fit(x, y), exponent(x, y)
    if power < 0.05:
        verdict = "flat"
    else:
        verdict = "log P" if by_log.error < by_threads.error else "P"
    return Growth(power, by_log, by_threads, verdict)
