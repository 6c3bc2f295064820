"""The kernels: what there is, how they are compiled and run. For run.py here and for campaigns/programs.py."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lab import runs
from lab.compilers import CLANG, GCC, BuildError, build
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


def _compile(source: Path, compiler: str, output: Path, libomp: Path) -> None:
    """Unless it was compiled by the same commands after the sources' last change."""
    item = output.with_suffix(output.suffix + ".o")
    # Without -fopenmp at the link: each compiler would add its own runtime.
    commands = [
        [compiler, "-O2", "-g", "-fopenmp", *STANDARDS[source.suffix], "-c", str(source), "-o", str(item)],
        [compiler, str(item), "-o", str(output), f"-L{libomp}", "-lomp", "-lm", "-pthread"],
    ]
    text = "\n".join(" ".join(command) for command in commands)
    stamp = output.with_suffix(output.suffix + ".command")
    newest = max(path.stat().st_mtime for path in (source, SOURCES / "kernel.h"))
    if output.exists() and output.stat().st_mtime > newest and stamp.exists() and stamp.read_text() == text:
        return
    for command in commands:
        build(command)
    if "libgomp" in build(["ldd", output]):
        raise BuildError(f"{output} is linked with libgomp")
    stamp.write_text(text)


def compile_kernels(
    variants: tuple[str, ...], folder: Path, libomp: Path, jobs: int = 2
) -> tuple[list[Binary], list[str]]:
    """The binaries, linked with the libomp in that folder; and a line for each that has no compiler here.

    Only Fortran may be missing: its compilers are not needed for anything else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    binaries, missing, pending = [], [], []
    with ThreadPoolExecutor(jobs) as pool:
        for source in sources():
            for variant in variants:
                names = COMPILERS[variant, source.suffix]
                compiler = next((path for name in names if (path := shutil.which(name))), None)
                if compiler is None and source.suffix != ".f90":
                    raise BuildError(f"{names[0]} is not installed")
                if compiler is None:
                    missing.append(f"{source.stem} by {variant}: {names[-1]} is not installed")
                    continue
                binary = Binary(source.stem, variant, folder / f"{source.stem}.{variant}")
                pending.append(pool.submit(_compile, source, compiler, binary.path, libomp))
                binaries.append(binary)
        for item in pending:
            item.result()
    return binaries, missing


def execute(binary: Path, arguments: list[str], settings: dict[str, str], limit: float) -> Outcome:
    return runs.run([binary, *arguments], clean_environment() | settings, limit, own_session=False)
