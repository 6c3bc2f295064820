"""What the report says of region folding: its shape, that its numbers agree, and what they are."""

from __future__ import annotations

import csv
import pathlib
import subprocess
import tempfile
import unittest

import programs

from lab.reports import parsed

REGIONS = 1000
WHAT = ("unfolded", "closed")
TASKWAIT_AT_THE_END = r"""
int main(void) {
  static long sum;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      #pragma omp parallel
      {
        #pragma omp atomic
        sum += 1;
      }
    }
    #pragma omp parallel num_threads(1)
    {
      sum += 1;
      #pragma omp taskwait
    }
  }
  return sum != 80;
}
"""


def program() -> pathlib.Path:
    return programs.build(programs.REGIONS, name="regions")


class ForkJoinTest(unittest.TestCase):
    def report(self, setting: str | None, regions: int = REGIONS, every: int = 0) -> dict:
        extra = {} if setting is None else {"MUSTER_FORKJOIN": setting}
        result, report = programs.report(program(), str(regions), str(every), **extra)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"{2 * 2 * regions}\n")
        self.check_consistency(report["fork_join"])
        return report

    def check_consistency(self, fork_join: dict) -> None:
        self.assertLessEqual(fork_join["opened"], fork_join["folded"])
        self.assertLessEqual(fork_join["closed"], fork_join["opened"])
        counts: dict[tuple[str, str], int] = {}
        for row in fork_join["by_reason"]:
            self.assertNotIn((row["what"], row["reason"]), counts)
            self.assertGreater(row["count"], 0)
            counts[row["what"], row["reason"]] = row["count"]
        self.assertLessEqual({what for what, _ in counts}, set(WHAT))
        for what in WHAT:
            total = sum(count for (whose, _), count in counts.items() if whose == what)
            self.assertEqual(fork_join[what], total)
        self.check_sites(fork_join["sites"], counts)

    def check_sites(self, sites: list[dict], counts: dict[tuple[str, str], int]) -> None:
        self.assertLessEqual(len(sites), 64)
        by_reason = dict.fromkeys(counts, 0)
        for site in sites:
            self.assertIn((site["what"], site["reason"]), counts)
            self.assertRegex(site["offset"], r"\A0x[0-9a-f]+\Z")
            self.assertTrue(site["object"] == "?" or pathlib.Path(site["object"]).is_file(), site)
            self.assertGreater(site["count"], 0)
            by_reason[site["what"], site["reason"]] += site["count"]
        for key, count in by_reason.items():
            self.assertLessEqual(count, counts[key], key)


class Shape(ForkJoinTest):
    def test_the_setting_in_force(self) -> None:
        for setting in programs.values("MUSTER_FORKJOIN"):
            self.assertEqual(self.report(setting)["fork_join"]["setting"], setting)
        default = self.report(None)["fork_join"]["setting"]
        result = programs.run(program(), "1", "0", MUSTER_FORKJOIN="bad")
        self.assertIn(f"using {default}\n", result.stderr)

    def test_off_folds_nothing(self) -> None:
        fork_join = self.report("off", every=7)["fork_join"]
        self.assertEqual([fork_join[key] for key in ("opened", "folded", "closed")], [0, 0, 0])

    def test_text_and_csv_tell_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            reports = {}
            for ending in ("txt", "csv", "json"):
                path = pathlib.Path(folder) / f"report.{ending}"
                programs.run(
                    program(), "100", "10", MUSTER_REPORT=str(path), MUSTER_FORKJOIN="on"
                )
                reports[ending] = path.read_text()
        expected = parsed(reports["json"])["fork_join"]
        self.assertIn(
            f"on: {expected['folded']} regions folded, {expected['unfolded']} not;"
            f" {expected['opened']} folds opened, {expected['closed']} closed\n",
            reports["txt"],
        )
        rows = list(csv.DictReader(reports["csv"].splitlines()))
        found = {(row["section"], row["name"]): row["value"] for row in rows}
        self.assertEqual(found["process", "MUSTER_FORKJOIN"], "on")
        for key in ("opened", "folded", "unfolded", "closed"):
            self.assertEqual(found["fork_join", key], str(expected[key]))
        # A table has every reason there is, also those that did not occur.
        for what in WHAT:
            listed = {name: int(value) for (section, name), value in found.items() if section == f"fork_join_{what}"}
            occurred = {row["reason"]: row["count"] for row in expected["by_reason"] if row["what"] == what}
            self.assertEqual({name: count for name, count in listed.items() if count > 0}, occurred)
            self.assertGreater(len(listed), len(occurred))
        for site in expected["sites"]:
            name = f"+{site['offset']} ({site['symbol']})"
            self.assertEqual(found["fork_join_site", site["object"] + name], str(site["count"]))
            self.assertIn(pathlib.Path(site["object"]).name + name, reports["txt"])
        self.assertEqual(sum(section == "fork_join_site" for section, _ in found), len(expected["sites"]))


class Values(ForkJoinTest):
    def count(self, fork_join: dict, what: str, reason: str) -> int:
        rows = fork_join["by_reason"]
        return sum(row["count"] for row in rows if (row["what"], row["reason"]) == (what, reason))

    def test_every_region_is_folded_or_not(self) -> None:
        for setting in programs.values("MUSTER_FORKJOIN"):
            for every in (0, 1, 7):
                with self.subTest(setting=setting, every=every):
                    report = self.report(setting, every=every)
                    fork_join = report["fork_join"]
                    self.assertLessEqual(fork_join["folded"] + fork_join["unfolded"], report["regions"])
                    self.assertEqual(fork_join["folded"] + fork_join["unfolded"], REGIONS)
                    self.assertEqual(fork_join["opened"], fork_join["closed"])
                    self.assertEqual(report["largest_team"], 2)

    def test_on_folds_all_in_one(self) -> None:
        fork_join = self.report("on")["fork_join"]
        first = self.count(fork_join, "unfolded", "too few in a row")
        self.assertLess(first, 5)
        self.assertEqual((fork_join["opened"], fork_join["folded"]), (1, REGIONS - first))
        self.assertEqual(self.count(fork_join, "closed", "end"), 1)

    def test_auto_folds_most_of_a_long_row(self) -> None:
        fork_join = self.report("auto", regions=20000)["fork_join"]
        self.assertGreater(fork_join["folded"], 10000)

    def test_off_gives_the_reason(self) -> None:
        fork_join = self.report("off")["fork_join"]
        self.assertEqual(self.count(fork_join, "unfolded", "MUSTER_FORKJOIN=off"), REGIONS)

    def test_a_call_from_the_serial_part_is_found(self) -> None:
        every = 10
        fork_join = self.report("on", every=every)["fork_join"]
        self.assertEqual(self.count(fork_join, "closed", "runtime call"), REGIONS // every)
        (site,) = (site for site in fork_join["sites"] if site["reason"] == "runtime call")
        self.assertEqual((site["symbol"], site["count"]), ("omp_set_num_threads", REGIONS // every))
        self.assertEqual(site["object"], str(program()))
        self.assert_in_main(int(site["offset"], 16))

    def test_a_call_at_the_end_of_a_region_is_found(self) -> None:
        """gcc makes it a jump, which returns to Muster."""
        ending = programs.build(TASKWAIT_AT_THE_END, "libgomp")
        result, report = programs.report(ending, OMP_NUM_THREADS="3", MUSTER_FORKJOIN="on")
        self.assertEqual(result.returncode, 0)
        (site,) = (site for site in report["fork_join"]["sites"] if site["symbol"] == "GOMP_taskwait")
        self.assertEqual((site["object"], site["count"]), (str(ending), 5))

    def assert_in_main(self, offset: int) -> None:
        listed = subprocess.run(
            ["nm", "--print-size", program()], capture_output=True, text=True, check=True
        )
        (line,) = (line for line in listed.stdout.splitlines() if line.endswith(" main"))
        begin, size = (int(word, 16) for word in line.split()[:2])
        self.assertTrue(begin < offset <= begin + size, line)


if __name__ == "__main__":
    unittest.main()
