"""report_costs.py: a round of short runs, its table and its result."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from lab import results  # noqa: E402


@unittest.skipUnless(importlib.util.find_spec("scipy"), "needs scipy")
# muster-test: full it measures
class ReportCosts(unittest.TestCase):
    def test_a_round(self) -> None:
        with tempfile.TemporaryDirectory(prefix="muster-report-costs-test-") as folder:
            file = Path(folder) / "costs.json"
            words = ["--rounds", "1", "--seconds", "0.01", "--build", os.environ["MUSTER_TEST_BUILD"], "--json", file]
            script = ROOT / "campaigns" / "report_costs.py"
            done = subprocess.run(
                [sys.executable, script, *words, "--applications"], capture_output=True, text=True, timeout=120
            )
            self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: a bar is missed, where the machine is busy
            (table,) = results.read(file).tables
        self.assertIn("bar", done.stdout)
        settings = [row[4] for row in table.rows]
        self.assertEqual(settings, ["report", "sites", "timeline"] * 4)
        self.assertEqual({row[2] for row in table.rows}, {"ns"})
        self.assertTrue(all(row[3] > 0 for row in table.rows))


if __name__ == "__main__":
    unittest.main()
