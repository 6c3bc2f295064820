"""The pages of docs/results: those of the tree are what their results make, and what the generator refuses."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns"), str(ROOT / "papi-scripts")]

import readme_figures  # noqa: E402
import result_pages  # noqa: E402
from claims.claim import read_claims  # noqa: E402

from lab import results  # noqa: E402
from lab.results import BadResult, Column, Machine, Result, Table  # noqa: E402
from lab.scripts import run_here  # noqa: E402

MACHINE = Machine(2, "a processor", "Linux 6.18", "idle")
TABLE = Table([Column("threads"), Column("time", "us", 2)], [[2, 1.5], [4, 1234.0]], "Times", ["Medians."])
RESULT = Result("A result", "bin/program --threads 2", "abc123", "2026-01-01", [TABLE], MACHINE)


class TheTree(unittest.TestCase):
    def test_every_page_is_what_its_results_make(self) -> None:
        done = run_here(result_pages.main, "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_claim_is_on_a_page_with_the_range_of_today(self) -> None:
        shown = {}
        for path in (result_pages.FOLDER / "data").glob("*.json"):
            for table in results.read(path).tables:
                names = [column.name for column in table.columns]
                if "claim" in names:
                    found = (dict(zip(names, row, strict=True)) for row in table.rows)
                    shown |= {row["claim"]: (row["published"], row["accepted"]) for row in found}
        self.assertEqual(shown, {claim.id: (claim.published, claim.accept) for claim in read_claims()})


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-results-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "data").mkdir()
        self.tell('[page]\ntitle = "A page"\nreading = "Less is better."\n')
        self.keep("page.one", RESULT)

    def tell(self, text: str) -> None:
        (self.root / "pages.toml").write_text(text)

    def keep(self, name: str, result: Result) -> None:
        results.write(self.root / "data" / f"{name}.json", result)


class Pages(Folder):
    def test_a_page_has_all_that_its_result_says(self) -> None:
        self.assertEqual(results.read(self.root / "data" / "page.one.json"), RESULT)
        text = result_pages.texts(self.root)["page.md"]
        for part in (
            "# A page",
            "Less is better.",
            "## A result",
            "bin/program --threads 2\n",
            "Measured, commit abc123, 2026-01-01; 2 processors, a processor, Linux 6.18, idle.",
            "| threads | time, us |\n|---:|---:|\n| 2 | 1.50 |\n| 4 | 1,234.00 |\n\nMedians.",
        ):
            self.assertIn(part, text)
        self.assertNotIn("transcribed", text)
        self.assertIn("| [A page](page.md) | measured | abc123 |", result_pages.texts(self.root)["README.md"])

    def test_transcribed_and_simulated_results_are_called_so(self) -> None:
        self.keep("page.one", Result("R", "c", "abc", "2026-01-01", [TABLE], simulated=True, transcribed=True))
        text = result_pages.texts(self.root)["page.md"]
        self.assertIn("Simulated, commit abc, 2026-01-01. Made before the command left JSON, and transcribed.", text)

    def test_results_of_a_page_are_in_the_order_of_their_names(self) -> None:
        self.keep("page.0", Result("Before", "c", "abc", "2026-01-01", [TABLE], MACHINE))
        text = result_pages.texts(self.root)["page.md"]
        self.assertLess(text.index("## Before"), text.index("## A result"))

    def test_check_finds_pages_that_differ_that_are_missing_and_that_nothing_makes(self) -> None:
        def check(*words: str) -> tuple[int, str]:
            done = run_here(result_pages.main, "--folder", self.root, *words)
            return done.returncode, done.stderr

        self.assertEqual(check("--check")[0], 1)
        self.assertEqual(check(), (0, ""))
        self.assertEqual(check("--check"), (0, ""))
        (self.root / "page.md").write_text((self.root / "page.md").read_text().replace("1.50", "1.40"))
        self.assertIn("page.md differs", check("--check")[1])
        self.assertEqual(check(), (0, ""))
        (self.root / "other.md").write_text("# By hand\n")
        self.assertIn("other.md: no result", check("--check")[1])

    def test_what_is_refused(self) -> None:
        for told, name in (
            ('reading = "It takes 5 us."', "'5'"),
            ('reading = "`4` in [a link](a-4.md)."', ""),
            ('note = "notes/none.md"', "notes/none.md is missing"),
            ('pictures = ["none.svg: A picture"]', "none.svg is missing"),
            ('colour = "red"', "unknown colour"),
            ('[page.parts]\nthree = "A part"', "no result three"),
        ):
            with self.subTest(told=told):
                self.tell(f'[page]\ntitle = "A page"\n{told}\n')
                if not name:
                    result_pages.texts(self.root)
                    continue
                with self.assertRaisesRegex(BadResult, name):
                    result_pages.texts(self.root)

    def test_a_result_that_belongs_to_no_page_is_refused(self) -> None:
        self.keep("pages", RESULT)
        with self.assertRaisesRegex(BadResult, "no page for pages"):
            result_pages.texts(self.root)


class Readme(unittest.TestCase):
    def grid(self, date: str, *rows: tuple[str, float, str]) -> Result:
        table = Table([Column("criterion"), Column("figure"), Column("where")], [list(row) for row in rows], "")
        return Result("The grid", "loadgrid", date.replace("-", ""), date, [table])

    def test_its_sentence_is_of_the_newest_of_the_largest_grids_that_have_both_criteria(self) -> None:
        mean, worst = readme_figures.MEAN, readme_figures.WORST
        found = {
            "old": self.grid("2026-01-01", (mean, 1.5, "mean over 48 cells"), (worst, 0.9, "a")),
            "new": self.grid(
                "2026-01-02",
                *((worst, 0.8, "barrier, 8 threads (at the bound 2.00)"), (worst, 0.85, "b")),
                *((mean, 1.25, "mean over 24 cells"), (mean, 1.75, "mean over 48 cells (at the bound 3.00)")),
            ),
            "smaller": self.grid("2026-01-04", (mean, 3.0, "mean over 36 cells"), (worst, 0.95, "a")),
            "part": self.grid("2026-01-03", (mean, 3.0, "mean over 24 cells")),
        }
        text = readme_figures.filled("Before\n<!-- load-grid -->\nold\n<!-- /load-grid -->\nafter\n", found)
        flat = " ".join(text.split())
        self.assertIn("a mean of 1.75 (48 cells with", flat)
        self.assertIn("worst cell is at 0.80 (barrier, 8 threads). Commit 20260102.", flat)
        self.assertTrue(text.startswith("Before\n<!-- load-grid -->\n") and text.endswith("<!-- /load-grid -->\nafter\n"))
        self.assertEqual(readme_figures.filled("Nothing to fill\n", found), "Nothing to fill\n")
        with self.assertRaises(BadResult):
            readme_figures.sentence([found["part"]])


class Results(Folder):
    def test_broken_files_are_refused(self) -> None:
        path = self.root / "data" / "page.one.json"
        whole = json.loads(path.read_text())
        for broken in (
            {name: value for name, value in whole.items() if name != "commit"},
            whole | {"machine": None},
            whole | {"command": ""},
            whole | {"colour": "red"},
            whole | {"tables": [{"columns": [{"name": "a"}], "rows": [[1, 2]]}]},
        ):
            path.write_text(json.dumps(broken))
            with self.subTest(broken=broken), self.assertRaises(BadResult):
                results.read(path)

    def test_tables_of_words(self) -> None:
        words = [["a", "1,234", "1.50", ">= 2"], ["b", "-", "10.25", "7"]]
        table = results.table_of_words(["name", "count", "time", "ratio"], words, units={"time": "s"})
        self.assertEqual([list(row) for row in table.rows], [["a", 1234, 1.5, ">= 2"], ["b", None, 10.25, 7]])
        shown = [[column.shown(cell) for column, cell in zip(table.columns, row)] for row in table.rows]
        self.assertEqual(shown, words)
        printed = "| name | count |\n|---|---|\n| a | 1.5 |\n| b | 2 |\n"
        self.assertEqual(results.table_of_markdown(printed).rows, [["a", 1.5], ["b", 2]])

    def test_what_a_command_leaves(self) -> None:
        path = self.root / "left.json"
        command = [str(result_pages.ROOT / "papi-scripts" / "demo.py"), "--json", str(path), "--seconds", "2", "--jobs=2"]
        with mock.patch("sys.argv", command):
            results.leave(path, "A title", [TABLE], raw={"runs": [1.25]})
        left = results.read(path)
        self.assertEqual((left.title, left.command), ("A title", "papi-scripts/demo.py --seconds 2"))
        self.assertEqual(left.raw, {"runs": [1.25]})
        self.assertGreater(left.machine.processors if left.machine else 0, 0)
        self.assertFalse(left.transcribed)


if __name__ == "__main__":
    unittest.main()
