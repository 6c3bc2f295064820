"""Where the build's files are, and the variables by which tests find them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab import options
from lab.compilers import compile_old_runtime
from lab.runtimes import LIBGOMP

ROOT = Path(__file__).resolve().parents[2]
GATE_RUNTIMES = ("libomp19", "libgomp12")  # as installed from Debian's packages: all that the gate needs


values_by_option = functools.cache(options.values_of)


@dataclass(frozen=True)
class Places:
    build: Path = ROOT / "build/release"
    library: Path | None = None  # None: stock against stock, which checks the tests themselves
    runtimes: Path = ROOT / "build/release/runtimes"  # tests/runtimes/fetch.py fills it
    settings: Mapping[str, str] = field(default_factory=dict)  # --set: what a suite takes by hand
    extra: Mapping[str, str] = field(default_factory=dict)  # --env: for preloaded runs

    def programs(self, suite: str) -> Path:
        """Where a suite's programs are built."""
        return self.build / "test-programs" / suite

    def has(self, runtime: str) -> bool:
        return any((self.runtimes / runtime / name).exists() for name in ("libomp.so.5", LIBGOMP))

    @property
    def old_runtime(self) -> Path:
        return compile_old_runtime(self.build / "test-programs")

    def values_of(self, variable: str) -> tuple[str, ...]:
        """The values of an option, `50us` standing for a number of microseconds."""
        return tuple(value.replace("<n>", "50") for value in values_by_option(self.build / "bin/muster")[variable])

    def environment(self) -> dict[str, str]:
        """For tests in a process of their own."""
        build, binaries, library = self.build, self.build / "bin", self.library or self.build / "lib/libmuster.so"
        found = {
            "CC": "clang-19",
            "CXX": "clang++-19",
            "CMAKE_COMMAND": "cmake",
            "EPCC_BIN": binaries,
            "GANG": binaries / "gang",
            "LOADGRID": build / "campaigns/loadgrid",
            "MUSTER_BUILD_DIR": build,
            "MUSTER_CLUSTER": binaries / "cluster",
            "MUSTER_COHERENCE": binaries / "coherence",
            "MUSTER_DEFINITIONS_PROBE": binaries / "muster_definitions_probe",
            "MUSTER_ENTRY_POINTS": build / "runtime-hooks/entry-points",
            "MUSTER_LIBRARY": library,
            "MUSTER_RUNS": ROOT / "sim/cluster/runs",
            "MUSTER_RUNTIMES": self.runtimes,
            "MUSTER_SMP": binaries / "smp",
            "MUSTER_SMP_RUNS": ROOT / "sim/smp/runs",
            "MUSTER_SOURCE_DIR": ROOT,
            "MUSTER_TEST_BUILD": build,
            "MUSTER_THUNKS_ALONE": build / "lib/libmuster_thunks_alone.so",
            "MUSTER_UNKNOWN_ENTRIES_PROBE": binaries / "muster_unknown_entries_probe",
        }
        return {name: str(value) for name, value in found.items()} | self.bytecode()

    def bytecode(self) -> dict[str, str]:
        """Modules are compiled once, and not beside the sources."""
        return {"PYTHONPYCACHEPREFIX": str(self.build / "pycache"), "PYTHONDONTWRITEBYTECODE": ""}


PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable  # Debian's packages are for it
