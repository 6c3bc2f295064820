"""The rows of preload/report/fields.h: what they say is what reports hold and what docs/use/report.md shows.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from lab.environment import clean_environment  # noqa: E402
from lab.reports import SCHEMA, parsed, problem_of  # noqa: E402

BUILD = Path(os.environ["MUSTER_BUILD_DIR"])
MUSTER = BUILD / "bin" / "muster"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "use" / "report.md"

PROGRAM = r"""
#include <omp.h>
#include <unistd.h>
int main(void) {
  for (int region = 0; region < 8; ++region) {
    #pragma omp parallel num_threads(2 + region % 2)
    for (int i = 0; i < 10; ++i) {
      if (i == 1 && omp_get_thread_num() == 0) usleep(2000);
      #pragma omp barrier
    }
  }
  return 0;
}
"""
# Between them, they fill every list that a machine without refusals can fill.
RUNS = (
    {"MUSTER_WAIT": "2cs+", "MUSTER_COUNTERS": "perf::PAGE-FAULTS,NO_SUCH_EVENT"},
    {"MUSTER_BARRIER": "native"},
    {"MUSTER_SITES": "on", "MUSTER_FORKJOIN": "on"},
)
MAY_BE_EMPTY = {"missing[]", "unreached[]", "load.unavailable[]"}


def muster(*arguments: str) -> str:
    return subprocess.run([MUSTER, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def paths(value: object, path: str = "") -> Iterator[str]:
    """The names of all fields in a report: barriers.by_entry[].replaced."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from paths(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for element in value:
            yield from paths(element, f"{path}[]")
    else:
        yield path


class Fields(unittest.TestCase):
    folder: Path
    rows: list[dict]

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-fields-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        source = cls.folder / "program.c"
        source.write_text(PROGRAM)
        subprocess.run(["gcc", "-O2", "-fopenmp", source, "-o", cls.folder / "program"], check=True)
        cls.rows = json.loads(muster("fields", "--json"))

    def report(self, ending: str, variables: dict[str, str], *arguments: str) -> str:
        file = self.folder / f"report.{ending}"
        command = [MUSTER, "run", "--report", file, "--", self.folder / "program", *arguments]
        subprocess.run(command, env=clean_environment("OMPI_") | variables, check=True, timeout=60, stderr=subprocess.DEVNULL)
        return file.read_text()

    def test_reports_have_these_fields_and_no_others(self) -> None:
        expected = {row["field"] for row in self.rows if not row["merged_only"]}
        found: set[str] = set()
        for variables in RUNS:
            found |= set(paths(parsed(self.report("json", variables))))
        self.assertEqual(found - expected, {"counters", "efficiency"}, "null without their options")
        missing = {name for name in expected - found if not name.startswith(tuple(MAY_BE_EMPTY))}
        self.assertEqual(missing, set())

    def test_merged_reports_have_no_others(self) -> None:
        expected = {row["field"] for row in self.rows if row["merged_only"] or row["merged"]}
        expected = {name.replace("counters.events[]", "counters[]") for name in expected}
        tallies = {row["field"] for row in self.rows if row["merged"] == "reports by value"}
        files = []
        for rank, variables in enumerate(RUNS):
            file = self.folder / f"r{rank}.json"
            file.write_text(self.report("json", variables | {"PMI_RANK": str(rank)}))
            files.append(str(file))
        found = set(paths(parsed(muster("merge", "--json", "-", *files))))
        for name in tallies:
            found -= {f"{name}[].value", f"{name}[].reports"}
        self.assertEqual(found - expected, {"muster", "format", "ranks[]"})

    def test_csv_has_what_json_has_of_threads_load_and_settings(self) -> None:
        rows = list(csv.DictReader(self.report("csv", {}).splitlines()))
        found = {(row["section"], row["name"], row["detail"]): row["value"] for row in rows}
        self.assertEqual(len(found), len(rows), "no two lines of one name")
        for thread in "01":
            self.assertGreaterEqual(int(found["thread", "waited_ns", thread]), int(found["thread", "longest_wait_ns", thread]))
            self.assertRegex(found["thread", "imbalance", thread], r"^\d\.\d+$")
        report = parsed(self.report("json", {}))
        for key, value in report["load"].items():
            if not isinstance(value, list):
                self.assertEqual(("load", key, "") in found, value is not None, key)
        for name, value in report["settings"].items():
            if name != "MUSTER_REPORT":
                self.assertEqual(found.get(("process", name, "")), value, name)

    def test_settings_in_force(self) -> None:
        settings = parsed(self.report("json", {"MUSTER_SLICE": "off", "MUSTER_PLACE": "off"}))["settings"]
        self.assertEqual((settings["MUSTER_SLICE"], settings["MUSTER_PLACE"]), ("off", "off"))
        settings = parsed(self.report("json", {"MUSTER_SLICE": "2000us"}))["settings"]
        self.assertEqual((settings["MUSTER_SLICE"], settings["MUSTER_PLACE"]), ("2000us", "auto"))

    def test_reports_are_held_to_the_schema_that_the_command_prints(self) -> None:
        self.assertEqual(SCHEMA.read_text(), muster("fields", "--schema"))

    def test_the_schema_refuses_what_is_no_report(self) -> None:
        report = parsed(self.report("json", RUNS[0]))
        barriers = report["barriers"]
        for wrong in (
            report | {"format": 1},
            report | {"regions": None},
            report | {"regions": -1},
            report | {"new": 1},
            report | {"barriers": {key: barriers[key] for key in barriers if key != "replaced"}},
            report | {"arguments": [1]},
            {key: value for key, value in report.items() if key != "waiting"},
        ):
            self.assertNotEqual(problem_of(wrong), "")

    def test_process(self) -> None:
        before = datetime.now(timezone.utc)
        report = parsed(self.report("json", {}))
        longest = (datetime.now(timezone.utc) - before).total_seconds()
        started, ended = (datetime.fromisoformat(report[key].replace("Z", "+00:00")) for key in ("started", "ended"))
        self.assertLessEqual(before, started)
        self.assertLessEqual(ended, datetime.now(timezone.utc))
        for seconds in ((ended - started).total_seconds(), report["elapsed_ns"] / 1e9):
            self.assertTrue(8 * 0.002 <= seconds <= longest, "as long as the program sleeps at least")
        self.assertEqual(report["cpu_ns"], report["user_ns"] + report["system_ns"])
        self.assertLessEqual(report["cpu_ns"], os.cpu_count() * longest * 1e9)
        self.assertEqual(report["arguments"], [str(self.folder / "program")])
        self.assertEqual(report["format"], 3)
        self.assertRegex(report["commit"] or "0" * 10, r"^[0-9a-f]{10}\+?$")

    def test_arguments(self) -> None:
        given = ["a b", "", 'qu"ote', "x" * 100_000]
        report = parsed(self.report("json", {}, *given))
        self.assertEqual(report["arguments"][1:], given)

    def test_the_page_holds_what_the_command_prints(self) -> None:
        page = re.search(r"<!-- fields -->\n(.*?)<!-- /fields -->", PAGE.read_text(), re.DOTALL)
        assert page is not None
        self.assertEqual(page[1].strip(), muster("fields", "--markdown").strip(), "put the command's output there")

    def test_plain(self) -> None:
        shown = muster("fields")
        for row in self.rows:
            self.assertIn(f"{row['field']}\n    {row['unit']}", shown)


if __name__ == "__main__":
    unittest.main()
