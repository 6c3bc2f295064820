"""Compiles source files of generated programs, and runs one program stock and preloaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from program import unit_text
from settings import Settings

from lab import reports, runs
from lab.compilers import CLANG, GCC, build, installed
from lab.environment import clean_environment, preload
from lab.runtimes import OLD_RUNTIMES, loader_command

HEADER = Path(__file__).resolve().parent / "random_program.h"


def compile_unit(
    all_settings: list[Settings], output: Path, libomp: Path, level: str, mutant: bool
) -> None:
    """All of one flavour. Objects of gcc are linked with the libomp in that folder."""
    flavour = all_settings[0].flavour
    text = unit_text([one.seed for one in all_settings], flavour, HEADER)
    if mutant:
        text = "\n".join(line for line in text.splitlines() if "// MUTANT: remove" not in line)
    source = output.with_suffix(".cpp" if flavour.cpp else ".c")
    source.write_text(text)
    compiler = installed((GCC if flavour.libgomp_abi else CLANG)[1 if flavour.cpp else 0])
    standard = "-std=c++20" if flavour.cpp else "-std=gnu17"
    if flavour.on_libgomp:
        # After a region of one thread libgomp may give others new workers.
        flags = ["-fopenmp", "-DFORGETFUL", standard, level, "-w", "-lm", "-pthread"]
        build([compiler, str(source), "-o", str(output), *flags])
        return
    item = output.with_suffix(".o")
    build([compiler, "-fopenmp", standard, level, "-w", "-c", str(source), "-o", str(item)])
    # Without -fopenmp at the link: gcc would add libgomp.
    link = [compiler, str(item), "-o", str(output), f"-L{libomp}", "-lomp", "-lm", "-pthread"]
    build(link)
    item.unlink()


@dataclass(frozen=True)
class Places:
    runtimes: Path
    library: Path | None  # None: the second run is stock, too
    old_runtime: Path
    timeout: float

    def environment(self, one: Settings, preloaded: bool) -> dict[str, str]:
        library = self.library if preloaded else None
        environment = {"LD_LIBRARY_PATH": str(self.runtimes / one.runtime), **one.stock}
        environment |= preload(library, self.old_runtime if one.runtime in OLD_RUNTIMES else None)
        return environment | (one.muster if library else {})

    def command(self, binary: Path, one: Settings) -> list[str]:
        return [*loader_command(self.runtimes / one.runtime), str(binary), str(one.seed)]

    def execute(self, binary: Path, one: Settings, environment: dict[str, str]) -> runs.Outcome:
        return runs.run(self.command(binary, one), clean_environment() | environment, self.timeout)


def work_done(report: Path) -> int | str:
    """Arrivals replaced and regions folded, from a report; or what is wrong with it."""
    try:
        return reports.read(
            report, lambda content: reports.inactive(content) or reports.replaced(content) + reports.folded(content)
        )
    except reports.ReportError as error:
        return str(error)
