"""The applications, in the order of the table. A new one is a file here, and a line below."""

from __future__ import annotations

from recipe import Recipe

from recipes import cp2k, elk, graphicsmagick, gromacs, nested_blas, numpy_openblas, primecount, pytorch, wheels

RECIPES: tuple[Recipe, ...] = (
    gromacs.GROMACS,
    numpy_openblas.RECIPE,
    wheels.HIST_GRADIENT_BOOSTING,
    wheels.KMEANS,
    wheels.LIGHTGBM,
    wheels.XGBOOST,
    wheels.FAISS,
    pytorch.RECIPE,
    graphicsmagick.RECIPE,
    elk.RECIPE,
    cp2k.RECIPE,
    gromacs.GROMACS_MPI,
    wheels.LIGHTGBM_NARROWED,
    wheels.JOBLIB,
    wheels.GGML,
    nested_blas.RECIPE,
    primecount.RECIPE,
)
