"""scikit-learn's gradient boosting of trees on histograms: a classifier of two classes."""

from __future__ import annotations

import numpy
from outcome import Stopwatch, report
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier


def main() -> None:
    samples, classes = make_classification(
        n_samples=50_000, n_features=24, n_informative=12, n_redundant=4, flip_y=0.02, random_state=6
    )
    train, test = slice(0, 40_000), slice(40_000, None)
    watch = Stopwatch()
    model = HistGradientBoostingClassifier(max_iter=400, max_leaf_nodes=31, early_stopping=False, random_state=6)
    model.fit(samples[train], classes[train])
    likely = model.predict_proba(samples[test])
    seconds = watch.seconds()
    right = numpy.mean(likely.argmax(axis=1) == classes[test])
    report(seconds, [likely], accuracy=right)


main()
