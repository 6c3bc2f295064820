"""GROMACS: molecules of water, with PME. The box is cut from the water that the package ships; its first hundred steps
of settling are the recipe's preparation, and so every run starts from the same bits."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

from recipe import JOBS, BadResult, Place, Recipe, Result, digest_of, text_of

INPUTS = JOBS / "gromacs"
TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
Water
[ molecules ]
"""
FILES = ("recipes/gromacs.py", "jobs/gromacs/settle.mdp", "jobs/gromacs/run.mdp")
AVERAGES = re.compile(r"Total Energy +Conserved En\. +Temperature.*\n +(\S+) +(\S+) +(\S+)")


def prepare(inputs: Path) -> None:
    def gmx(*words: str | Path) -> None:
        command = ["gmx", "-quiet", *map(str, words)]
        done = subprocess.run(command, cwd=inputs, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise OSError(f"{' '.join(command[:3])}: {' '.join(done.stderr.split())[-200:]}")

    (inputs / "water.top").write_text(TOPOLOGY)
    gmx("solvate", "-cs", "spc216.gro", "-box", "3", "3", "3", "-p", "water.top", "-o", "box.gro")
    gmx("grompp", "-f", INPUTS / "settle.mdp", "-c", "box.gro", "-p", "water.top", "-o", "settle.tpr")
    gmx("mdrun", "-s", "settle.tpr", "-deffnm", "settled", "-ntmpi", "1", "-ntomp", "1", "-nb", "cpu", "-reprod")
    gmx("grompp", "-f", INPUTS / "run.mdp", "-c", "settled.gro", "-p", "water.top", "-o", "run.tpr")


def simulation(place: Place, program: str, *words: str) -> list[str]:
    tpr = str(place.inputs / "run.tpr")
    return [program, "-quiet", "mdrun", "-s", tpr, "-deffnm", "run", "-nb", "cpu", "-reprod", *words]


def result(place: Place, _output: str) -> Result:
    """Averages of the run, from its log, and all bits of energies, positions and velocities."""
    found = AVERAGES.search(text_of(place.work / "run.log").split("A V E R A G E S")[-1])
    try:
        means = [float(word) for word in found.groups()] if found else []
        numbers = dict(zip(("energy", "conserved", "temperature"), means, strict=True))
    except ValueError:
        raise BadResult("run.log has no averages") from None
    return Result(digest_of(place.work / "run.edr", place.work / "run.gro"), numbers)


# Of 884 molecules: kJ/mol, K. Chaos parts trajectories of other orders of summation; their averages stay near.
EXPECTED = {"energy": (-35_450.0, 700.0), "temperature": (285.0, 25.0)}
TOLERANCES = {"energy": 0.01, "conserved": 0.01, "temperature": 0.03}

GROMACS = Recipe(
    "gromacs",
    "GROMACS: gmx mdrun, 884 molecules of water with PME, 1,000 steps",
    lambda place: simulation(place, "gmx", "-ntmpi", "1"),
    result,
    debian=("gromacs", "gromacs-data"),
    programs=("gmx",),
    files=FILES,
    prepare=prepare,
    environment={"GMX_MAXBACKUP": "-1"},
    expected=EXPECTED,
    tolerances=TOLERANCES,
)
GROMACS_MPI = replace(
    GROMACS,
    name="gromacs-mpi",
    title="GROMACS: gmx_mpi mdrun, the same under mpirun, two ranks",
    command=lambda place: simulation(place, "gmx_mpi"),
    debian=("gromacs", "gromacs-data", "openmpi-bin"),
    programs=("gmx", "gmx_mpi", "mpirun"),
    ranks=2,
)
