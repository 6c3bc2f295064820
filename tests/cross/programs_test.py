"""OpenMP programs of another processor under QEMU, on a real libomp, stock against preloaded: same output and status.

Compiled by gcc (libomp's GOMP entry points) and by clang (__kmpc). Each run's report must tell that barriers were
replaced or regions folded, unless the program is one that Muster leaves alone.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from lab.environment import clean_environment  # noqa: E402
from lab.reports import load  # noqa: E402

CONFORMANCE = HERE.parent / "conformance" / "programs"
OLD_RUNTIME = HERE.parent / "runtimes" / "old_runtime.c"
FOLDING = HERE.parent / "region-folding" / "programs"

# One of each kind of entry point with its own calling convention, and the floating-point environment.
CHOSEN = (
    HERE / "programs" / "floating.c",
    CONFORMANCE / "barrier_stencil.c",
    CONFORMANCE / "many_arguments.c",
    CONFORMANCE / "reduction_scalar.c",
    CONFORMANCE / "task_single.c",
    FOLDING / "getters.c",
)
# Needs something that an emulator of another processor does not have.
NOT_HERE = {
    "exec_itself.c": "executes a program of another processor",
    "floating_flags.c": "x86 only",
    "floating_point.c": "x86 only",
}
TIMEOUT = 120
THREADS = 4
RUNTIME = "libomp16"
SAYS = re.compile(r"^// muster-test: (.*)$", re.MULTILINE)


@dataclass
class Wishes:
    """A program's own metadata (conformance/metadata.py, region-folding/traps.py), without its cases."""

    environment: dict[str, str] = field(default_factory=lambda: {"OMP_NUM_THREADS": str(THREADS)})
    skipped: dict[str, str] = field(default_factory=dict)  # by compiler: why

    @classmethod
    def of(cls, source: Path) -> Wishes:
        out = cls()
        for line in SAYS.findall(source.read_text()):
            word, _, rest = line.partition(" ")
            if word == "case":
                break
            if word == "env":
                name, _, value = rest.partition("=")
                out.environment[name] = value
            elif word == "threads":
                out.environment["OMP_NUM_THREADS"] = rest.split()[0]
            elif word == "skip":
                where, _, why = rest.partition(": ")
                variant, _, runtime = where.partition(" ")
                if runtime in ("", RUNTIME):
                    for compiler in ("gcc", "clang"):
                        if variant == "any" or variant.startswith(compiler):
                            out.skipped[compiler] = why
        return out


class Programs:
    def __init__(self, runtime: Path, target: str, folder: Path) -> None:
        self.runtime = runtime
        self.target = target
        self.folder = folder
        self.emulator = os.environ["MUSTER_EMULATOR"].split()
        self.library = os.environ["MUSTER_LIBRARY"]
        # What clang 19's code calls and libomp 16 does not have yet.
        self.newer = folder / "old_runtime.o"
        command = [f"{target}-gcc", "-O2", "-c", str(OLD_RUNTIME), "-o", str(self.newer)]
        subprocess.run(command, check=True)

    def compile(self, source: Path, compiler: str) -> Path | None:
        """None where the compiler cannot."""
        program = self.folder / f"{source.stem}-{compiler}"
        compiled = program.with_suffix(".o")
        front = {
            "gcc": [f"{self.target}-gcc"],
            "clang": ["clang-19", f"--target={self.target}"],
        }[compiler]
        commands = (
            [*front, "-O2", "-w", "-fopenmp", f"-I{source.parent}", "-c", str(source), "-o", str(compiled)],
            # Linked without -fopenmp, which would bring the compiler's own runtime.
            [f"{self.target}-gcc", str(compiled), str(self.newer), "-o", str(program), f"-L{self.runtime}",
             "-lomp", "-lm", "-ldl", "-rdynamic", "-pthread"],
        )
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                print(f"{program.name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                return None
        return program

    def run(self, program: Path, **guest: str) -> subprocess.CompletedProcess[str]:
        variables = {"LD_LIBRARY_PATH": str(self.runtime), **guest}
        options = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
        command = [*self.emulator, *options, str(program)]
        return subprocess.run(
            command, env=clean_environment(), capture_output=True, text=True, timeout=TIMEOUT, check=False
        )

    def problem(self, source: Path, compiler: str, environment: dict[str, str], must_replace: bool) -> str:
        """Empty if all is well."""
        program = self.compile(source, compiler)
        if program is None:
            return "does not compile"
        report = program.with_suffix(".json")
        try:
            stock = self.run(program, **environment)
            ours = self.run(program, LD_PRELOAD=self.library, MUSTER_REPORT=str(report), **environment)
        except subprocess.TimeoutExpired as timeout:
            return f"took over {TIMEOUT} s: {' '.join(timeout.cmd)}"
        if (ours.returncode, ours.stdout) != (stock.returncode, stock.stdout):
            return (
                f"stock: status {stock.returncode}\n{stock.stdout}\npreloaded: status {ours.returncode}\n"
                f"{ours.stdout}\n{ours.stderr}"
            )
        if must_replace:
            told = load(report)
            if told["barriers"]["replaced"] == 0 and told["fork_join"]["folded"] == 0:
                return f"nothing was replaced: {report.read_text()}"
        return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runtime", type=Path, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--full", action="store_true", help="every C program of conformance and region-folding")
    arguments = parser.parse_args()
    sources = [(source, True) for source in CHOSEN]
    if arguments.full:
        more = sorted([*CONFORMANCE.glob("*.c"), *FOLDING.glob("*.c")])
        sources += [(source, False) for source in more if source not in CHOSEN and source.name not in NOT_HERE]
        for name, reason in sorted(NOT_HERE.items()):
            print(f"{name}: left out: {reason}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="muster-cross-") as folder:
        programs = Programs(arguments.runtime.resolve(), arguments.target, Path(folder))
        for source, must_replace in sources:
            wishes = Wishes.of(source)
            for compiler in ("gcc", "clang"):
                if compiler in wishes.skipped:
                    print(f"{source.name} by {compiler}: left out: {wishes.skipped[compiler]}")
                    continue
                problem = programs.problem(source, compiler, wishes.environment, must_replace)
                print(f"{source.name} by {compiler}: {problem or 'as stock'}", flush=True)
                failed += problem != ""
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
