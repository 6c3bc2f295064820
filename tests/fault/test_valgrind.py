"""Programs under valgrind: it can read the library's debug information, finds nothing, and teams have the sizes asked for."""

from __future__ import annotations

import shutil
import unittest

import harness
from harness import FaultTest, base_environment, for_both_runtimes, preloaded_environment, run


@unittest.skipIf(shutil.which("valgrind") is None, "no valgrind")
class Valgrind(FaultTest):
    def test_sizes_asked_for(self) -> None:
        for runtime, command in for_both_runtimes("asked_sizes", "-gdwarf-4").items():
            extra = {"LD_LIBRARY_PATH": str(harness.places.runtimes / runtime), "OMP_NUM_THREADS": "2"}
            stock = run([command], base_environment(extra))
            self.assertIn("3 2\n", stock.stdout)
            with self.subTest(runtime=runtime):
                switches = {"MUSTER_FORKJOIN": "on", "MUSTER_REPORT": str(self.report_path)}
                ours = run(["valgrind", "-q", command], preloaded_environment(extra | switches))
                self.assertEqual((ours.status, ours.stdout, ours.stderr), (0, stock.stdout, ""))
                self.assert_replaced(18)
                self.report_path.unlink(missing_ok=True)
