"""Debian's PyTorch, for CPUs. PyPI's default wheel of PyTorch (0.5 GB) cannot be imported without some gigabytes of
CUDA's libraries, and its wheel for CPUs is not on PyPI."""

from __future__ import annotations

from recipe import DEBIANS_PYTHON, JOBS, Place, Recipe, job_result


def command(_place: Place) -> list[str]:
    return [str(DEBIANS_PYTHON), "-B", str(JOBS / "pytorch_inference.py")]


RECIPE = Recipe(
    "pytorch",
    "PyTorch: inference, 250 images by a convolutional network and 250 sequences by a transformer, one at a time",
    command,
    job_result,
    debian=("python3-torch", "python3-numpy"),
    files=("recipes/pytorch.py", "jobs/pytorch_inference.py", "jobs/outcome.py"),
    expected={"total": (1.0, 1e-5), "variance": (1.0, 1e-3)},
    tolerances={"first": 1e-5, "variance": 1e-5},
)
