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

from drawing import series  # scripts.py names the folder
from drawing.catalogue import CATALOGUE
from drawing.growth import Growth, growth

PYTHON = scripts.python_with("matplotlib", "pandas")
QUICK = ["--build", BUILD, "--most-threads", "8", "--episodes", "4", "--jobs", "2"]


@unittest.skipIf(PYTHON is None, "python3-pandas and python3-matplotlib are not installed")
# muster-test: full it measures, or draws for long
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

    def test_captions_have_two_lines(self) -> None:
        from drawing import modelled, modelled_pictures, plots

        for figure in CATALOGUE:
            with self.subTest(figure.name):
                frame = modelled.read_frame(figure, self.folder / f"{figure.name}.csv")
                picture = modelled_pictures.picture_of(figure, frame)
                width = picture.panel_inches[0] * len(picture.panels) + picture.legend_inches
                self.assertLessEqual(len(plots.caption_lines(picture.caption, width - 0.2)), 2)

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


@unittest.skipIf(PYTHON is None, "python3-pandas and python3-matplotlib are not installed")
class WhatIsPublished(unittest.TestCase):
    """In every figure of a claim's: what the paper states of it."""

    OF_PAPERS = tuple(figure for figure in CATALOGUE if figure.kind == "paper")

    @staticmethod
    def one_point_each(figure: series.PaperFigure) -> series.Table:
        names = [(panel.name, one.name) for panel in figure.panels for one in panel.series]
        points = [series.Point(panel, name, x, 1.0 + x) for panel, name in names for x in (0.0, 32.0)]
        return series.Table(points, figure.source, "2 CPUs, Intel(R) Xeon(R) Processor, Linux 6.18.44", "0123456789")

    def test_every_figure_has_it_and_all_of_it_has_a_place(self) -> None:
        from drawing import published

        places = {(figure.name, "*") for figure in self.OF_PAPERS}
        known = {(figure.name, name) for figure in self.OF_PAPERS for name in (*figure.barriers, *figure.columns)}
        for figure in series.catalogue():
            places |= {(figure.name, panel.name) for panel in figure.panels} | {(figure.name, "*")}
            known |= {(figure.name, one.name) for panel in figure.panels for one in panel.series}
        for row in published.rows():
            self.assertIn((row.figure, row.panel), places)
            for name in filter(None, (row.series, row.times.partition("@")[0])):
                self.assertIn((row.figure, name), known)
        with_it = {row.figure for row in published.rows()}
        self.assertEqual(with_it, {figure.name for figure in (*self.OF_PAPERS, *series.catalogue())})

    def test_captions_have_two_lines_and_titles_fit(self) -> None:
        from drawing import plots, series_pictures

        for figure in series.catalogue():
            with self.subTest(figure.name):
                picture = series_pictures.picture_of(figure, self.one_point_each(figure))
                width = picture.panel_inches[0] * len(picture.panels)
                self.assertLessEqual(len(plots.caption_lines(picture.caption, width - 0.2)), 2)
                self.assertLess(len(picture.title) * plots.TITLE_LETTER_INCHES, width - 1)
                self.assertEqual(picture.kind, figure.source)

    def test_legends_hide_nothing_and_panels_share_their_axis(self) -> None:
        from drawing import plots, series_pictures

        for figure in series.catalogue():
            if figure.name not in ("tsafrir-1", "tsafrir-4", "arpaci-4", "peter-3"):
                continue
            with self.subTest(figure.name):
                drawn = plots.draw(series_pictures.picture_of(figure, self.one_point_each(figure)))
                drawn.draw_without_rendering()
                (legend,) = drawn.legends
                box = legend.get_window_extent()
                self.assertGreater(box.y0, 0)
                self.assertLess(box.x1, drawn.bbox.x1)
                for axes in drawn.axes:
                    self.assertIsNone(axes.get_legend())
                    self.assertLess(box.y1, axes.get_tightbbox().y0)
                self.assertEqual(len({axes.get_ylim() for axes in drawn.axes}), 1)
                plots.pyplot.close(drawn)

    def test_shares_of_ours_means_and_bounds(self) -> None:
        from drawing import plots, published
        from drawing.styles import Style

        def line(name: str, *y: float) -> plots.Line:
            return plots.Line(name, Style("D"), [16, 32], y)

        lines = {"FetchAndAdd": line("FetchAndAdd", 5, 10), "Combined": line("Combined", 1, 2)}
        panel = plots.Panel("", "", list(lines.values()))
        published.add("zhang-7", "", panel, lines)
        self.assertEqual([(one.x, one.marker) for one in panel.published], [(32, "D"), (32, "*")])
        self.assertAlmostEqual(panel.published[0].y, 2.1)
        published.add("zhang-7", "", panel, {})
        self.assertEqual(panel.published, [], "without our value there is no share of it")
        panel = plots.Panel("", "", [])
        published.add("tsafrir-5", "fine", panel, {"2cs+": line("2cs+", 80, 90)})
        self.assertEqual((panel.published[0].y, panel.lines[0].y), (94, [85, 85]))

    def test_bad_lines(self) -> None:
        from drawing import published

        good = dict(zip(published.COLUMNS, "a,*,b,level,1,2,3,,,,,published: 3,1,text,,".split(","), strict=True))
        self.assertEqual(published.row_of(good, "f:2").y, 3)
        for change in (
            {"kind": "curve"},
            {"basis": "guess"},
            {"basis": "digitised", "page": "4"},
            {"y": ""},
            {"x": "some"},
            {"kind": "band"},
            {"where": ""},
        ):
            with self.subTest(change), self.assertRaises(published.PublishedError):
                published.row_of(good | change, "f:2")


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
