"""Python's wheels, each with its own copy of libgomp or on the system's. Data are made by the jobs, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from recipe import JOBS, Place, Recipe, job_result

NUMPY = "numpy==1.26.4"


def job(words: str) -> Callable[[Place], list[str]]:
    script, *arguments = words.split()
    return lambda place: [place.python, "-B", str(JOBS / script), *arguments]


def wheel(name: str, title: str, words: str, *pypi: str, **more: Any) -> Recipe:
    """`words`: the script in jobs/, and its arguments."""
    files = ("recipes/wheels.py", f"jobs/{words.split()[0]}", "jobs/outcome.py")
    debian = ("python3-venv", "libgomp1")
    recipe = Recipe(name, title, job(words), job_result, debian=debian, pypi=(NUMPY, *pypi), files=files)
    return replace(recipe, **more)


HIST_GRADIENT_BOOSTING = wheel(
    "hist-gradient-boosting",
    "scikit-learn: HistGradientBoostingClassifier, 40,000 samples of 24 features, 400 trees",
    "hist_gradient_boosting.py",
    "scikit-learn==1.9.1",
    expected={"accuracy": (0.97, 0.01)},
    tolerances={"accuracy": 0.002},
)
KMEANS = wheel(
    "kmeans",
    "scikit-learn: KMeans (Lloyd), 60,000 points of 16 numbers, 24 clusters, 10 starts",
    "kmeans.py",
    "scikit-learn==1.9.1",
    expected={"agreement": (0.946, 0.01)},
    steady_threads=2,  # sums of threads are added up in the order in which these come
    tolerances={"inertia": 1e-9, "agreement": 1e-6},
)
LIGHTGBM = wheel(
    "lightgbm",
    "LightGBM: regression, 50,000 samples of 24 features, 700 trees, deterministic",
    "lightgbm_train.py 700",
    "lightgbm==4.7.0",
    expected={"error": (0.182, 0.01)},
    tolerances={"error": 1e-6},
)
LIGHTGBM_NARROWED = wheel(
    "lightgbm-narrowed",
    "LightGBM: the same with 100 trees, bound to half of the CPUs by os.sched_setaffinity after import",
    "lightgbm_train.py 100 narrowed",
    "lightgbm==4.7.0",
    expected={"error": (0.25, 0.1)},
    tolerances={"error": 1e-6},
)
JOBLIB = wheel(
    "joblib-workers",
    "joblib: 8 fits of HistGradientBoostingClassifier by 4 worker processes, each with its own team",
    "joblib_workers.py",
    "scikit-learn==1.9.1",
    expected={"accuracy": (0.95, 0.04), "fits": (8.0, 0.0)},
    tolerances={"accuracy": 0.002},
)
XGBOOST = wheel(
    "xgboost",
    "XGBoost: classification by histograms, 40,000 samples of 20 features, 500 trees",
    "xgboost_train.py",
    "xgboost-cpu==3.2.0",
    expected={"accuracy": (0.938, 0.01)},
    tolerances={"accuracy": 0.002},
)
FAISS = wheel(
    "faiss",
    "faiss: an inverted index trained and queried one by one, then 8,000 queries at once by the exact one",
    "faiss_search.py",
    "faiss-cpu==1.15.1",
    expected={"recall": (1.0, 0.01)},
    tolerances={"recall": 1e-4},
)
GGML = wheel(
    "ggml",
    "ggml: a graph of 1,200 small products of matrix and vector, a barrier after each, 60 times",
    "ggml_graph.py",
    "pywhispercpp==1.5.1",
    expected={"error": (0.0, 1e-3), "failed": (0.0, 0.0)},
    tolerances={"error": 1.0},
)
