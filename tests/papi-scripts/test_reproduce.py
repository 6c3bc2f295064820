"""reproduce.py: its claims can be read, and a miss is a miss."""

from __future__ import annotations

import csv
import io
import tempfile
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest import mock

import scripts

import reproduce  # scripts.py names the folder
from lab.campaign import CampaignError
from lab import results
from claims import PAPERS, module_of, zhang
from claims.claim import Context, Found, Unavailable, is_accepted, read_claims


class FakeSimulator:
    """Answers from a table, by barrier and number of threads."""

    def __init__(self, table: dict[tuple[str, int, str], float]) -> None:
        self.table = table

    def prepare(self, cells: object) -> None:
        pass

    def get(self, _machine: str, barrier: str, threads: int, column: str = "overhead_us") -> float:
        return self.table[barrier, threads, column]


class ReproduceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.claims = read_claims()

    def test_all_that_is_built_is_claimed(self) -> None:
        ids = [claim.id for claim in self.claims]
        self.assertEqual(len(set(ids)), len(ids))
        self.assertLessEqual(set(reproduce.functions()), set(ids))

    def test_each_paper_has_its_own_claims(self) -> None:
        of_paper = {claim.id: claim.paper for claim in self.claims}
        self.assertEqual(set(of_paper.values()), set(PAPERS))
        for paper in PAPERS:
            module = module_of(paper)
            for name in module.REPRODUCED if module is not None else ():
                self.assertEqual(of_paper[name], paper)

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

    def test_every_notation_of_the_claims(self) -> None:
        for accept, published, found, accepted in (
            ("23..44 and flat in the load", "", Found("", values=(25.0, 43.0), holds=True), True),
            ("23..44 and flat in the load", "", Found("", values=(25.0, 43.0)), False),
            ("23..44 and flat in the load", "", Found("", values=(25.0, 45.0), holds=True), False),
            ("> 50 over most of 33..64 threads", "", Found("", value=50.0, holds=True), False),
            ("> 50 over most of 33..64 threads", "", Found("", value=50.1, holds=True), True),
            ("> 50 over most of 33..64 threads", "", Found("", value=50.1, holds=False), False),
            ("> 85 and 40..65", "", Found("", values=(90.0, 50.0)), True),
            ("> 85 and 40..65", "", Found("", values=(50.0, 90.0)), False),
            ("> 85 and 40..65", "", Found("", value=90.0), False),
            ("95..99 and > 99.5", "", Found("", values=(97.0, 99.5)), False),
            ("best 2.5..4.1", "", Found("", value=3.3), True),
            ("best 2.5..4.1", "", Found("", value=2.4), False),
            ("<= 1.40", "", Found("", value=1.4), True),
            ("<= 1.40", "", Found("", value=1.41), False),
            ("> 3.5", "", Found("", value=3.5), False),
            ("0..+5 %", "", Found("", value=5.0), True),
            ("0..+5 %", "", Found("", value=-0.1), False),
            ("< 5 % at 5 ms", "", Found("", value=4.9, holds=True), True),
            ("> 190 on 2", "", Found("", value=199.0, holds=True), True),
            ("0", "", Found("", value=0.0), True),
            ("0", "", Found("", value=1.0), False),
            ("within the +- given", "2.4 +- 0.4 and 1.3 +- 0.2", Found("", values=(2.8, 1.1)), True),
            ("within the +- given", "2.4 +- 0.4 and 1.3 +- 0.2", Found("", values=(2.8, 1.6)), False),
            ("within the +- given", "2.4 +- 0.4 and 1.3 +- 0.2", Found("", values=(2.8,)), False),
            ("within the +- given", "1.9 +- 0.3", Found("", value=2.3), False),
            ("within 10 %", "minor", Found("", holds=True), True),
            ("within 10 %", "minor", Found("", value=1.0), False),
            ("reported", "not published", Found("", value=1.0), True),
            ("reported", "not published", Found("", holds=True), False),
            ("yes", "yes", Found("", holds=True), True),
            ("yes", "yes", Found("", value=1.0), False),
        ):
            claim = replace(self.claims[0], accept=accept, published=published)
            self.assertEqual(is_accepted(claim, found), accepted, (accept, found))

    def run_with(self, function: Callable[[Context], Found], *words: str) -> tuple[int, list[str]]:
        """Z1 alone, as though the program were there; what it printed of it."""
        with tempfile.TemporaryDirectory() as name:
            program = Path(name) / "bin" / "coherence"
            program.parent.mkdir()
            program.touch()
            with mock.patch.dict(zhang.REPRODUCED, {"Z1": function}):
                left = Path(name) / "left.json"
                done = scripts.run_here(reproduce.main, "--build", name, "--csv", "Z1", "--json", left, *words)
                (row,) = results.read(left).tables[0].rows
                self.assertEqual((row[0], row[1]), ("Z1", done.stdout.strip().rpartition(",")[2].lower()))
        return done.returncode, list(csv.reader(io.StringIO(done.stdout)))[-1]

    def test_verdicts_and_the_exit_status(self) -> None:
        def unavailable(_context: Context) -> Found:
            raise Unavailable("one processor")

        def failing(_context: Context) -> Found:
            raise CampaignError("coherence --threads 2: exit status 3: no")

        for function, code, verdict, text in (
            (lambda _: Found("79", value=79.0), 0, "reproduced", "79"),
            (lambda _: Found("79", value=79.0, measured=True), 0, "reproduced", "79 (measured here)"),
            (lambda _: Found("12", value=12.0), 1, "MISSED", "12"),
            (unavailable, 0, "unavailable", "one processor"),
            (failing, 1, "FAILED", "coherence --threads 2: exit status 3: no"),
        ):
            self.assertEqual(self.run_with(function), (code, ["Z1", "79", text, "71..87", verdict]))

    def test_bad_options(self) -> None:
        for words, code, mentions in (
            (["Q1"], 2, "no claim Q1; there are Z1, "),
            (["--paper", "zheng"], 2, "no paper zheng; there are zhang, "),
            (["--jobs", "0"], 2, "'0' is no number from 1"),
        ):
            done = scripts.run_here(reproduce.main, *words)
            self.assertEqual(done.returncode, code)
            self.assertIn(mentions, done.stderr.splitlines()[-1])
        done = scripts.run("reproduce.py", "--build", "/nowhere/release", "Z1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Areproduce: /nowhere/release/bin/coherence is missing[^\n]*\n\Z")

    def test_a_reduction(self) -> None:
        table = {("Combined", 32, "overhead_us"): 2.0, ("FetchAndAdd", 32, "overhead_us"): 10.0}
        found = zhang.reduction(FakeSimulator(table), "m", 32, "Combined", "FetchAndAdd")
        self.assertAlmostEqual(found.value, 80.0)

    def test_an_order(self) -> None:
        times = dict(zip(zhang.PAPERS_FIVE, (9.0, 4.0, 3.0, 5.0, 2.0), strict=True))
        table = {(name, 32, "overhead_us"): time for name, time in times.items()}
        self.assertTrue(zhang.order(FakeSimulator(table)).holds)
        table["LocalSensor", 32, "overhead_us"] = 2.5
        self.assertFalse(zhang.order(FakeSimulator(table)).holds)

    def test_failures_must_grow_and_passes_stay(self) -> None:
        table = {("FetchAndAdd", n, "sc_passes"): 1.0 for n in (2, 8, 16, 32)}
        table |= {("FetchAndAdd", 8, "sc_fails"): 2.0, ("FetchAndAdd", 32, "sc_fails"): 9.0}
        self.assertTrue(zhang.failures(FakeSimulator(table)).holds)
        self.assertFalse(zhang.failures(FakeSimulator(table | {("FetchAndAdd", 2, "sc_passes"): 1.2})).holds)
        self.assertFalse(zhang.failures(FakeSimulator(table | {("FetchAndAdd", 32, "sc_fails"): 8.0})).holds)


if __name__ == "__main__":
    unittest.main()
