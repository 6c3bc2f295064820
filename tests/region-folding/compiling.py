"""Compiles the trap programs and their modules, by clang and by gcc, where they are out of date."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from traps import Case

from lab.compilers import CLANG, GCC, BuildError

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
            modules.mkdir(exist_ok=True)
            own.append(f"-J{modules}")
        shared = ["-shared", "-fPIC"] if output.suffix == ".so" else []
        if variant != "gcc":
            return [[compiler, *own, *shared, str(source), "-o", str(output), *LIBRARIES]]
        # Without -fopenmp at the link: it would add libgomp.
        item = str(output) + ".o"
        link = [compiler, *shared, item, "-o", str(output), f"-L{self.libomp}", "-lomp", *LIBRARIES]
        return [[compiler, *own, *shared[1:], "-c", str(source), "-o", item], link]

    def _compile(self, source: Path, variant: str, output: Path, flags: list[str]) -> None:
        commands = self._commands(source, variant, output, flags)
        stamp = output.with_name(output.name + ".command")
        text = "\n".join(" ".join(command) for command in commands)
        newest = max(path.stat().st_mtime for path in (source, *PROGRAMS.glob("*.h")))
        fresh = output.exists() and output.stat().st_mtime > newest and stamp.exists()
        if fresh and stamp.read_text() == text:
            return
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise BuildError(f"{' '.join(command)}\n{done.stderr}")
        stamp.write_text(text)

    def compile_all(self, pairs: Iterable[tuple[Case, str]], jobs: int) -> None:
        self.build.mkdir(parents=True, exist_ok=True)
        wanted: dict[Path, tuple[Path, str, list[str]]] = {}
        for case, variant in pairs:
            wanted[self.binary(case, variant)] = (case.source, variant, list(case.flags))
            module = self.module(case, variant)
            if module is not None:
                source = PROGRAMS / "modules" / f"{case.module}.c"
                wanted[module] = (source, self._module_variant(case, variant), [])
            second = self.second_module(case)
            if second is not None:
                folder = self.libomp.parent / "libiomp5"
                # The old form of a run path, which comes before LD_LIBRARY_PATH.
                path = f"-Wl,--disable-new-dtags,-rpath,{folder}"
                source = PROGRAMS / "modules" / f"{case.module_of_libiomp5}.c"
                wanted[second] = (source, "clang", ["-fopenmp=libiomp5", f"-L{folder}", path])
        with ThreadPoolExecutor(jobs) as pool:
            done = [
                pool.submit(self._compile, source, variant, output, flags)
                for output, (source, variant, flags) in wanted.items()
            ]
        problems = [str(problem) for future in done if (problem := future.exception())]
        if problems:
            raise BuildError("\n".join(problems))
