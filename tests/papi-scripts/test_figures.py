"""figures.py: every figure with its data and its source; its numbers are those that bin/coherence prints."""

from __future__ import annotations

import csv
import io
import math
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import scripts
from scripts import BUILD

from drawing.catalogue import CATALOGUE  # scripts.py names the folder
from drawing.growth import Growth, growth

PYTHON = scripts.python_with("matplotlib", "pandas")
QUICK = ["--build", BUILD, "--most-threads", "8", "--episodes", "4", "--jobs", "2"]


@unittest.skipIf(PYTHON is None, "python3-pandas and python3-matplotlib are not installed")
class Figures(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-figures-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        only = [word for figure in CATALOGUE for word in ("--only", figure.name)]
        cls.done = scripts.run("figures.py", *QUICK, *only, "--output", cls.folder)

    @staticmethod
    def figures(*words: str | Path) -> subprocess.CompletedProcess[str]:
        import figures

        return scripts.run_here(figures.main, *words)

    def test_each_figure_and_its_data(self) -> None:
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        for figure in CATALOGUE:
            with self.subTest(figure.name):
                self.assertEqual((self.folder / f"{figure.name}.png").read_bytes()[:4], b"\x89PNG")
                svg = (self.folder / f"{figure.name}.svg").read_text()
                for said in (
                    "Source: modelled",
                    f"({figure.machine})",
                    "Commit ",
                    f"Command: coherence --machine {figure.machine}",
                ):
                    self.assertIn(said, svg)
                rows = self.rows(figure.name)
                self.assertEqual({row["source"] for row in rows}, {"modelled"})
                self.assertEqual({row["barrier"] for row in rows}, set(figure.barriers))
                threads = {str(n) for n in figure.threads if n <= 8}
                self.assertEqual({row["threads"] for row in rows}, threads)

    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.folder / f"{name}.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def test_numbers_are_the_simulators(self) -> None:
        """By one command, as the caption has it, though each run was one of its own."""
        for name in ("ours-9", "scale-rule-1024"):
            rows = self.rows(name)
            figure = next(figure for figure in CATALOGUE if figure.name == name)
            words = ["--machine", figure.machine, "--barrier", ",".join(figure.barriers)]
            words += ["--threads", ",".join(sorted({row["threads"] for row in rows})), "--episodes", "4", "--csv"]
            printed = subprocess.check_output([BUILD / "bin" / "coherence", *words], text=True)
            expected = {(row["barrier"], row["threads"]): row for row in csv.DictReader(io.StringIO(printed))}
            self.assertEqual(len(rows), len(expected))
            for row in rows:
                theirs = expected[row["barrier"], row["threads"]]
                for key in (*figure.columns, "episodes", "delay_us", "seed"):
                    self.assertEqual(row[key], theirs[key], (row["barrier"], row["threads"], key))

    def test_drawn_again_from_its_data(self) -> None:
        again = self.folder / "again"
        done = self.figures("--data", self.folder, "--output", again, "--only", "zhang-9", "--only", "zhang-10")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            sorted(path.suffix for path in again.iterdir()), [".csv", ".csv", ".png", ".png", ".svg", ".svg"]
        )
        for ending in ("csv", "svg"):
            name = f"zhang-9.{ending}"
            self.assertEqual((again / name).read_text(), (self.folder / name).read_text())

    def test_bad_data_is_one_line(self) -> None:
        whole = (self.folder / "zhang-9.csv").read_text()
        head, first, *rest = whole.split("\n")
        bad = self.folder / "bad"
        bad.mkdir()
        keys = head.split(",")
        values = next(csv.reader([first]))

        def changed(key: str, value: str) -> str:
            out = io.StringIO()
            csv.writer(out).writerow([value if name == key else old for name, old in zip(keys, values, strict=True)])
            return "\n".join([head, out.getvalue().strip(), *rest])

        for content, where in (
            (changed("sc_fails", "some"), ":2: sc_fails: 'some'"),
            (changed("sc_fails", "-1"), ":2: sc_fails: '-1'"),
            (changed("threads", "two"), ":2: threads: 'two'"),
            (whole.replace("sc_passes", "passes", 1), ":1: no column sc_passes"),
            ("\n".join([head, first.split(",")[0]]), ":2: machine: missing"),
            (head + "\n", "no numbers"),
        ):
            with self.subTest(where):
                (bad / "zhang-9.csv").write_text(content)
                done = self.figures("--data", bad, "--output", bad / "out", "--only", "zhang-9")
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"\Afigures: [^\n]*zhang-9.csv[^\n]*\n\Z")
                self.assertIn(where, done.stderr)
                self.assertFalse((bad / "out").exists())

    def test_bad_options(self) -> None:
        for words, mentions in (
            (["--only", "zhang-11"], "zhang-11"),
            (["--episodes", "0"], "--episodes"),
            (["--collected", "x", "--only", "zhang-9"], "--collected"),
        ):
            done = self.figures(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(mentions, done.stderr.splitlines()[-1])
        for words, mentions in (
            (["--build", self.folder], "coherence is missing"),
            (["--data", self.folder / "none"], "No such file"),
            (["--collected", self.folder / "zhang-9.csv"], "zhang-9.csv:1: format: no such column"),
        ):
            done = self.figures(*words, "--output", self.folder / "unused")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Afigures: [^\n]*\n\Z")
            self.assertIn(mentions, done.stderr)
        self.assertIn("zhang-7 ", self.figures("--list").stdout)


class GrowthOfOverheads(unittest.TestCase):
    THREADS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

    def found(self, of: Callable[[int], float]) -> Growth:
        return growth(self.THREADS, [of(p) for p in self.THREADS])

    def test_they_are_distinct(self) -> None:
        for of, verdict in (
            (lambda p: 0.3 * math.log2(p), "like log P"),
            (lambda p: 1 + 0.3 * math.log2(p), "like log P"),
            (lambda p: 0.02 * p, "like P"),
            (lambda p: 0.02 * p + 0.05, "like P"),
            (lambda p: 0.001 * p * p, "faster than P"),
            (lambda p: 5.0, "hardly"),
            (lambda p: p**0.62, "between log P and P"),
        ):
            self.assertEqual(self.found(of).verdict, verdict)

    def test_numbers(self) -> None:
        linear = self.found(lambda p: 0.02 * p)
        self.assertAlmostEqual(linear.slope, 1)
        self.assertAlmostEqual(linear.by_threads.factor, 0.02)
        self.assertAlmostEqual(linear.by_threads.error, 0)
        self.assertAlmostEqual(self.found(lambda p: 0.3 * math.log2(p)).by_log.factor, 0.3)
        self.assertIsNone(growth((2, 4, 8, 16, 32), (1, 2, 3, 4, 5)), "two points from 16 on tell nothing")


if __name__ == "__main__":
    if PYTHON not in (None, sys.executable):
        os.execv(PYTHON, [PYTHON, "-B", *sys.argv])
    unittest.main()
