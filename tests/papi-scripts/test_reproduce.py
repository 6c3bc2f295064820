"""reproduce.py: its claims can be read, and a miss is a miss."""

from __future__ import annotations

import csv
import html
import importlib.util
import io
import json
import sys
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
from reproduction import record


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
                where = ("--build", name, "--output", Path(name) / "reproduced")
                done = scripts.run_here(reproduce.main, *where, "--csv", "Z1", "--json", left, *words)
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

    def test_an_output_that_cannot_be_written(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "bin").mkdir()
            (Path(name) / "bin" / "coherence").touch()
            with mock.patch.dict(zhang.REPRODUCED, {"Z1": lambda _: Found("79", value=79.0)}):
                words = ("--build", name, "Z1", "--output", Path(name) / "bin" / "coherence")
                done = scripts.run_here(reproduce.main, *words)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Areproduce: [^\n]*coherence: File exists\n\Z")

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


class ForOthers(unittest.TestCase):
    """The page and its JSON, of two claims that were run and the others."""

    folder: Path
    text: str
    document: dict

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-reproduced-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        simulated = Found("gain < 6 x & more", holds=True, beside="by another rule")
        ours = {"P1": lambda _: (simulated, Found("none", holds=False, measured=True))}
        with (
            mock.patch.dict(zhang.REPRODUCED, {"Z3": lambda _: Found("30", value=30.0)}),
            mock.patch.dict(module_of("peter").REPRODUCED, ours),
            mock.patch.object(reproduce, "missing_program", lambda *_: None),
        ):
            done = scripts.run_here(reproduce.main, "Z3", "P1", "--output", cls.folder)
        assert done.returncode == 1, done.stderr
        cls.document = json.loads((cls.folder / "reproduced.json").read_text())
        page = cls.folder / "reproduced.html"
        cls.text = page.read_text() if page.exists() else ""

    def needs_page(self) -> None:
        if importlib.util.find_spec("jinja2") is None:
            self.skipTest("python3-jinja2 is not installed")

    def test_the_document_is_as_its_schema(self) -> None:
        if importlib.util.find_spec("jsonschema") is None:
            self.skipTest("python3-jsonschema is not installed")
        import jsonschema

        schema = json.loads(record.SCHEMA.read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.validate(self.document, schema)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(self.document | {"format": 2}, schema)

    def test_every_claim_is_there_and_explained(self) -> None:
        claims = read_claims()
        self.assertEqual([one["id"] for one in self.document["claims"]], [claim.id for claim in claims])
        self.assertEqual(list(record.explanations()), [claim.id for claim in claims])
        found = {one["id"]: [result["verdict"] for result in one["results"]] for one in self.document["claims"]}
        self.assertEqual((found.pop("Z3"), found.pop("P1")), (["reproduced"], ["reproduced", "missed"]))
        self.assertEqual(set(map(tuple, found.values())), {("not run",)})

    def test_what_a_claim_depends_on(self) -> None:
        """As the table of docs/results/data has it, or why there is none."""
        z3 = next(one for one in self.document["claims"] if one["id"] == "Z3")
        rows = [row for one in z3["sensitivity"] for row in one["rows"]]
        table = results.read(scripts.ROOT / "docs" / "results" / "data" / "zhang.2-assumptions.json").tables[0]
        column = [one.name for one in table.columns].index("Z3")
        shown = {row[0]: str(row[column]) for row in table.rows if row[0] != "as it is"}
        self.assertEqual({row["changed"]: row["becomes"] for row in rows}, shown)
        for claim in self.document["claims"]:
            self.assertTrue(claim["sensitivity"] or claim["id"] == "M2", claim["id"])
            for one in claim["sensitivity"]:
                self.assertNotEqual(bool(one["rows"]), "not_varied" in one)

    def test_the_page_needs_nothing_else(self) -> None:
        self.needs_page()
        self.assertNotRegex(self.text, r"<(script|img|link|iframe|object|embed|base)\b")
        self.assertNotRegex(self.text, r'(src|href|action|srcset)="(?!#)')
        self.assertNotRegex(self.text, r"@import|url\(|https?:|//[a-z]")

    def test_the_page_has_all_of_it(self) -> None:
        self.needs_page()
        for claim in self.document["claims"]:
            self.assertIn(f'<article id="{claim["id"]}">', self.text)
            self.assertIn(claim["explanation"], html.unescape(self.text))
        for word in ("gain &lt; 6 x &amp; more", "beside: by another rule", "none (measured here)", "2 reproduced, "):
            self.assertIn(word, self.text)
        for value in (self.document["commit"], self.document["environment"]["kernel"], "not varied: "):
            self.assertIn(value, self.text)

    def test_without_jinja2_there_is_still_the_document(self) -> None:
        folder = self.folder / "plain"
        with (
            mock.patch.dict(sys.modules, {"jinja2": None}),
            mock.patch.dict(zhang.REPRODUCED, {"Z3": lambda _: Found("30", value=30.0)}),
            mock.patch.object(reproduce, "missing_program", lambda *_: None),
        ):
            done = scripts.run_here(reproduce.main, "Z3", "--output", folder)
        self.assertEqual((done.returncode, [path.name for path in folder.iterdir()]), (0, ["reproduced.json"]))
        self.assertRegex(done.stderr, r"\Areproduce: no page: [^\n]*python3-jinja2\)\n\Z")


if __name__ == "__main__":
    unittest.main()
