"""LightGBM: a regression by boosted trees, `deterministic` as its users set it where results must repeat.

    lightgbm_train.py TREES [narrowed]

narrowed: once everything is imported, the process is bound to half of its CPUs, as schedulers of jobs and data loaders
do. libgomp has counted the CPUs by then, and waits as if it still had all of them.
"""

from __future__ import annotations

import os
import sys

import lightgbm
import numpy
from outcome import Stopwatch, report


def narrow() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cpus[: max(1, len(cpus) // 2)])


def main() -> None:
    trees = int(sys.argv[1])
    if sys.argv[2:] == ["narrowed"]:
        narrow()
    random = numpy.random.default_rng(6)
    samples = random.standard_normal((60_000, 24))
    values = numpy.sin(3 * samples[:, 0]) + samples[:, 1] * samples[:, 2] + 0.5 * (samples[:, 3] > 0.3)
    values += 0.1 * random.standard_normal(len(values))
    train, test = slice(0, 50_000), slice(50_000, None)
    settings = {
        "objective": "regression", "num_leaves": 31, "learning_rate": 0.1, "seed": 6,
        "deterministic": True, "force_row_wise": True, "verbose": -1,
    }  # fmt: skip
    watch = Stopwatch()
    data = lightgbm.Dataset(samples[train], values[train])
    model = lightgbm.train(settings, data, num_boost_round=trees)
    predicted = model.predict(samples[test])
    seconds = watch.seconds()
    error = numpy.sqrt(numpy.mean((predicted - values[test]) ** 2))
    report(seconds, [predicted], error=error)


main()
