"""Elk: electrons in a crystal (FP-LAPW), a Fortran program compiled by gfortran."""

from __future__ import annotations

import shutil
from pathlib import Path

from recipe import JOBS, BadResult, Place, Recipe, Result, digest_of, text_of


def prepare(inputs: Path) -> None:
    shutil.copy(JOBS / "elk" / "elk.in", inputs / "elk.in")


def command(_place: Place) -> list[str]:
    return ["elk-lapw"]  # reads elk.in of its folder


def result(place: Place, _output: str) -> Result:
    try:
        energies = [float(word) for word in text_of(place.work / "TOTENERGY.OUT").split()]
        numbers = {"energy": energies[-1], "loops": float(len(energies))}
    except (ValueError, IndexError):
        raise BadResult("TOTENERGY.OUT has no energy") from None
    return Result(digest_of(place.work / "STATE.OUT", place.work / "TOTENERGY.OUT"), numbers)


RECIPE = Recipe(
    "elk",
    "Elk (Fortran, gfortran): the ground state of silicon, 8 k-points, 8 loops",
    command,
    result,
    debian=("elk-lapw",),
    programs=("elk-lapw",),
    files=("recipes/elk.py", "jobs/elk/elk.in"),
    prepare=prepare,
    expected={"energy": (-577.98, 0.05), "loops": (8.0, 0.0)},  # hartree
    steady_threads=1,  # sums of threads are added up in the order in which these come
    tolerances={"energy": 1e-9},
)
