"""Cross-validation by joblib: 4 worker processes, each with its own OpenMP team, as for users who set both
n_jobs and the number of threads. Workers have started and imported everything before the watch starts."""

from __future__ import annotations

import os

import numpy
from joblib import Parallel, delayed, parallel_config
from outcome import Stopwatch, report
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

WORKERS = 4
FITS = 8
SAMPLES, FEATURES = 12_000, 20


def fit(number: int, trees: int) -> numpy.ndarray:
    """Every fit leaves out another part of the samples, and predicts that."""
    samples, classes = make_classification(
        n_samples=SAMPLES, n_features=FEATURES, n_informative=10, n_redundant=4, flip_y=0.02, random_state=6
    )
    left_out = numpy.arange(SAMPLES) % FITS == number
    model = HistGradientBoostingClassifier(max_iter=trees, max_leaf_nodes=31, early_stopping=False, random_state=6)
    model.fit(samples[~left_out], classes[~left_out])
    likely = model.predict_proba(samples[left_out])
    right = likely.argmax(axis=1) == classes[left_out]
    return numpy.append(likely[:, 1], numpy.mean(right))


def main() -> None:
    # By default joblib gives its workers as many threads as their share of the CPUs.
    with (
        parallel_config(backend="loky", inner_max_num_threads=int(os.environ["OMP_NUM_THREADS"])),
        Parallel(n_jobs=WORKERS) as workers,
    ):
        workers(delayed(fit)(number, 1) for number in range(WORKERS))
        watch = Stopwatch()
        found = workers(delayed(fit)(number, 25) for number in range(FITS))
        seconds = watch.seconds()
    report(seconds, found, accuracy=numpy.mean([one[-1] for one in found]), fits=len(found))


main()
