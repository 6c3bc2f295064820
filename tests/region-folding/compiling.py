"""Compiles the trap programs and their modules, by clang and by gcc."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from traps import Case

from lab.compilers import CLANG, GCC, BuildError, build_once

PROGRAMS = Path(__file__).resolve().parent / "programs"
FORTRAN = {
    "clang": ("flang-new-19", "flang-19", "flang-new", "flang"),
    "gcc": ("gfortran-12", "gfortran"),
}
C_OF = {"clang": CLANG[0], "gcc": GCC[0]}
CPP_OF = {"clang": CLANG[1], "gcc": GCC[1]}
# gnu: linked with libgomp, for a libomp that is preloaded; libgomp: the same, and run on libgomp.
VARIANTS = (*C_OF, "gnu", "libgomp")
LIBRARIES = ("-lm", "-ldl", "-pthread")


@cache
def _first_installed(names: Iterable[str]) -> str | None:
    return next((path for name in names if (path := shutil.which(name))), None)


def compiler_for(source: Path, variant: str) -> str | None:
    """None: this machine has none."""
    table = {".cpp": CPP_OF, ".f90": FORTRAN}.get(source.suffix, C_OF)
    return _first_installed(table.get(variant, table["gcc"]))


def linked_as(variant: str) -> str:
    return "gnu" if variant == "libgomp" else variant


@dataclass(frozen=True)
class Compiler:
    build: Path
    libomp: Path  # the folder of the libomp that the objects of gcc are linked with

    def binary(self, case: Case, variant: str) -> Path:
        return self.build / f"{case.source.stem}.{linked_as(variant)}"

    def second_module(self, case: Case) -> Path | None:
        if case.module_of_libiomp5 is None:
            return None
        return self.build / f"{case.module_of_libiomp5}.libiomp5.so"

    @staticmethod
    def _module_variant(case: Case, variant: str) -> str:
        if case.module_of_libgomp:
            return "gnu"
        return "clang" if case.program_of_libgomp else linked_as(variant)

    def module(self, case: Case, variant: str) -> Path | None:
        if case.module is None:
            return None
        variant = self._module_variant(case, variant)
        return self.build / f"{case.module}.{variant}.so"

    def _commands(
        self, source: Path, variant: str, output: Path, flags: list[str]
    ) -> list[list[str]]:
        compiler = compiler_for(source, variant)
        if compiler is None:
            raise BuildError(f"no compiler for {source.name}, {variant}")
        standard = {".c": ["-std=gnu17"], ".cpp": ["-std=c++20"]}.get(source.suffix, [])
        own = ["-fopenmp", "-O2", "-g", *standard, f"-I{PROGRAMS}", *flags]
        if source.suffix == ".f90":
            modules = output.with_name(output.name + ".modules")
            modules.mkdir(parents=True, exist_ok=True)
            own.append(f"-J{modules}")
        shared = ["-shared", "-fPIC"] if output.suffix == ".so" else []
        if variant != "gcc":
            return [[compiler, *own, *shared, str(source), "-o", str(output), *LIBRARIES]]
        # Without -fopenmp at the link: it would add libgomp.
        item = str(output) + ".o"
        link = [compiler, *shared, item, "-o", str(output), f"-L{self.libomp}", "-lomp", *LIBRARIES]
        return [[compiler, *own, *shared[1:], "-c", str(source), "-o", item], link]

    def _compile(self, source: Path, variant: str, output: Path, flags: list[str]) -> Path:
        return build_once(output, self._commands(source, variant, output, flags), source, *PROGRAMS.glob("*.h"))

    def compile(self, case: Case, variant: str) -> list[Path]:
        """The program and its modules. The second one runs on a libiomp5, whatever the program's runtime is."""
        files = [self._compile(case.source, variant, self.binary(case, variant), list(case.flags))]
        module, second = self.module(case, variant), self.second_module(case)
        if module is not None:
            source = PROGRAMS / "modules" / f"{case.module}.c"
            files.append(self._compile(source, self._module_variant(case, variant), module, []))
        if second is not None:
            folder = self.libomp.parent / "libiomp5"
            # The old form of a run path, which comes before LD_LIBRARY_PATH.
            path = f"-Wl,--disable-new-dtags,-rpath,{folder}"
            source = PROGRAMS / "modules" / f"{case.module_of_libiomp5}.c"
            self._compile(source, "clang", second, ["-fopenmp=libiomp5", f"-L{folder}", path])
        return files
