"""reproduce.py: its claims can be read, and a miss is a miss."""

from __future__ import annotations

import pathlib
import sys
import unittest
from dataclasses import replace

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "papi-scripts"
sys.path.insert(0, str(SCRIPTS))

import reproduce  # noqa: E402
from reproduce import Found, is_accepted  # noqa: E402


class FakeSimulator:
    """Answers from a table, by barrier and number of threads."""

    def __init__(self, table: dict[tuple[str, int, str], float]) -> None:
        self.table = table

    def get(self, _machine: str, barrier: str, threads: int, column: str = "overhead_us") -> float:
        return self.table[barrier, threads, column]


class ReproduceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.claims = reproduce.read_claims((SCRIPTS / "claims.csv").read_text())

    def test_all_that_is_built_is_claimed(self) -> None:
        ids = [claim.id for claim in self.claims]
        self.assertEqual(len(set(ids)), len(ids))
        self.assertLessEqual(set(reproduce.REPRODUCED), set(ids))

    def test_ranges(self) -> None:
        claim = replace(self.claims[0], accept="71..87")
        for value, accepted in ((70.9, False), (71.0, True), (79.0, True), (87.0, True), (87.1, False)):
            self.assertEqual(is_accepted(claim, Found("", value=value)), accepted, value)
        self.assertFalse(is_accepted(claim, Found("", holds=True)))

    def test_claims_without_a_range(self) -> None:
        claim = replace(self.claims[0], accept="fails ratio > 4")
        self.assertTrue(is_accepted(claim, Found("", holds=True)))
        self.assertFalse(is_accepted(claim, Found("", holds=False)))
        self.assertFalse(is_accepted(claim, Found("", value=5.0)))

    def test_a_reduction(self) -> None:
        table = {("dist-sensor", 32, "overhead_us"): 2.0, ("fetch-add", 32, "overhead_us"): 10.0}
        found = reproduce.reduction(FakeSimulator(table), "m", 32, "dist-sensor", "fetch-add")
        self.assertAlmostEqual(found.value, 80.0)

    def test_an_order(self) -> None:
        times = dict(zip(reproduce.PAPERS_FIVE, (9.0, 4.0, 3.0, 5.0, 2.0), strict=True))
        table = {(name, 32, "overhead_us"): time for name, time in times.items()}
        self.assertTrue(reproduce.order(FakeSimulator(table)).holds)
        table["local-sensor", 32, "overhead_us"] = 2.5
        self.assertFalse(reproduce.order(FakeSimulator(table)).holds)

    def test_failures_must_grow_and_passes_stay(self) -> None:
        table = {("fetch-add", n, "sc_passes"): 1.0 for n in (2, 8, 16, 32)}
        table |= {("fetch-add", 8, "sc_fails"): 2.0, ("fetch-add", 32, "sc_fails"): 9.0}
        self.assertTrue(reproduce.failures(FakeSimulator(table)).holds)
        self.assertFalse(reproduce.failures(FakeSimulator(table | {("fetch-add", 2, "sc_passes"): 1.2})).holds)
        self.assertFalse(reproduce.failures(FakeSimulator(table | {("fetch-add", 32, "sc_fails"): 8.0})).holds)


if __name__ == "__main__":
    unittest.main()
