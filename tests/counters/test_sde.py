"""Muster's own counts as PAPI's software-defined events: listed by PAPI's tool, read by a program."""

from __future__ import annotations

import shutil
import subprocess
import unittest

from common import LIBRARY, CountingTest, build, reason_without_libsde, run

from lab.reports import load

# Each with where the report has it.
EVENTS = {
    "SPINS": "spins_begun",
    "SUCCESSFUL_SPINS": "spins_succeeded",
    "BLOCKS": "blocks",
    "WAKE_UPS": "wakeups",
    "RETRIES": "failed_updates",
    "YIELDS": "yields",
}
NAMES = [f"sde:::MUSTER::{name}" for name in ("EPISODES", *EVENTS)]
BEFORE, FIRST, ALL = 10, 100, 350  # barriers of sde_reader.c


class Listed(unittest.TestCase):
    def setUp(self) -> None:
        if shutil.which("papi_native_avail") is None:
            self.skipTest("papi_native_avail (Debian: papi-tools) is not installed")

    def assert_listed(self, text: str) -> None:
        listed = [name for name in NAMES if f"| {name} " in text]
        self.assertEqual(listed, NAMES)

    def test_of_the_library(self) -> None:
        done = subprocess.run(["papi_native_avail", "-sde", LIBRARY], capture_output=True, text=True, check=True)
        self.assert_listed(done.stdout)

    def test_of_a_preloaded_process(self) -> None:
        linked = subprocess.run(
            ["ldd", str(shutil.which("papi_native_avail"))], capture_output=True, text=True, check=True
        )
        if "libpapi.so" not in linked.stdout:
            self.skipTest("papi_native_avail has its libpapi inside")
        self.assert_listed(run(["papi_native_avail"], {"LD_PRELOAD": LIBRARY}).stdout)


class Read(CountingTest):
    def setUp(self) -> None:
        super().setUp()
        if reason := reason_without_libsde():
            self.skipTest(reason)

    def read(self, compiler: str, **extra: str) -> dict[str, int]:
        path = self.folder / "report.json"
        binary = str(build("sde_reader", compiler, "-lpapi"))
        ours = run([binary, *NAMES], {"LD_PRELOAD": LIBRARY, "MUSTER_REPORT": str(path), **extra})
        self.assertEqual((ours.status, ours.stderr), (0, ""), ours.stdout)
        self.report = load(path)
        lines = ours.stdout.splitlines()
        self.assertEqual(lines[0], f"at first {FIRST}")
        return {name.split("::")[-1]: int(value) for name, value in (line.split() for line in lines[1:])}

    def test_against_the_report(self) -> None:
        for compiler, wait in (("clang-19", "auto"), ("clang-19", "block"), ("gcc", "2cs+")):
            with self.subTest(compiler=compiler, wait=wait):
                counts = self.read(compiler, MUSTER_WAIT=wait, MUSTER_BARRIER="fetch-add")
                self.assertEqual(counts.pop("EPISODES"), ALL)
                self.assertEqual(self.report["barriers"]["instances_replaced"], ALL + BEFORE)
                told = {name: self.report["waiting"][EVENTS[name]] for name in counts}
                for name, count in counts.items():
                    self.assertLessEqual(count, told[name], name)
                    if wait == "block" and name in ("BLOCKS", "WAKE_UPS"):
                        self.assertGreater(count, 0)
                # The report has the waits before PAPI_start as well: at most one of each thread and barrier.
                for name in ("SPINS", "SUCCESSFUL_SPINS"):
                    self.assertLessEqual(told[name] - counts[name], 2 * (BEFORE + 1), name)

    def test_switched_off(self) -> None:
        done = run(["papi_native_avail"], {"LD_PRELOAD": LIBRARY, "MUSTER": "off"})
        self.assertNotIn("sde:::MUSTER", done.stdout)


if __name__ == "__main__":
    unittest.main()
