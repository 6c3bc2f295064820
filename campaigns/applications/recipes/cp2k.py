"""CP2K: molecular dynamics on forces of density functional theory; Fortran, MPI and OpenMP."""

from __future__ import annotations

from recipe import JOBS, BadResult, Place, Recipe, Result, digest_of, text_of


def command(_place: Place) -> list[str]:
    return ["cp2k.psmp", "-i", str(JOBS / "cp2k" / "water.inp"), "-o", "water.out"]


def result(place: Place, _output: str) -> Result:
    """The last step's potential and kinetic energies; all bits that it writes of positions."""
    words = text_of(place.work / "water-1.ener").split("\n")[-2:][0].split()
    try:
        numbers = {"step": float(words[0]), "temperature": float(words[3]), "potential": float(words[4])}
    except (ValueError, IndexError):
        raise BadResult("water-1.ener has no energies") from None
    return Result(digest_of(place.work / "water-pos-1.xyz"), numbers)


RECIPE = Recipe(
    "cp2k",
    "CP2K (Fortran, MPI and OpenMP): 4 molecules of water, a step on DFT forces, two ranks",
    command,
    result,
    debian=("cp2k", "cp2k-data", "openmpi-bin"),
    programs=("cp2k.psmp", "mpirun"),
    files=("recipes/cp2k.py", "jobs/cp2k/water.inp"),
    ranks=2,
    expected={"step": (1.0, 0.0), "potential": (-68.456, 0.01)},  # hartree
    tolerances={"potential": 1e-8, "temperature": 1e-5},
)
