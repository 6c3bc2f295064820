"""scikit-learn's k-means (Lloyd) of points around centres that are known."""

from __future__ import annotations

from outcome import Stopwatch, report
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score


def main() -> None:
    points, groups = make_blobs(n_samples=60_000, n_features=16, centers=24, cluster_std=3.0, random_state=6)
    watch = Stopwatch()
    model = KMeans(n_clusters=24, n_init=10, max_iter=200, tol=0, random_state=6).fit(points)
    seconds = watch.seconds()
    agreement = adjusted_rand_score(groups, model.labels_)
    report(seconds, [model.cluster_centers_, model.labels_], inertia=model.inertia_, agreement=agreement)


main()
