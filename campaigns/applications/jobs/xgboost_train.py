"""XGBoost: a classifier by boosted trees on histograms. It would use no more threads than there are CPUs; so that twice
the threads are twice the threads, they are set by name."""

from __future__ import annotations

import os

import numpy
import xgboost
from outcome import Stopwatch, report


def main() -> None:
    random = numpy.random.default_rng(6)
    samples = random.standard_normal((50_000, 20)).astype(numpy.float32)
    score = samples[:, 0] * samples[:, 1] + numpy.sin(2 * samples[:, 2]) + 0.5 * samples[:, 3]
    classes = (score + 0.2 * random.standard_normal(len(score)) > 0).astype(numpy.int32)
    train, test = slice(0, 40_000), slice(40_000, None)
    settings = {
        "objective": "binary:logistic", "tree_method": "hist", "max_depth": 6, "eta": 0.1, "seed": 6,
        "nthread": int(os.environ["OMP_NUM_THREADS"]),
    }  # fmt: skip
    watch = Stopwatch()
    model = xgboost.train(settings, xgboost.DMatrix(samples[train], classes[train]), num_boost_round=500)
    likely = model.predict(xgboost.DMatrix(samples[test]))
    seconds = watch.seconds()
    report(seconds, [likely], accuracy=numpy.mean((likely > 0.5) == classes[test]))


main()
