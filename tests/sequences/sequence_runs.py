"""Compiles the programs and runs them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from emitting import sequence_file
from plan import OLD_RUNTIMES, VARIANTS, Case

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

from building import CLANG, GCC, BuildError, _installed, compile_old_runtime  # noqa: E402
from running import LIBGOMP, clean_environment, loader_command, run_in_session  # noqa: E402

__all__ = ["LIBGOMP", "BuildError", "Compiler", "Outcome", "Runner", "compile_old_runtime", "folds_of"]

PROGRAMS = HERE / "programs"
OWN_LINE = re.compile(r"\d\.\d\d \w+: |main: ")


@dataclass(frozen=True)
class Outcome:
    status: int | None  # None: it ran out of time
    lines: tuple[str, ...]  # the program's own, sorted: threads write them in any order
    others: tuple[str, ...]  # the runtime's

    def same_as(self, other: Outcome) -> bool:
        return (self.status, self.lines) == (other.status, other.lines)

    def difference(self, stock: Outcome) -> str:
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

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildError(f"{' '.join(command)}\n{done.stderr[:3000]}")

    def _object(self, source: Path, variant: str, level: str) -> Path:
        output = self.build / f"{source.stem}.{variant}.o"
        compiler = _installed((CLANG if variant == "clang" else GCC)[1])
        flags = ["-fopenmp", "-std=c++20", level, "-g1", "-fPIC", "-w", f"-I{PROGRAMS}"]
        if variant == "gcc":
            flags.append("-DWITHOUT_TARGETS")
        command = [compiler, *flags, "-c", str(source), "-o", str(output)]
        stamp = output.with_suffix(".command")
        newest = max(path.stat().st_mtime for path in (source, *PROGRAMS.glob("*.h")))
        fresh = output.exists() and output.stat().st_mtime > newest and stamp.exists()
        if not fresh or stamp.read_text() != " ".join(command):
            self._run(command)
            stamp.write_text(" ".join(command))
        return output

    def _link(self, objects: list[Path], variant: str, output: Path, *flags: str) -> None:
        compiler = _installed((CLANG if variant == "clang" else GCC)[1])
        # Without -fopenmp at the link: gcc would add libgomp.
        runtime = [f"-L{self.libomp}", "-lomp"] if variant == "gcc" else ["-fopenmp"]
        if output.exists() and all(output.stat().st_mtime > item.stat().st_mtime for item in objects):
            return
        made = output.with_name(output.name + ".made")
        self._run([compiler, *flags, *map(str, objects), "-o", str(made), *runtime, "-ldl", "-pthread"])
        made.rename(output)

    def _program(self, variant: str, body: Path, name: str, level: str) -> None:
        objects = [self._object(PROGRAMS / "main.cpp", variant, "-O2"), self._object(body, variant, level)]
        self._link(objects, variant, self.binary(variant, name))

    def _module(self, variant: str) -> None:
        item = self._object(PROGRAMS / "module.cpp", variant, "-O2")
        self._link([item], variant, self.module(variant), "-shared")

    def compile_steps(self, jobs: int) -> None:
        self.build.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(jobs) as pool:
            done = [pool.submit(self._module, variant) for variant in VARIANTS]
            done += [
                pool.submit(self._program, variant, PROGRAMS / "interpreter.cpp", "steps", "-O2")
                for variant in VARIANTS
            ]
        for future in done:
            future.result()

    def compile_unit(self, number: int, variant: str, cases: list[Case]) -> Path:
        """Some sequences, each compiled into one function."""
        source = self.build / f"unit{number}.cpp"
        text = sequence_file([case.steps for case in cases])
        if not source.exists() or source.read_text() != text:
            source.write_text(text)
        self._program(variant, source, source.stem, "-O3")
        return self.binary(variant, source.stem)


@dataclass(frozen=True)
class Runner:
    compiler: Compiler
    runtimes: Path
    library: Path | None  # None: the second run is stock, too
    old_runtime: Path
    timeout: float

    def environment(self, case: Case, preloaded: bool, report: str = "") -> dict[str, str]:
        preloads = [str(self.library)] if preloaded and self.library else []
        if case.runtime in OLD_RUNTIMES:
            preloads.append(str(self.old_runtime))
        found = {
            "LD_LIBRARY_PATH": str(self.runtimes / case.runtime),
            "SEQUENCES_MODULE": str(self.compiler.module(case.variant)),
            "OMP_NUM_THREADS": str(case.size),
            "OMP_DYNAMIC": "false",
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
        if preloads:
            found["LD_PRELOAD"] = ":".join(preloads)
        if preloaded and self.library:
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
        values = self.environment(case, True).items()
        return " ".join(["env", *(f"{k}={shlex.quote(v)}" for k, v in values), *self.command(case, unit)])

    def execute(self, command: list[str], environment: dict[str, str], timeout: float = 0) -> Outcome:
        limit = timeout or self.timeout
        ended = run_in_session(command, clean_environment() | environment, limit, one_stream=True)
        lines = ended.stdout.splitlines()
        own = tuple(sorted(line for line in lines if OWN_LINE.match(line)))
        return Outcome(ended.status, own, tuple(line for line in lines if not OWN_LINE.match(line)))


def folds_of(report: Path) -> tuple[int, int] | str:
    """Folds opened and regions folded, from a report; or what is wrong with it."""
    try:
        content = json.loads(report.read_text())
        if not content["active"] and content["inactive_reason"] != "nothing interposed":
            return f"Muster was inactive: {content['inactive_reason']}"
        return int(content["fork_join"]["opened"]), int(content["fork_join"]["folded"])
    except FileNotFoundError:
        return 0, 0  # nothing of what it called was Muster's: no region, or one in a target region of libgomp's
    except (ValueError, KeyError, TypeError) as error:
        return f"the report is not as documented: {error!r}"
