"""validate.py and sensitivity.py: what they read in machine files, and how they judge figures."""

from __future__ import annotations

import contextlib
import io
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns"), str(ROOT / "papi-scripts")]

import sensitivity  # noqa: E402
import validate  # noqa: E402
from validate import Cost  # noqa: E402


class ValidateTest(unittest.TestCase):
    def test_the_machine_is_described_by_what_was_measured(self) -> None:
        before = validate.TEMPLATE.read_text()
        after = validate.describe(before, 2.0, 60.0)
        changed = [
            line for line, old in zip(after.splitlines(), before.splitlines(), strict=True) if line != old
        ]
        self.assertEqual(len(changed), 2)
        self.assertTrue(changed[0].startswith("clock_ghz = 2.0 "))
        self.assertTrue(changed[1].startswith("latency_cycles = 120 "))

    def test_another_order_is_found_and_noise_is_not(self) -> None:
        costs = [Cost("a", 0.0, 100.0, 120.0), Cost("b", 0.0, 103.0, 110.0), Cost("c", 0.0, 150.0, 115.0)]
        self.assertEqual(validate.misordered(costs, 0.05), ["c before a"])
        self.assertEqual(validate.misordered(costs, 0.01), ["b before a", "c before a"])

    def test_what_is_too_far_off_is_a_miss(self) -> None:
        for modelled, good in ((126.0, False), (124.0, True), (76.0, True), (74.0, False)):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                self.assertEqual(validate.print_table([Cost("a", 0.0, 100.0, modelled)], 0.25, 0.05), good)
            self.assertEqual("MISSED" in printed.getvalue(), not good)


class SensitivityTest(unittest.TestCase):
    TEXT = "[core]\na = 4  # assumed\nb = 5  # [T02]\nc = 0  # assumed\n[[level]]\nd = 7  # assumed: why\n"

    def test_only_what_is_assumed_is_varied(self) -> None:
        found = [str(one) for one in sensitivity.assumptions(self.TEXT, set())]
        self.assertEqual(found, ["core a = 4", "level d = 7"])
        self.assertIn("core b = 5", [str(one) for one in sensitivity.assumptions(self.TEXT, {"b"})])

    def test_one_number_is_changed(self) -> None:
        last = list(sensitivity.assumptions(self.TEXT, set()))[-1]
        self.assertEqual(last.changed(self.TEXT, 2), self.TEXT.replace("d = 7 ", "d = 14 "))
        self.assertEqual(last.changed(self.TEXT, 0.01), self.TEXT.replace("d = 7 ", "d = 1 "))

    def test_each_machine_of_the_papers_has_claims(self) -> None:
        self.assertEqual([claim.id for claim in sensitivity.claims_on("power3-16")], ["Z2"])
        self.assertEqual(len(sensitivity.claims_on("power4-32")), 6)


if __name__ == "__main__":
    unittest.main()
