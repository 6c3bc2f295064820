"""LightGBM: a regression by boosted trees, `deterministic` as its users set it where results must repeat."""

from __future__ import annotations

import lightgbm
import numpy
from outcome import Stopwatch, report


def main() -> None:
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
    model = lightgbm.train(settings, data, num_boost_round=700)
    predicted = model.predict(samples[test])
    seconds = watch.seconds()
    error = numpy.sqrt(numpy.mean((predicted - values[test]) ** 2))
    report(seconds, [predicted], error=error)


main()
