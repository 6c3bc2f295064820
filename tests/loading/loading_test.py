"""What the tests here share: the host's commands, stock and preloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import objects
from harness import FaultTest
from objects import Runtime

from lab.runs import Outcome

# Two copies of libomp in one process need KMP_DUPLICATE_LIB_OK. Passive: stock's threads would only spin.
ENVIRONMENT = {
    "KMP_DUPLICATE_LIB_OK": "TRUE",
    "LD_LIBRARY_PATH": "",
    "OMP_NUM_THREADS": "4",
    "OMP_WAIT_POLICY": "passive",
}
FORK_JOIN = ("auto", "on")


def opened(name: str, runtime: Runtime, how: str = "") -> str:
    return f"open:{name}:{objects.plugin(runtime)}{':' + how if how else ''}"


class LoadingTest(FaultTest):
    def host(self, *commands: str, processes: int = 1, **extra: str) -> Outcome:
        """Compares runs of the host program; the report stays."""
        self.report_path.unlink(missing_ok=True)
        return self.compare([objects.host(), *commands], {**ENVIRONMENT, **extra}, status=0, processes=processes)

    def reported(self) -> dict[str, Any]:
        """The report; empty for stock against stock."""
        return self.read_report() if self.preloaded else {}

    def assert_runtimes(self, *expected: Runtime) -> None:
        """The report names each, and says of each whether its barriers were replaced."""
        if not self.preloaded:
            return
        found = [Path(entry["path"]).resolve() for entry in self.reported()["runtimes"]]
        for runtime in expected:
            self.assertIn(runtime.file.resolve(), found)
