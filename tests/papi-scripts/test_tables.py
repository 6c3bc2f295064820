"""summarise.py and report.py: the numbers of a small collection that was written by hand."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import scripts

import summarise
from collection import columns, provenance, record  # scripts.py names the folder

from lab import results

COMMON = dict.fromkeys(columns.COMMON, "x") | {
    "format": columns.FORMAT,
    "plan": "barriers tree,auto; waits auto; threads 2,4; with stock",
    "program": "./app <fast> & loose",
    "machine": "Some CPU (abc)",
    "cpus": "2",
    "events": "HW,SW,NO",
    "value_pattern": "",
}


def run(barrier: str, threads: int, repetition: int, elapsed: float, **more: str) -> dict[str, str]:
    wait = "stock" if barrier == "stock" else "auto"
    row = COMMON | {"date": "2026-01-01T00:00:00Z", "repetition": str(repetition), "barrier": barrier, "wait": wait}
    row |= {"threads": str(threads), "status": "ok", "exit_status": "0", "elapsed_s": str(elapsed), "cpu_s": "1"}
    row |= {f"{event}.source": "unavailable" for event in ("HW", "SW", "NO")}
    row |= {f"{event}.reason": "no such thing" for event in ("HW", "SW", "NO")}
    if barrier != "stock":
        row |= {"episodes": "10", "retries": "25", "blocks": "5", "yields": "0", "wake_calls": "1", "waited_ns": "4000"}
        row |= {"replaced": "20", "runtime": "libomp", "runtime_path": "/x/libomp.so"}
        for event, source in (("HW", "hardware"), ("SW", "software")):
            row |= {f"{event}.source": source, f"{event}.reason": "", f"{event}.multiplexed": "no"}
            row |= {f"{event}.waiting": str(100 * repetition), f"{event}.rest": "7"}
    return row | more


ROWS = [
    run("stock", 2, 1, 10.0),
    run("auto", 2, 1, 5.0),
    run("tree", 2, 1, 20.0),
    run("stock", 2, 2, 40.0),
    run("auto", 2, 2, 10.0),
    run("tree", 2, 2, 0.1, status="exit status 3: no luck", exit_status="3"),
    run("stock", 4, 1, 1.0, status="no end after 1 s"),
    run("auto", 4, 1, 2.0),
]


class Tables(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-tables-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "runs.csv"
        self.write(ROWS)

    def write(self, rows: list[dict[str, str]]) -> None:
        head = columns.columns(["HW", "SW", "NO"])
        lines = [record.line_of(head)] + [record.line_of([row.get(name, "") for name in head]) for row in rows]
        self.file.write_bytes(b"".join(lines))

    def summarise(self, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = scripts.run_here(summarise.main, *words, self.file)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_medians_and_ratios_of_the_same_round(self) -> None:
        found = {
            (row["threads"], row["barrier"]): row for row in csv.DictReader(io.StringIO(self.summarise("--csv").stdout))
        }
        self.assertEqual(list(found), [("2", "stock"), ("2", "tree"), ("2", "auto"), ("4", "stock"), ("4", "auto")])
        auto = found["2", "auto"]
        parts = ("median", "least", "most")
        self.assertEqual([float(auto[f"elapsed_s_{part}"]) for part in parts], [7.5, 5, 10])
        self.assertEqual([float(auto[f"ratio_to_stock_{part}"]) for part in parts], [0.375, 0.25, 0.5])
        tree = found["2", "tree"]
        self.assertEqual(
            (tree["runs"], tree["elapsed_s_median"], tree["failed"]), ("1", "20", "1"), "failed ones do not count"
        )
        self.assertEqual((found["4", "stock"]["elapsed_s_median"], found["4", "stock"]["failed"]), ("", "1"))
        self.assertEqual(found["4", "auto"]["ratio_to_stock_median"], "", "stock of that round failed")

    def test_text_and_markdown(self) -> None:
        python = scripts.python_with("rich")
        text = scripts.run("summarise.py", self.file, python=python or sys.executable).stdout
        for expected in (
            r"(?m)^ +2  auto +auto +2 +7\.5 +5\.\.10 +0\.375 +0\.25\.\.0\.5 +0$",
            r"(?m)^HW +2  auto +auto +150 +100\.\.200 +7 +7\.\.7  hardware",
            r"(?m)^SW +2  auto +auto +150 .* software",
            r"(?m)^NO +all +all +all +- +- +- +-  unavailable +no such thing$",
            r"(?m)^ +2 +2  tree +auto +exit status 3: no luck$",
            r"(?m)^ +2  auto +auto +10 +2\.5 +0\.5 +0 +0\.1 +400 +software$",
        ):
            if python is not None:  # else columns are separated by tabs
                self.assertRegex(text, expected)
        left = self.folder / "left.json"
        markdown = self.summarise("--markdown", "--json", str(left)).stdout
        result = results.read(left)
        self.assertEqual((result.title, result.date), ("./app <fast> & loose", "2026-01-01"))
        self.assertIn([2, "auto", "auto", 2, 7.5, "5..10", 0.375, "0.25..0.5", 0], result.tables[0].rows)
        self.assertIn("| 2 | auto | auto | 2 | 7.5 | 5..10 | 0.375 | 0.25..0.5 | 0 |", markdown)

    def test_files_that_are_none(self) -> None:
        whole = self.file.read_bytes()
        self.assertIn("value: none was kept", self.summarise("--column", "value", status=1).stderr)
        for change, where in (
            ({"elapsed_s": "soon"}, ":3: elapsed_s: 'soon'"),
            ({"threads": "0"}, ":3: threads: '0'"),
            ({"format": "2"}, ":3: format: '2'"),
            ({"HW.waiting": "-1"}, ":3: HW.waiting: '-1'"),
            ({"HW.waiting": ""}, ":3: HW.waiting: ''"),
            ({"NO.rest": "0"}, ":3: NO.rest: '0'"),
            ({"NO.source": "guess"}, ":3: NO.source: 'guess'"),
            ({"retries": "many"}, ":3: retries: 'many'"),
            ({"machine": "Other"}, ":3: machine: 'Other'"),
        ):
            with self.subTest(where):
                self.write([ROWS[0], ROWS[1] | change, *ROWS[2:]])
                self.assert_refused(where)
        for content, where in (
            (b"", ":1: no run in it"),
            (b"a,b\n1,2\n", ":1: format: no such column"),
            (whole[: whole.index(b"\n") + 1], ":1: no run in it"),
            (whole + b"x,y\n", f":{len(ROWS) + 2}: program: 2 values"),
            (b"\xff\xfe" + whole, ":1: no text"),
        ):
            with self.subTest(where):
                self.file.write_bytes(content)
                self.assert_refused(where)
        self.file.unlink()
        self.assert_refused("No such file")

    def assert_refused(self, where: str) -> None:
        done = self.summarise(status=1)
        self.assertRegex(done.stderr, r"\Asummarise: [^\n]*runs.csv[^\n]*\n\Z")
        self.assertIn(where, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_torn_last_line_is_left_out(self) -> None:
        before = self.summarise("--csv").stdout
        self.file.write_bytes(self.file.read_bytes() + b"muster-collection 1,barr")
        self.assertEqual(self.summarise("--csv").stdout, before)

    def test_page(self) -> None:
        python = scripts.python_with("matplotlib", "pandas")
        if python is None:
            self.skipTest("python3-pandas and python3-matplotlib are not installed")
        page = self.folder / "page.html"
        done = scripts.run("report.py", self.file, "--output", page, python=python)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text()
        self.assertNotRegex(text, r"<(script|img|link|iframe|object)\b")
        self.assertNotRegex(text, r'(src|href)="(?!#)', "nothing but what is in it")
        self.assertNotRegex(text, r"@import|url\((?!#)")
        self.assertEqual(text.count("<figure>"), 4, "times, own counts, HW and SW: what could not be had is not drawn")
        for word in ("hardware", "software", "unavailable", "no such thing", "Some CPU", "exit status 3: no luck"):
            self.assertIn(word, text)
        self.assertIn("./app &lt;fast&gt; &amp; loose", text)
        ids = re.findall(r'\bid="([^"]+)"', text)
        self.assertEqual(len(ids), len(set(ids)), "ids of one figure are not those of another")
        done = scripts.run("report.py", self.file, "--output", page, "--modelled", self.folder, python=python)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Areport: [^\n]*none of figures.py's CSV files[^\n]*\n\Z")
        self.assertEqual(page.read_text(), text, "a page is written whole or not at all")

    def test_figures_of_every_source(self) -> None:
        python = scripts.python_with("matplotlib", "pandas")
        if python is None:
            self.skipTest("python3-pandas and python3-matplotlib are not installed")
        done = scripts.run("figures.py", "--collected", self.file, "--output", self.folder, python=python)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {
            "elapsed_s": "measured by the system",
            "own": "software, counted",
            "HW": "hardware.",
            "SW": "software.",
        }
        self.assertEqual({path.stem for path in self.folder.glob("*.png")}, {f"collected-{name}" for name in names})
        for name, source in names.items():
            self.assertIn(f"Source: {source}", (self.folder / f"collected-{name}.svg").read_text())
        with (self.folder / "collected-HW.csv").open(newline="") as file:
            rows = {(row["quantity"], row["barrier"], row["threads"]): row for row in csv.DictReader(file)}
        waiting = rows["HW.waiting", "auto", "2"]
        parts = [waiting[key] for key in ("source", "median", "least", "most", "runs")]
        self.assertEqual(parts, ["hardware", "150.0", "100.0", "200.0", "2"])

    def test_what_a_binary_says(self) -> None:
        self.assertEqual(provenance.compiler(self.file), provenance.UNKNOWN)
        self.assertEqual(provenance.linked_runtime(self.file), "")
        self.assertEqual(provenance.kind_of("/usr/lib/x/libomp.so.5"), "libomp")
        self.assertEqual(provenance.kind_of("/opt/libiomp5.so"), "libiomp5")
        self.assertEqual(provenance.kind_of("/usr/lib/libgomp.so.1.0.0"), "libgomp")
        self.assertEqual(provenance.kind_of("/usr/lib/libompress.so"), "")


if __name__ == "__main__":
    unittest.main()
