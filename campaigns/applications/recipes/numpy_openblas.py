"""Debian's NumPy on Debian's OpenBLAS for OpenMP, chosen by the folder: the machine's alternatives stay as they are."""

from __future__ import annotations

import sysconfig

from recipe import DEBIANS_PYTHON, JOBS, Place, Recipe, job_result

FOLDER = f"/usr/lib/{sysconfig.get_config_var('MULTIARCH')}/openblas-openmp"


def command(_place: Place) -> list[str]:
    return [str(DEBIANS_PYTHON), "-B", str(JOBS / "numpy_openblas.py")]


RECIPE = Recipe(
    "numpy-openblas",
    "NumPy on OpenBLAS for OpenMP: eigenvectors of 1,000 x 1,000, 55 dense systems by conjugate gradients",
    command,
    job_result,
    debian=("python3-numpy", "libopenblas0-openmp"),
    programs=(f"{FOLDER}/libblas.so.3",),
    files=("recipes/numpy_openblas.py", "jobs/numpy_openblas.py", "jobs/outcome.py"),
    environment={"LD_LIBRARY_PATH": FOLDER},
    expected={"eigen_error": (0.0, 1e-12), "solve_error": (0.0, 1e-9)},
    tolerances={"largest": 1e-12},
)
