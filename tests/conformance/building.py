"""Compiles the programs. A binary is built again when its source or command line changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.compilers import CLANG, GCC, build_once, installed

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Variant:
    name: str
    c_compilers: tuple[str, ...]  # the first that is installed
    cpp_compilers: tuple[str, ...]
    flags: tuple[str, ...]
    libgomp_abi: bool = False  # compiled for libgomp, linked with libomp
    runs_on_libgomp: bool = False  # and linked with it: for the runtimes that are one


VARIANTS = (
    Variant("clang-O0", *CLANG, ("-O0",)),
    Variant("clang-O2", *CLANG, ("-O2",)),
    Variant("gcc-O2", *GCC, ("-O2",), libgomp_abi=True),
    Variant("gnu-O2", *GCC, ("-O2",), runs_on_libgomp=True),
)


def variant_named(name: str) -> Variant:
    return next(variant for variant in VARIANTS if variant.name == name)


def compile_program(source: Path, variant: Variant, output: Path, libomp: Path) -> None:
    """`libomp` is the folder of the libomp that the objects of gcc are linked with."""
    cpp = source.suffix == ".cpp"
    compiler = installed(variant.cpp_compilers if cpp else variant.c_compilers)
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
            ["sh", "-c", f"! ldd '{output}' | grep libgomp"],
        ]
    build_once(output, commands, source, *(HERE / "programs").glob("*.h"))
