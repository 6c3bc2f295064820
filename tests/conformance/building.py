"""Compiles the programs. A binary is built anew when its source or its command line changed."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from metadata import Program

HERE = Path(__file__).resolve().parent


class BuildError(Exception):
    """What could not be compiled, with the compiler's words."""


@dataclass(frozen=True)
class Variant:
    name: str
    c_compilers: tuple[str, ...]  # the first that is installed
    cpp_compilers: tuple[str, ...]
    flags: tuple[str, ...]
    libgomp_abi: bool = False  # compiled for libgomp, linked with libomp
    runs_on_libgomp: bool = False  # and linked with it: for the runtimes that are one


CLANG = (("clang-19", "clang"), ("clang++-19", "clang++"))
GCC = (("gcc-12", "gcc"), ("g++-12", "g++"))
VARIANTS = (
    Variant("clang-O0", *CLANG, ("-O0",)),
    Variant("clang-O2", *CLANG, ("-O2",)),
    Variant("gcc-O2", *GCC, ("-O2",), libgomp_abi=True),
    Variant("gnu-O2", *GCC, ("-O2",), runs_on_libgomp=True),
)


def variant_named(name: str) -> Variant:
    return next(variant for variant in VARIANTS if variant.name == name)


def _installed(names: tuple[str, ...]) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    raise BuildError(f"{names[0]} is not installed")


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stderr}")


def compile_program(source: Path, variant: Variant, output: Path, libomp: Path) -> None:
    """`libomp` is the folder of the libomp that the objects of gcc are linked with."""
    cpp = source.suffix == ".cpp"
    compiler = _installed(variant.cpp_compilers if cpp else variant.c_compilers)
    standard = "-std=c++20" if cpp else "-std=gnu17"
    compile_flags = ["-fopenmp", standard, *variant.flags, "-g", f"-I{HERE / 'programs'}"]
    if not variant.libgomp_abi:
        commands = [[compiler, *compile_flags, str(source), "-o", str(output), "-lm", "-pthread"]]
    else:
        # Without -fopenmp at the link: it would add libgomp.
        item = str(output.with_suffix(".o"))
        commands = [
            [compiler, *compile_flags, "-c", str(source), "-o", item],
            [compiler, item, "-o", str(output), f"-L{libomp}", "-lomp", "-lm", "-pthread"],
        ]
    stamp = output.with_suffix(".command")
    text = "\n".join(" ".join(command) for command in commands)
    headers = (HERE / "programs").glob("*.h")
    newest = max(path.stat().st_mtime for path in (source, *headers))
    fresh = output.exists() and output.stat().st_mtime > newest and stamp.exists()
    if fresh and stamp.read_text() == text:
        return
    for command in commands:
        _run(command)
    if variant.libgomp_abi:
        listing = subprocess.run(["ldd", str(output)], capture_output=True, text=True, check=False)
        if "libgomp" in listing.stdout:
            raise BuildError(f"{output} is linked with libgomp")
    stamp.write_text(text)


def compile_all(
    pairs: list[tuple[Program, Variant]], folder: Path, libomp: Path, jobs: int
) -> dict[tuple[str, str], Path]:
    """The binaries, by names of program and variant."""
    folder.mkdir(parents=True, exist_ok=True)
    binaries = {
        (program.name, variant.name): folder / f"{program.name}.{variant.name}"
        for program, variant in pairs
    }
    with ThreadPoolExecutor(jobs) as pool:
        done = [
            pool.submit(
                compile_program,
                program.source,
                variant,
                binaries[program.name, variant.name],
                libomp,
            )
            for program, variant in pairs
        ]
        for future in done:
            future.result()
    return binaries


def compile_old_runtime(folder: Path) -> Path:
    """The shared object that stands in for what libomp 14 and 16 lack; see old_runtime.c."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / "libold_runtime.so"
    source = HERE / "old_runtime.c"
    if not output.exists() or output.stat().st_mtime < source.stat().st_mtime:
        compiler = _installed(CLANG[0])
        _run([compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(output)])
    return output
