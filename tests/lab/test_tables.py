"""Tables, progress, statistics, options and reports of lab/. Where rich or scipy is needed, a Python with it runs."""

from __future__ import annotations

import json
import math
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from lab import options, reports, scripts, statistics, tables  # noqa: E402
from lab.progress import duration  # noqa: E402

ROWS = [["idle", "2", "1.5"], ["idle", "4", "12"], ["busy", "2", "[x]"]]
HEAD = ["load", "threads", "s"]
SHOWN = """\
load  threads    s
------------------
idle        2  1.5
idle        4   12
------------------
busy        2  [x]
"""


class WithPackages(unittest.TestCase):
    def output(self, module: str, code: str) -> str:
        python = scripts.python_with(module)
        if python is None:
            self.skipTest(f"no Python has {module}")
        done = scripts.subprocess.run(
            [python, "-B", "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout + done.stderr

    def test_tables(self) -> None:
        code = f"from lab.tables import table; print(table({HEAD}, {ROWS}, groups=1))"
        self.assertEqual(self.output("rich", code), SHOWN)
        code = f"from lab.tables import table; print(table({HEAD}, {ROWS}, {{'s'}}).splitlines()[2], table({HEAD}, []))"
        self.assertEqual(self.output("rich", code), "idle        2  1.5 load  threads  s\n----------------\n")

    def test_the_bar(self) -> None:
        code = "from lab.progress import Progress; p = Progress(True); p(0.1, 'one'); p(1, 'two'); p(0, 'three')"
        code += "; p.clear()"
        self.assertTrue(self.output("rich", f"{code}; print('end')").startswith("end\n"))
        self.assertEqual(self.output("rich", code.replace("True", "False")), "")

    def test_ratios(self) -> None:
        code = "from lab.statistics import ratio; print(*ratio([2, 2.1, 1.9, 2, 2.2], [1, 1.1, 0.9, 1, 1]))"
        code += "; print(ratio([3], [2]))"
        value, low, high, *one = self.output("scipy", code).split()
        self.assertEqual(float(value), 2.0)
        self.assertTrue(1.7 < float(low) <= 2.0 <= float(high) < 2.4, (low, high))
        self.assertEqual(" ".join(one), "1.500 (1.500 to 1.500)")


class Tables(unittest.TestCase):
    def test_without_rich(self) -> None:
        with mock.patch.dict(sys.modules, {"rich": None}):
            lines = tables.table(HEAD, ROWS).splitlines()
        self.assertEqual([line.split() for line in lines], [HEAD, *ROWS])

    def test_markdown(self) -> None:
        self.assertEqual(tables.markdown(["a", "b"], [["x|y", "1"]]), "| a | b |\n|---|--:|\n| x\\|y | 1 |")

    def test_figures(self) -> None:
        self.assertEqual(
            [tables.figure(value) for value in (None, 1234.5, 12.345, 0.0012)], ["-", "1,234", "12.3", "0.001"]
        )
        self.assertEqual([duration(value) for value in (4.4, 62, 3661)], ["4 s", "1 min 02 s", "1 h 01 min"])


class Statistics(unittest.TestCase):
    def test_means(self) -> None:
        self.assertEqual((statistics.geometric_mean([]), statistics.geometric_mean([0, 4])), (None, 0.0))
        self.assertTrue(math.isclose(statistics.geometric_mean([1, 4]) or 0, 2.0))
        self.assertEqual(statistics.spread([3, 1, 2]), statistics.Spread(2, 1, 3, 3))
        self.assertEqual((statistics.spread([]), statistics.median([])), (None, None))

    def test_each_cell_once_a_round(self) -> None:
        taken: list[str] = []

        def measure(cell: str) -> float:
            taken.append(cell)
            return float(len(taken))

        found = statistics.interleave(4, ["a", "b"], measure)
        self.assertEqual({cell: len(values) for cell, values in found.items()}, {"a": 4, "b": 4})
        self.assertTrue(all(sorted(taken[i : i + 2]) == ["a", "b"] for i in range(0, 8, 2)))


class Options(unittest.TestCase):
    def test_values(self) -> None:
        with tempfile.TemporaryDirectory(prefix="muster-lab-") as folder:
            launcher = Path(folder) / "muster"
            lines = ("MUSTER_A", "    flag     --a", "    values   on|<n>us", "    On.")
            launcher.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
            launcher.chmod(0o755)
            self.assertEqual(options.values_of(launcher), {"MUSTER_A": ["on", "<n>us"]})
            with self.assertRaisesRegex(options.NoOptionsError, "does not work"):
                options.values_of(launcher / "none")


class Reports(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-lab-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def test_the_schema_is_asked(self) -> None:
        with self.assertRaisesRegex(reports.ReportError, "not as its schema: .*is a required property"):
            reports.parsed('{"muster": "0.1.0"}')

    @mock.patch.object(reports, "problem_of", lambda _: "")
    def test_what_is_wrong_with_a_file(self) -> None:
        path = self.folder / "r.json"
        with self.assertRaisesRegex(reports.NoReportError, "no report was written"):
            reports.read(path, reports.replaced)
        for text in ("{", '{"barriers": 1}', "{}"):
            path.write_text(text)
            with self.assertRaisesRegex(reports.ReportError, "not as documented"):
                reports.read(path, reports.replaced)

    @mock.patch.object(reports, "problem_of", lambda _: "")
    def test_reports(self) -> None:
        for number in (1, 2):
            content = {"active": number == 1, "inactive_reason": "none", "barriers": {"replaced": number}}
            (self.folder / f"{number}.json").write_text(json.dumps(content | {"fork_join": {"folded": 5}}))
        (self.folder / "3.json").write_text("{")  # killed while it was written
        found = reports.read_all(self.folder)
        self.assertEqual([reports.replaced(one) for one in found], [1, 2])
        self.assertEqual([reports.inactive(one) for one in found], ["", "Muster was inactive: none"])
        self.assertEqual(reports.read(self.folder / "2.json", reports.folded), 5)


if __name__ == "__main__":
    unittest.main()
