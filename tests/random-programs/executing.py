"""Compiles source files of generated programs, and runs one program stock and preloaded."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from settings import OLD_RUNTIMES, Settings

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

from building import CLANG, GCC, BuildError, _installed  # noqa: E402
from running import LIBGOMP, clean_environment, loader_command, run_in_session  # noqa: E402

from program import unit_text  # noqa: E402

__all__ = ["LIBGOMP", "BuildError", "Outcome", "Places", "command_line", "compile_unit", "work_done"]

HEADER = HERE / "random_program.h"


@dataclass(frozen=True)
class Outcome:
    status: int | None  # None: it ran out of time
    stdout: str
    stderr: str

    def same_as(self, other: Outcome) -> bool:
        return (self.status, self.stdout) == (other.status, other.stdout)

    def describe(self) -> str:
        status = "no end in time" if self.status is None else f"status {self.status}"
        lines = self.stderr.splitlines()[:3]
        return f"{status}, stdout {self.stdout[-300:]!r}" + (f", stderr {lines}" if lines else "")


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
    compiler = _installed((GCC if flavour.libgomp_abi else CLANG)[1 if flavour.cpp else 0])
    standard = "-std=c++20" if flavour.cpp else "-std=gnu17"
    if flavour.on_libgomp:
        # After a region of one thread libgomp may give others new workers.
        flags = ["-fopenmp", "-DFORGETFUL", standard, level, "-w", "-lm", "-pthread"]
        _command([compiler, str(source), "-o", str(output), *flags])
        return
    item = output.with_suffix(".o")
    _command([compiler, "-fopenmp", standard, level, "-w", "-c", str(source), "-o", str(item)])
    # Without -fopenmp at the link: gcc would add libgomp.
    link = [compiler, str(item), "-o", str(output), f"-L{libomp}", "-lomp", "-lm", "-pthread"]
    _command(link)
    item.unlink()


def _command(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stderr[:3000]}")


@dataclass(frozen=True)
class Places:
    runtimes: Path
    library: Path | None  # None: the second run is stock, too
    old_runtime: Path
    timeout: float

    def environment(self, one: Settings, preloaded: bool) -> dict[str, str]:
        preloads = [str(self.library)] if preloaded and self.library else []
        if one.runtime in OLD_RUNTIMES:
            preloads.append(str(self.old_runtime))
        environment = {"LD_LIBRARY_PATH": str(self.runtimes / one.runtime), **one.stock}
        if preloads:
            environment["LD_PRELOAD"] = ":".join(preloads)
        return environment | (one.muster if preloaded and self.library else {})

    def command(self, binary: Path, one: Settings) -> list[str]:
        return [*loader_command(self.runtimes / one.runtime), str(binary), str(one.seed)]

    def execute(self, binary: Path, one: Settings, environment: dict[str, str]) -> Outcome:
        ended = run_in_session(self.command(binary, one), clean_environment() | environment, self.timeout)
        return Outcome(ended.status, ended.stdout, ended.stderr)


def command_line(command: list[str], environment: dict[str, str]) -> str:
    values = [f"{name}={shlex.quote(value)}" for name, value in sorted(environment.items())]
    return " ".join(["env", *values, *command])


def work_done(report: Path) -> int | str:
    """Arrivals replaced and regions folded, from a report; or what is wrong with it."""
    try:
        content = json.loads(report.read_text())
        if not content["active"]:
            return f"Muster was inactive: {content['inactive_reason']}"
        return int(content["barriers"]["replaced"]) + int(content["fork_join"]["folded"])
    except FileNotFoundError:
        return "no report was written"
    except (ValueError, KeyError, TypeError) as error:
        return f"the report is not as documented: {error!r}"
