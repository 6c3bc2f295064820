"""Runs the built `muster calibrate`: idle, beside CPU hogs, on one CPU.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from lab.hogs import hogs  # noqa: E402

MUSTER = Path(os.environ["MUSTER_BUILD_DIR"]) / "bin" / "muster"


def calibrate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MUSTER, "calibrate", *arguments], capture_output=True, text=True, timeout=120, check=False
    )


class Calibrate(unittest.TestCase):
    COSTS = ("context_switch", "wake", "wake_call")

    def assert_sane(self, shown: dict) -> None:
        least, most = shown["bounds_ns"]
        for key in self.COSTS:
            cost = shown[key]
            self.assertTrue(least <= cost["ns"] <= most, shown)
            self.assertEqual(cost["note"] == "measured", cost["measured_rounds"] > 0, shown)
            self.assertEqual(cost["median_ns"] is not None, cost["measured_rounds"] > 0, shown)
            if cost["measured_rounds"]:
                self.assertLessEqual(cost["ns"], cost["median_ns"])
                self.assertGreater(cost["repeats"], 0)

    def test_as_json(self) -> None:
        done = calibrate("--json", "--rounds", "7")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = json.loads(done.stdout)
        self.assertEqual(shown["rounds"], 7)
        self.assert_sane(shown)

    def test_as_text(self) -> None:
        done = calibrate("--rounds", "3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("context switch ", "wake-up ", "wake call ", "bounds         a figure is believed from 0.20 us"):
            self.assertIn(words, done.stdout)

    def test_beside_hogs(self) -> None:
        with hogs(2):
            shown = json.loads(calibrate("--json", "--rounds", "3").stdout)
        self.assert_sane(shown)

    def test_one_cpu_is_said(self) -> None:
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        try:
            shown = json.loads(calibrate("--json", "--rounds", "3").stdout)
            text = calibrate("--rounds", "3").stdout
        finally:
            os.sched_setaffinity(0, allowed)
        self.assertEqual(shown["wake"]["note"], "as context switch: one CPU")
        self.assertEqual(shown["wake"]["ns"], shown["context_switch"]["ns"])
        self.assertIn("wake-up: 3 of 3 rounds not measured (as context switch: one CPU)", text)

    def test_bad_rounds(self) -> None:
        for rounds in ("0", "-1", "1001", "many"):
            done = calibrate("--rounds", rounds)
            self.assertEqual((done.returncode, done.stdout), (2, ""), rounds)
            self.assertIn("rounds", done.stderr)


if __name__ == "__main__":
    unittest.main()
