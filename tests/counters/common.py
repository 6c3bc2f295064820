"""What the tests of counters share: building programs, running them stock and preloaded, the report.

Environment: MUSTER_LIBRARY, libmuster.so.
"""

from __future__ import annotations

import ctypes.util
import functools
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab import runs  # noqa: E402
from lab.environment import clean_environment  # noqa: E402
from lab.options import values_of  # noqa: E402
from lab.reports import load  # noqa: E402

PROGRAMS = Path(__file__).resolve().parent / "programs"
LIBRARY = os.environ["MUSTER_LIBRARY"]
PREFIX = "muster: MUSTER_COUNTERS: "
FAULTS = "perf::PAGE-FAULTS"
SWITCHES = "perf::CONTEXT-SWITCHES"
TIMEOUT = 60.0

_folder = tempfile.TemporaryDirectory(prefix="muster-counters-")
FOLDER = Path(_folder.name)


@functools.cache
def values(variable: str) -> list[str]:
    """The values that this build's option has; 50us stands for any time."""
    listed = values_of(Path(LIBRARY).parents[1] / "bin" / "muster")[variable]
    return [value.replace("<n>", "50") for value in listed]


@functools.cache
def build(source: str, compiler: str = "clang-19", *flags: str) -> Path:
    """The built binary; gcc's objects are linked with libomp by clang."""
    output = FOLDER / f"{source}.{compiler}"
    file = PROGRAMS / f"{source}.c"
    if source == "fake_papi":
        commands = [[compiler, "-O2", "-shared", "-fPIC", "-pthread", str(file), "-o", str(output)]]
    elif compiler == "gcc":
        item = f"{output}.o"
        commands = [
            [compiler, "-O2", "-fopenmp", "-c", str(file), "-o", item],
            ["clang-19", "-fopenmp", item, "-o", str(output), *flags],
        ]
    else:
        commands = [[compiler, "-O2", "-fopenmp", str(file), "-o", str(output), "-pthread", *flags]]
    for command in commands:
        subprocess.run(command, check=True, timeout=TIMEOUT)
    return output


def reason_without_libsde() -> str | None:
    """Why the tests that need PAPI's development files cannot run; None if they can."""
    if ctypes.util.find_library("sde") is None:
        return "libsde (Debian: libsde1) is not installed"
    for header in ("papi.h", "sde_lib.h"):
        done = subprocess.run(
            ["clang-19", "-E", "-include", header, "-xc", "/dev/null"], capture_output=True, check=False
        )
        if done.returncode != 0:
            return f"{header} (Debian: libpapi-dev) is not installed"
    return None


def run(command: list[str], extra: dict[str, str] | None = None, directory: Path = FOLDER) -> runs.Outcome:
    environment = clean_environment("PAPI_", "FAKE_") | (extra or {})
    return runs.run(command, environment, TIMEOUT, directory, own_session=False)


class CountingTest(unittest.TestCase):
    """Stock against preloaded with counters: same status and output, and what the report says."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-counters-run-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.report: dict[str, Any] = {}
        self.lines: list[str] = []

    def count(
        self, mode: str, events: str, extra: dict[str, str] | None = None, compiler: str = "clang-19"
    ) -> dict[str, Any]:
        """Counts in the program; its counters in the report. All of stderr is in self.lines."""
        command = [str(build("working", compiler)), mode]
        stock = run(command, directory=self.folder)
        path = self.folder / "report.json"
        environment = {
            "LD_PRELOAD": LIBRARY,
            "MUSTER_COUNTERS": events,
            "MUSTER_REPORT": str(path),
            **(extra or {}),
        }
        ours = run(command, environment, directory=self.folder)
        self.lines = ours.stderr.splitlines()
        self.assertEqual((ours.status, ours.stdout), (stock.status, stock.stdout), ours.stderr)
        self.report = load(path)
        self.assertGreater(self.report["barriers"]["replaced"] + self.report["fork_join"]["folded"], 0)
        counters = self.report["counters"]
        self.assertEqual(counters["setting"], events)
        return counters

    def values(self, counters: dict[str, Any]) -> dict[str, tuple[int, int]]:
        return {event["name"]: (event["waiting"], event["rest"]) for event in counters["events"]}
