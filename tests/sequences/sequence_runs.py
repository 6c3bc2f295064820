"""Compiles the programs and runs them."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from emitting import sequence_file
from plan import VARIANTS, Case

from lab import reports, runs
from lab.compilers import CLANG, GCC, build_once, installed
from lab.environment import clean_environment, preload
from lab.runtimes import OLD_RUNTIMES, loader_command

PROGRAMS = Path(__file__).resolve().parent / "programs"
OWN_LINE = re.compile(r"\d\.\d\d \w+: |main: ")


@dataclass(frozen=True)
class Printed:
    """What a run printed, in lines."""

    status: int | None  # None: it ran out of time
    lines: tuple[str, ...]  # the program's own, sorted: threads write them in any order
    others: tuple[str, ...]  # the runtime's

    def same_as(self, other: Printed) -> bool:
        return (self.status, self.lines) == (other.status, other.lines)

    def difference(self, stock: Printed) -> str:
        status = "hangs" if self.status is None else f"status {self.status}"
        text = f"{status}, stock {stock.status}" if self.status != stock.status else ""
        ours = [line for line in self.lines if line not in stock.lines]
        theirs = [line for line in stock.lines if line not in self.lines]
        if ours or (theirs and not text):
            text += f"; {ours[:1]} where stock has {theirs[:1]}"
        others = [line for line in self.others if line not in stock.others]
        return text + (f"; {others[:2]}" if others else "")


@dataclass(frozen=True)
class Compiler:
    build: Path
    libomp: Path  # the folder of the libomp that the objects of gcc are linked with

    def binary(self, variant: str, name: str = "steps") -> Path:
        return self.build / f"{name}.{variant}"

    def module(self, variant: str) -> Path:
        return self.build / f"module.{variant}.so"

    def _commands(self, source: Path, variant: str, level: str, output: Path, *flags: str) -> list[list[str | Path]]:
        """main.cpp comes along with a program's steps. Without -fopenmp at the link: gcc would add libgomp."""
        compiler = installed((CLANG if variant == "clang" else GCC)[1])
        own = ["-fopenmp", "-std=c++20", "-g1", "-fPIC", "-w", f"-I{PROGRAMS}"]
        if variant == "gcc":
            own.append("-DWITHOUT_TARGETS")
        sources = [(source, level)] if flags else [(PROGRAMS / "main.cpp", "-O2"), (source, level)]
        items = [(one, output.with_name(f"{output.name}.{one.stem}.o"), its_level) for one, its_level in sources]
        runtime = [f"-L{self.libomp}", "-lomp"] if variant == "gcc" else ["-fopenmp"]
        link = [compiler, *flags, *(item for _, item, _ in items), "-o", output, *runtime, "-ldl", "-pthread"]
        return [*([compiler, *own, its_level, "-c", one, "-o", item] for one, item, its_level in items), link]

    def _make(self, source: Path, variant: str, level: str, output: Path, *flags: str) -> None:
        commands = self._commands(source, variant, level, output, *flags)
        build_once(output, commands, source, *PROGRAMS.iterdir())

    def compile_steps(self, jobs: int, variants: Iterable[str] = VARIANTS) -> None:
        interpreter, module = PROGRAMS / "interpreter.cpp", PROGRAMS / "module.cpp"
        with ThreadPoolExecutor(jobs) as pool:
            done = [pool.submit(self._make, module, v, "-O2", self.module(v), "-shared") for v in variants]
            done += [pool.submit(self._make, interpreter, v, "-O2", self.binary(v)) for v in variants]
        for future in done:
            future.result()

    def compile_unit(self, variant: str, cases: list[Case]) -> Path:
        """Some sequences, each compiled into one function."""
        number = zlib.crc32(" ".join(map(str, cases)).encode())
        self.build.mkdir(parents=True, exist_ok=True)
        source = self.build / f"unit{number:08x}.cpp"
        text = sequence_file([case.steps for case in cases])
        if not source.exists() or source.read_text() != text:
            made = source.with_name(f"{source.name}.{os.getpid()}")
            made.write_text(text)
            made.rename(source)
        self._make(source, variant, "-O3", self.binary(variant, source.stem))
        return self.binary(variant, source.stem)


@dataclass(frozen=True)
class Runner:
    compiler: Compiler
    runtimes: Path
    library: Path | None  # None: the second run is stock, too
    old_runtime: Path
    timeout: float

    def environment(self, case: Case, preloaded: bool, report: str = "") -> dict[str, str]:
        library = self.library if preloaded else None
        found = preload(library, self.old_runtime if case.runtime in OLD_RUNTIMES else None) | {
            "LD_LIBRARY_PATH": str(self.runtimes / case.runtime),
            "SEQUENCES_MODULE": str(self.compiler.module(case.variant)),
            "OMP_NUM_THREADS": str(case.size),
            "OMP_DYNAMIC": "false",
            # After omp_set_dynamic libomp sizes teams by the machine's load, unless this is set.
            "KMP_DYNAMIC_MODE": "thread_limit",
            "OMP_MAX_ACTIVE_LEVELS": str(case.levels),
            "OMP_SCHEDULE": "static",
            "OMP_TARGET_OFFLOAD": "disabled",
            "OMP_WAIT_POLICY": "passive",
            # Its helper threads are roots of libomp's own, in which regions fail an assertion of it now and then.
            "LIBOMP_USE_HIDDEN_HELPER_TASK": "0",
        }
        if "b" in case.flags:
            found["OMP_PROC_BIND"] = "true"
        if "s" in case.flags:
            found["OMP_WAIT_POLICY"] = "active"
        if "l" in case.flags:
            found["OMP_NUM_THREADS"] = f"{case.size},2"
        if library:
            found |= {"MUSTER_FORKJOIN": case.mode, "MUSTER_WAIT": case.wait, "MUSTER_BARRIER": case.barrier}
            if report:
                found["MUSTER_REPORT"] = report
        return found

    def command(self, case: Case, unit: tuple[Path, int] | None, rounds: int = 1) -> list[str]:
        binary, steps = (unit[0], [f"s{unit[1]}"]) if unit else (self.compiler.binary(case.variant), [*case.steps])
        loader = loader_command(self.runtimes / case.runtime)
        words = [case.context, case.size, case.times, rounds, case.flags]
        return [*loader, str(binary), *map(str, words), *steps]

    def line(self, case: Case, unit: tuple[Path, int] | None) -> str:
        """For a shell: the preloaded run alone."""
        return runs.command_line(self.command(case, unit), self.environment(case, True))

    def execute(self, command: list[str], environment: dict[str, str], timeout: float = 0) -> Printed:
        limit = timeout or self.timeout
        ended = runs.run(command, clean_environment() | environment, limit, one_stream=True)
        lines = ended.stdout.splitlines()
        own = tuple(sorted(line for line in lines if OWN_LINE.match(line)))
        return Printed(ended.status, own, tuple(line for line in lines if not OWN_LINE.match(line)))


def folds_of(report: Path) -> tuple[int, int] | str:
    """Folds opened and regions folded, from a report; or what is wrong with it."""

    def take(content: reports.Report) -> tuple[int, int] | str:
        if not content["active"] and content["inactive_reason"] != "no OpenMP call":
            return reports.inactive(content)
        return int(content["fork_join"]["opened"]), reports.folded(content)

    try:
        return reports.read(report, take)
    except reports.NoReportError:
        return 0, 0  # no region, or one in a target region of libgomp's: it called nothing that Muster interposes
    except reports.ReportError as error:
        return str(error)
