"""primecount: how many primes there are up to a number, by combinatorial formulas; many short regions."""

from __future__ import annotations

import hashlib

from recipe import BadResult, Place, Recipe, Result

UP_TO, PRIMES = "1e15", 29_844_570_422_669


def command(place: Place) -> list[str]:
    return ["primecount", UP_TO, f"--threads={place.threads}"]


def result(_place: Place, output: str) -> Result:
    try:
        primes = int(output.strip())
    except ValueError:
        raise BadResult("it printed no number") from None
    return Result(hashlib.sha256(output.encode()).hexdigest()[:16], {"primes": float(primes)})


RECIPE = Recipe(
    "primecount",
    f"primecount: the number of primes up to {UP_TO}",
    command,
    result,
    debian=("primecount",),
    programs=("primecount",),
    files=("recipes/primecount.py",),
    expected={"primes": (PRIMES, 0.0)},
    tolerances={"primes": 0.0},
)
