"""BLAS called by the threads of an OpenMP region: a small program, compiled by gcc, on Debian's OpenBLAS for OpenMP."""

from __future__ import annotations

import subprocess
from pathlib import Path

from recipe import JOBS, Place, Recipe, job_result

from recipes.numpy_openblas import FOLDER

SOURCE = JOBS / "nested_blas" / "nested_blas.c"


def prepare(inputs: Path) -> None:
    # The library itself, since only its development package has a name to link with.
    program, library = str(inputs / "nested_blas"), f"{FOLDER}/libopenblas.so.0"
    command = ["gcc", "-O2", "-fopenmp", "-o", program, str(SOURCE), library]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"gcc: {' '.join(done.stderr.split())[-200:]}")


RECIPE = Recipe(
    "nested-blas",
    "BLAS inside OpenMP: batches of 64 products of 48 x 48 by a region's threads, then one of 384 x 384 by OpenBLAS's",
    lambda place: [str(place.inputs / "nested_blas")],
    job_result,
    debian=("gcc", "libopenblas0-openmp"),
    programs=("gcc", f"{FOLDER}/libopenblas.so.0"),
    files=("recipes/nested_blas.py", "jobs/nested_blas/nested_blas.c"),
    prepare=prepare,
    # Two levels, so that a BLAS that asks for threads inside a region may have them.
    environment={"LD_LIBRARY_PATH": FOLDER, "OMP_MAX_ACTIVE_LEVELS": "2"},
    expected={"error": (0.0, 1e-9)},
    tolerances={"first": 1e-9},
)
