"""packages.py PACKAGE: work in a process, in children that multiprocessing forks, and after them. Prints what each found
out: the same numbers, whatever the number of threads."""

from __future__ import annotations

import multiprocessing
import sys

import numpy as np

CHILDREN = 3


def data(seed: int, rows: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, 16)).astype(np.float32)


def sklearn(seed: int) -> float:
    from sklearn.cluster import KMeans
    from sklearn.ensemble import HistGradientBoostingRegressor

    table = data(seed, 6000)
    clusters = KMeans(8, n_init=1, random_state=seed, max_iter=20).fit(table)
    model = HistGradientBoostingRegressor(max_iter=5, random_state=seed).fit(table[:, 1:], table[:, 0])
    return float(clusters.inertia_) + float(model.predict(table[:100, 1:]).sum())


def lightgbm(seed: int) -> float:
    import lightgbm

    table = data(seed, 6000)
    settings = {"objective": "regression", "verbose": -1, "deterministic": True, "force_col_wise": True, "seed": seed}
    model = lightgbm.train(settings, lightgbm.Dataset(table[:, 1:], table[:, 0]), num_boost_round=10)
    return float(model.predict(table[:100, 1:]).sum())


def faiss(seed: int) -> float:
    import faiss

    table = data(seed, 6000)
    index = faiss.IndexFlatL2(table.shape[1])
    index.add(table)
    distances, _ = index.search(table[:500], 4)
    return float(distances.sum())


def numpy(seed: int) -> float:
    table = data(seed, 2000)
    return float(np.abs(table.T @ table).sum())


def main() -> None:
    work = {"sklearn": sklearn, "lightgbm": lightgbm, "faiss": faiss, "numpy": numpy}[sys.argv[1]]
    print(f"{work(0):.4g}", flush=True)
    with multiprocessing.get_context("fork").Pool(CHILDREN) as pool:
        for result in pool.map_async(work, range(1, 2 * CHILDREN), chunksize=1).get(timeout=50):
            print(f"{result:.4g}", flush=True)
    print(f"{work(0):.4g}", flush=True)


if __name__ == "__main__":
    main()
