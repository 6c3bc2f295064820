"""What the fault tests share: building programs, running them stock and preloaded, comparing."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
import unittest
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from building import compile_program, variant_named

from lab import hogs, machine, runs
from lab.compilers import build_once
from lab.environment import clean_environment, preload
from lab.reports import load
from lab.runs import Outcome

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIMEOUT = 60.0

INCLUDE = HERE.parent / "conformance" / "programs"

Text = str | bytes


@dataclass(frozen=True)
class Places:
    """Where everything is, by the variables that the driver sets."""

    library: Path | None  # None: stock against stock, to check the tests themselves
    runtimes: Path
    build: Path
    runtime: str = "libomp19"
    forks: int = 200  # in test_forked_team
    python: Path | None = None  # an interpreter with packages, in tests/loading

    @property
    def on_libgomp(self) -> bool:
        return self.runtime.startswith("libgomp")


def found_places() -> Places:
    variable = os.environ.get
    build = Path(variable("MUSTER_BUILD_DIR", str(ROOT / "build/release")))
    library = variable("MUSTER_LIBRARY", str(build / "lib/libmuster.so"))
    python = variable("TEST_PYTHON")
    return Places(
        Path(library) if library else None,
        Path(variable("MUSTER_RUNTIMES", str(build / "runtimes"))),
        build / "test-programs" / "fault",
        variable("TEST_RUNTIME", "libomp19"),
        int(variable("TEST_FORKS", "200")),
        Path(python) if python else None,
    )


places = found_places()


# Slices, which what a thread creates by the C library does not inherit, for programs/placed.c.
SLICES = {"MUSTER_SLICE": "auto", "PLACED_BY_LIBRARY": "1"}


def present(*runtimes: str) -> list[str]:
    """Those of the runtimes that are there: the gate has two of them."""
    return [name for name in runtimes if (places.runtimes / name).is_dir()]


@functools.cache
def program_without_openmp(name: str) -> Path:
    """The built binary of a program here, not linked with any runtime."""
    output, source = places.build / name, HERE / "programs" / f"{name}.c"
    return build_once(output, [["clang-19", "-O2", source, "-o", output]], source)


@functools.cache
def program(name: str, of_gcc: bool | None = None) -> Path:
    """The built binary of a program here, by the compiler whose runtime is tested, or by the given one."""
    if of_gcc is None:
        of_gcc = places.on_libgomp
    variant = variant_named("gnu-O2" if of_gcc else "clang-O2")
    output = places.build / (f"{name}.gnu" if of_gcc else name)
    compile_program(HERE / "programs" / f"{name}.c", variant, output, places.runtimes / "libomp19")
    return output


@functools.cache
def shared_object(name: str) -> Path:
    """A program of ours built as a shared object."""
    output, source = places.build / f"{name}.so", HERE / "programs" / f"{name}.c"
    command = ["clang-19", "-O2", "-fopenmp", "-shared", "-fPIC", f"-I{INCLUDE}", source, "-o", output]
    return build_once(output, [command], source)


def on_libgomp() -> dict[str, str]:
    """The environment that a program of gcc needs, whichever runtime is tested."""
    return {"LD_LIBRARY_PATH": str(places.runtimes / "libgomp12")}


def for_both_runtimes(name: str, *flags: str | Path) -> dict[str, Path]:
    """A program or shared object by runtime: gcc's on libgomp, clang's on libomp and libiomp5."""
    built = {}
    for compiler, runtimes in (("gcc", ("libgomp12",)), ("clang-19", ("libomp19", "libiomp5"))):
        mark = f"-{zlib.crc32(' '.join(map(str, flags)).encode()):08x}" if flags else ""
        output = places.build / f"{name}-{compiler}{mark}{'.so' if '-shared' in flags else ''}"
        source = HERE / "programs" / f"{name}.c"
        command = [compiler, "-O2", "-g", "-fopenmp", f"-I{INCLUDE}", source, "-o", output, *flags, "-pthread"]
        built |= dict.fromkeys(present(*runtimes), build_once(output, [command], source))
    return built


def base_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    inherited = clean_environment()
    inherited["LD_LIBRARY_PATH"] = str(places.runtimes / places.runtime)
    inherited["OMP_NUM_THREADS"] = "4"
    return inherited | (extra or {})


def preloaded_environment(extra: dict[str, Any] | None = None) -> dict[str, Any]:
    return base_environment() | preload(places.library) | (extra or {})


def run(
    command: Sequence[str | Path], environment: dict[str, Any], directory: Path | None = None
) -> Outcome:
    return runs.run(command, environment, TIMEOUT, directory, own_session=False)


def start_preloaded(
    command: Sequence[str | Path], extra: dict[str, Any] | None = None, stdin: int | None = None
) -> subprocess.Popen[str]:
    """For tests that do something to the running process."""
    return subprocess.Popen(
        [str(word) for word in command],
        env=preloaded_environment(extra),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# What sometimes ends stock programs, and how often such a run is repeated at most. The C library's own waits, as in
# pthread_join, end the process where futex is denied; mostly the thread to be joined has ended before, and there is no
# wait. Without /proc, libomp fails an assertion where a new thread looks for the stacks of others, in up to a fifth of
# the runs.
GIVES_UP = {
    "The futex facility returned an unexpected error code.": 2,
    "Assertion failure at z_Linux_util.cpp": 9,
}


def run_again(command: Sequence[str | Path], environment: dict[str, str]) -> Outcome:
    """Runs the command, again where it failed for a known reason that is not Muster's."""
    result = run(command, environment)
    for words, repetitions in GIVES_UP.items():
        for _ in range(repetitions):
            if words not in result.stderr:
                break
            result = run(command, environment)
    return result


@functools.cache
def _stock(command: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> Outcome:
    return run_again(command, dict(environment))


def run_stock(command: Sequence[str | Path], extra: dict[str, str] | None = None) -> Outcome:
    """What the program does without Muster, run once: whatever MUSTER_* says is nothing to it.

    Threads sleep, unless the test says how they wait: spinning ones may take minutes on a busy machine.
    """
    environment = base_environment(extra)
    relevant = {name: value for name, value in environment.items() if not name.startswith("MUSTER_")}
    if "KMP_BLOCKTIME" not in relevant:
        relevant.setdefault("OMP_WAIT_POLICY", "passive")
    return _stock(tuple(str(word) for word in command), tuple(sorted(relevant.items())))


class FaultTest(unittest.TestCase):
    """A folder of its own for each test, and the comparisons."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-fault-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.report_path = self.folder / "report.json"

    def start_hogs(self) -> None:
        """As many CPU hogs as CPUs, until the test ends: competitors, which slices and gathering react to."""
        self.enterContext(hogs.hogs(machine.cpus()))

    @property
    def preloaded(self) -> bool:
        return places.library is not None

    def read_report(self, path: Path | None = None) -> dict[str, Any]:
        """The report, which must be complete."""
        report = load(path or self.report_path)
        self.assertIn("barriers", report)
        return report

    def assert_same(self, stock: Outcome, ours: Outcome) -> None:
        """Same status, same output; stderr too, but for Muster's own lines."""
        self.assertEqual((ours.status, ours.stdout), (stock.status, stock.stdout), ours.stderr)
        self.assertEqual(ours.other_lines, stock.stderr.splitlines())

    def assert_shared_reports(self, lines: list[str], processes: int) -> None:
        """Each process that found the report's name taken wrote a line; all files that exist are complete."""
        self.assertLess(len(lines), processes, lines)
        for line in lines:
            self.assertIn("MUSTER_REPORT", line)
        if processes > 1 and self.preloaded:
            files = list(self.folder.iterdir())
            self.assertLessEqual(len(files), 1 + len(lines))
            for file in files:
                self.assertTrue(file.name.startswith(self.report_path.name), file)
                self.read_report(file)
                if file != self.report_path:
                    file.unlink()

    def compare(
        self,
        command: Sequence[str | Path],
        extra: dict[str, str] | None = None,
        status: int | None = 0,
        processes: int = 1,
    ) -> Outcome:
        """Runs stock and preloaded, with a report; gives the preloaded result.

        Muster may complain where several processes want the same report, once each but the first.
        """
        stock = run_stock(command, extra)
        if status is not None:
            self.assertEqual(stock.status, status, f"stock: {stock}")
        environment = preloaded_environment(extra)
        environment["MUSTER_REPORT"] = str(self.report_path)
        ours = run_again(command, environment)
        self.assert_same(stock, ours)
        self.assert_shared_reports(ours.own_lines, processes)
        return ours

    def assert_replaced(self, at_least: int = 1) -> dict[str, Any]:
        """The report, which must have replaced barriers. Empty for stock against stock."""
        if not self.preloaded:
            return {}
        report = self.read_report()
        self.assertTrue(report["active"], report["inactive_reason"])
        self.assertGreaterEqual(report["barriers"]["replaced"], at_least)
        return report

    def assert_inactive(self, reason: str) -> None:
        if not self.preloaded:
            return
        report = self.read_report()
        self.assertFalse(report["active"])
        self.assertEqual(report["inactive_reason"], reason)
        self.assertEqual(report["barriers"]["replaced"], 0)
