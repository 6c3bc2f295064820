"""The kernels: what there is, how they are compiled and run. For suite.py here and for campaigns/programs.py."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from lab import runs
from lab.compilers import CLANG, GCC, BuildError, build_once
from lab.environment import clean_environment
from lab.runs import Outcome

SOURCES = Path(__file__).resolve().parent / "kernels"

VARIANTS = ("clang", "gcc")  # both linked with libomp: gcc's objects call its GOMP_* entry points
COMPILERS: dict[tuple[str, str], tuple[str, ...]] = {  # the first that is installed
    ("clang", ".c"): CLANG[0],
    ("clang", ".cpp"): CLANG[1],
    ("clang", ".f90"): ("flang-new-19", "flang-19", "flang"),
    ("gcc", ".c"): GCC[0],
    ("gcc", ".cpp"): GCC[1],
    ("gcc", ".f90"): ("gfortran-12", "gfortran"),
}
STANDARDS = {".c": ["-std=gnu17"], ".cpp": ["-std=c++20"], ".f90": []}


@dataclass(frozen=True)
class Binary:
    kernel: str
    variant: str
    path: Path


def seconds_of(outcome: Outcome, kernel: str) -> float | None:
    """The time that the kernel measured; None if it did not get so far."""
    for line in outcome.stderr.splitlines():
        name, _, rest = line.partition(": ")
        if name == kernel and rest.endswith(" s"):
            return float(rest.removesuffix(" s"))
    return None


def sources() -> list[Path]:
    return sorted(path for path in SOURCES.iterdir() if path.suffix in STANDARDS)


def compile_kernel(source: Path, variant: str, folder: Path, libomp: Path) -> Binary | None:
    """Linked with the libomp in that folder. None: there is no such compiler; only Fortran's may be missing."""
    names = COMPILERS[variant, source.suffix]
    compiler = next((path for name in names if (path := shutil.which(name))), None)
    if compiler is None:
        if source.suffix != ".f90":
            raise BuildError(f"{names[0]} is not installed")
        return None
    binary = Binary(source.stem, variant, folder / f"{source.stem}.{variant}")
    item = binary.path.with_name(binary.path.name + ".o")
    # Without -fopenmp at the link: each compiler would add its own runtime.
    commands = [
        [compiler, "-O2", "-g", "-fopenmp", *STANDARDS[source.suffix], "-c", source, "-o", item],
        [compiler, item, "-o", binary.path, f"-L{libomp}", "-lomp", "-lm", "-pthread"],
        ["sh", "-c", f"! ldd '{binary.path}' | grep libgomp"],
    ]
    build_once(binary.path, commands, source, SOURCES / "kernel.h")
    return binary


def compile_kernels(variants: tuple[str, ...], folder: Path, libomp: Path) -> tuple[list[Binary], list[str]]:
    """The binaries, and a line for each that has no compiler here."""
    binaries, missing = [], []
    for source in sources():
        for variant in variants:
            binary = compile_kernel(source, variant, folder, libomp)
            if binary is None:
                missing.append(f"{source.stem} by {variant}: no compiler is installed")
            else:
                binaries.append(binary)
    return binaries, missing


def execute(binary: Path, arguments: list[str], settings: dict[str, str], limit: float) -> Outcome:
    return runs.run([binary, *arguments], clean_environment() | settings, limit, own_session=False)
