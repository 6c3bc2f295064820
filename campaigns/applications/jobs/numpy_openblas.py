"""Principal components by the symmetric eigenproblem, and a dense system by conjugate gradients: one region of
OpenBLAS a call, from some microseconds (a product of matrix and vector) to some milliseconds (one of matrices)."""

from __future__ import annotations

import numpy
from outcome import Stopwatch, report

FEATURES = 1000
UNKNOWNS = 1000
SYSTEMS = 55


def conjugate_gradients(matrix: numpy.ndarray, right: numpy.ndarray) -> tuple[numpy.ndarray, int]:
    solution = numpy.zeros_like(right)
    residual = right.copy()
    direction = residual.copy()
    norm = residual @ residual
    for step in range(1, 4 * len(right)):
        product = matrix @ direction
        length = norm / (direction @ product)
        solution += length * direction
        residual -= length * product
        next_norm = residual @ residual
        if next_norm < 1e-20:
            return solution, step
        direction = residual + next_norm / norm * direction
        norm = next_norm
    return solution, step


def main() -> None:
    random = numpy.random.default_rng(6)
    samples = random.standard_normal((4 * FEATURES, FEATURES)) @ random.standard_normal((FEATURES, FEATURES))
    root = random.standard_normal((UNKNOWNS, UNKNOWNS)) / numpy.sqrt(UNKNOWNS)
    matrix = root @ root.T + 0.02 * numpy.eye(UNKNOWNS)
    rights = random.standard_normal((SYSTEMS, UNKNOWNS))

    watch = Stopwatch()
    covariance = samples.T @ samples / len(samples)
    values, vectors = numpy.linalg.eigh(covariance)
    solutions = [conjugate_gradients(matrix, right) for right in rights]
    seconds = watch.seconds()

    apart = numpy.abs(covariance @ vectors - vectors * values).max() / numpy.abs(values).max()
    left = max(numpy.abs(matrix @ x - right).max() for (x, _), right in zip(solutions, rights, strict=True))
    steps = sum(count for _, count in solutions)
    arrays = [values, vectors, *(x for x, _ in solutions)]
    report(seconds, arrays, largest=values[-1], eigen_error=apart, solve_error=left, steps=steps)


main()
