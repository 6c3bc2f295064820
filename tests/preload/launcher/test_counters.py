"""Runs the built `muster counters`, with the system's libpapi, without any, and with a told one.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

MUSTER = Path(os.environ["MUSTER_BUILD_DIR"]) / "bin" / "muster"
FAKE_PAPI = Path(__file__).resolve().parents[2] / "counters" / "programs" / "fake_papi.c"
QUANTITIES = ("failed store-conditionals", "L2 misses")


def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [MUSTER, *arguments], capture_output=True, text=True, timeout=60, check=False, env=os.environ | extra
    )


class Counters(unittest.TestCase):
    def listing(self, *arguments: str, **extra: str) -> dict:
        done = run("counters", "--json", *arguments, **extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = json.loads(done.stdout)
        for event in shown["events"]:
            # Either it is available, or there is a reason why not.
            self.assertEqual(event["available"], event["reason"] is None, event)
            self.assertTrue(event["note"] and event["source"], event)
        return shown

    def test_as_json(self) -> None:
        shown = self.listing()
        self.assertEqual(shown["library"] is None, shown["unavailable"] is not None)
        available = {event["name"] for event in shown["events"] if event["available"]}
        self.assertLessEqual({"perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "perf::TASK-CLOCK"}, available)
        for group, preset in zip(QUANTITIES, ("PAPI_CSR_FAL", "PAPI_L2_TCM")):
            self.assertIn(preset, [event["name"] for event in shown["events"] if event["group"] == group])
        for event in shown["events"]:
            self.assertIn(event["family"], (None, shown["family"]))

    def test_as_text(self) -> None:
        done = run("counters")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in (*QUANTITIES, "cpu  ", "papi  ", "paranoid  ", "perf::PAGE-FAULTS: available"):
            self.assertIn(words, done.stdout)

    def test_all_cpus(self) -> None:
        shown = self.listing("--all")
        found = {(event["family"], event["group"]) for event in shown["events"]}
        for family in ("POWER3", "POWER4", "POWER9", "Neoverse V2", "Skylake", "Zen 4"):
            for group in QUANTITIES:
                self.assertIn((family, group), found)
        for event in shown["events"]:
            if event["family"] not in (None, shown["family"]):
                self.assertEqual(event["reason"], "another CPU's")

    def test_without_papi(self) -> None:
        shown = self.listing(MUSTER_PAPI="/nonexistent")
        self.assertIsNone(shown["library"])
        self.assertIn("/nonexistent", shown["unavailable"])
        for event in shown["events"]:
            self.assertEqual(event["available"], event["name"].startswith("perf::"), event)

    def test_forbidden(self) -> None:
        """A PAPI that knows the table's events, and may count none."""
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "libpapi.so"
            subprocess.run(["clang-19", "-shared", "-fPIC", FAKE_PAPI, "-o", library], check=True)
            shown = self.listing(MUSTER_PAPI=str(library), FAKE_PAPI="disabled")
            self.assertEqual(shown["library"], "7.0.0.0")
            (preset,) = (event for event in shown["events"] if event["name"] == "PAPI_L2_TCM")
            self.assertIn("paranoid=3", preset["reason"])
            self.assertIn("perf_event_paranoid is", preset["reason"])

    def test_run_has_the_flags(self) -> None:
        done = run("run", "--counters", "A,perf::PAGE-FAULTS", "--papi", "/x/libpapi.so", "--dry-run", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("MUSTER_COUNTERS=A,perf::PAGE-FAULTS", done.stdout)
        self.assertIn("MUSTER_PAPI=/x/libpapi.so", done.stdout)
        done = run("run", "--counters", "A,,B", "--", "true")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--counters", done.stderr)


if __name__ == "__main__":
    unittest.main()
