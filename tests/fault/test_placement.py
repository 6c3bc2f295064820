"""Muster moves threads beside strangers: their affinity must be their own again wherever it shows."""

from __future__ import annotations

import os
import subprocess
import sys

from harness import FaultTest, program

BURN = "import os\nwhile os.getppid() == {parent}: sum(range(100000))"


class Placement(FaultTest):
    def burn(self, count: int) -> None:
        for _ in range(count):
            burner = subprocess.Popen([sys.executable, "-c", BURN.format(parent=os.getpid())])
            self.addCleanup(burner.wait)
            self.addCleanup(burner.kill)

    def run_beside_burners(self, extra: dict[str, str]) -> dict[str, int]:
        """What the report says of waiting."""
        cpus = len(os.sched_getaffinity(0))
        self.burn(cpus)
        threads = str(4 * cpus)
        ours = self.compare([program("placed"), "1500"], {"OMP_NUM_THREADS": threads, **extra})
        self.assertEqual(ours.stdout, "placed: checksum 1, ok\n")
        report = self.assert_replaced(100)
        return report.get("waiting", {})

    def test_affinity_is_given_back(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU: there is nowhere to move to")
        waiting = self.run_beside_burners({})
        if self.preloaded:
            self.assertGreaterEqual(waiting["gatherings"], 1, waiting)
            self.assertGreaterEqual(waiting["moves"], 2, waiting)

    def test_switched_off(self) -> None:
        waiting = self.run_beside_burners({"MUSTER_PLACE": "off", "MUSTER_SLICE": "off"})
        self.assertEqual(waiting.get("moves", 0), 0)
