"""`muster merge`: sums by hand and of real runs; files that are no reports.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from lab.environment import clean_environment  # noqa: E402
from lab.reports import load, parsed  # noqa: E402

BUILD = Path(os.environ["MUSTER_BUILD_DIR"])
MUSTER = BUILD / "bin" / "muster"

# Regions and barriers as asked. The primary thread arrives late once, so that another thread waits longer than a few polls.
PROGRAM = r"""
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **arguments) {
  (void)count;
  int regions = atoi(arguments[1]), barriers = atoi(arguments[2]);
  for (int region = 0; region < regions; ++region) {
    #pragma omp parallel
    for (int i = 0; i < barriers; ++i) {
      if (i == 1 && region == 0 && omp_get_thread_num() == 0) usleep(2000);
      #pragma omp barrier
    }
  }
  return 0;
}
"""


def muster(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MUSTER, *arguments], capture_output=True, text=True, timeout=60, check=False)


class MergeTest(unittest.TestCase):
    folder: Path
    program: Path
    pattern: dict

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-merge-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.program = cls.folder / "program"
        source = cls.folder / "program.c"
        source.write_text(PROGRAM)
        subprocess.run(["gcc", "-O2", "-fopenmp", source, "-o", cls.program], check=True)
        cls.pattern = cls.run_rank(0, 1, 1)

    @classmethod
    def run_rank(cls, rank: int, regions: int, barriers: int, threads: int = 2, **variables: str) -> dict:
        """Runs the program as that rank; its report is r<rank>.json."""
        clean = clean_environment("OMPI_") | {"OMPI_COMM_WORLD_RANK": str(rank), "OMP_NUM_THREADS": str(threads), **variables}
        command = [MUSTER, "run", "--report", cls.folder / "r%r.json", "--", cls.program, str(regions), str(barriers)]
        subprocess.run(command, env=clean, check=True, timeout=60)
        return load(cls.folder / f"r{rank}.json")

    def reports(self, *ranks: int) -> list[Path]:
        return [self.folder / f"r{rank}.json" for rank in ranks]

    def merged(self, *files: Path, status: int = 0) -> dict:
        done = muster("merge", "--json", "-", *files)
        self.assertEqual(done.returncode, status, done.stderr)
        return parsed(done.stdout)

    def made_up(self, name: str, rank: int, waited: list[int], **changes: object) -> Path:
        """A report whose threads waited so long, for ten barriers; the rest as in a real one."""
        report = json.loads(json.dumps(self.pattern)) | {"rank": rank, "pid": 100 + rank, "largest_team": len(waited)}
        arrivals = 10 * len(waited)
        report["barriers"] |= {"replaced": arrivals, "instances_replaced": 10, "passed_through": 0}
        report["waiting"] |= {"barriers": arrivals, "waited_ns": sum(waited), "waits": 8, "spins_succeeded": 2 + rank}
        report["threads"] = [
            {
                "thread": thread,
                "barriers": 10,
                "arrived_last": 10 - thread,
                "waited_ns": ns,
                "longest_wait_ns": ns // 2,
                "imbalance": ns * len(waited) / sum(waited) if sum(waited) else None,
            }
            for thread, ns in enumerate(waited)
        ]
        path = self.folder / name
        path.write_text(json.dumps(report | changes))
        return path


class Sums(MergeTest):
    def test_of_real_runs(self) -> None:
        given = [self.run_rank(rank, rank + 1, 10 * (rank + 1), threads=2 + rank) for rank in range(3)]
        merged = self.merged(*self.reports(0, 1, 2))
        self.assertEqual((merged["merged"], merged["ranks"], merged["largest_team"]), (3, [0, 1, 2], 4))
        # Regions x barriers x threads, by hand.
        self.assertEqual(merged["barriers"]["replaced"], 1 * 10 * 2 + 2 * 20 * 3 + 3 * 30 * 4)
        self.assertEqual(merged["barriers"]["instances_replaced"], 1 * 10 + 2 * 20 + 3 * 30)
        self.assertEqual(merged["regions"], 1 + 2 + 3)
        for section in ("waiting", "runtime_yields", "fork_join"):
            for name, value in given[0][section].items():
                if isinstance(value, int):
                    self.assertEqual(merged[section][name], sum(report[section][name] for report in given), name)
        buckets = [[bucket["count"] for bucket in report["waiting"]["histogram"]] for report in given]
        self.assertEqual(
            [bucket["count"] for bucket in merged["waiting"]["histogram"]], [sum(counts) for counts in zip(*buckets)]
        )
        waits = sum(report["waiting"]["waits"] for report in given)
        succeeded = sum(report["waiting"]["spins_succeeded"] for report in given)
        self.assertAlmostEqual(merged["waiting"]["ssr"], succeeded / waits)
        by_entry = {row["entry"]: row["replaced"] for row in merged["barriers"]["by_entry"]}
        self.assertEqual(by_entry, {"GOMP_barrier": merged["barriers"]["replaced"]})
        for row, report in zip(merged["reports"], given):
            self.assertEqual((row["rank"], row["pid"]), (report["rank"], report["pid"]))
            self.assertEqual(row["waited_ns"], report["waiting"]["waited_ns"])
            self.assertEqual(row["longest_wait_ns"], max(thread["longest_wait_ns"] for thread in report["threads"]))
            late = max(report["threads"], key=lambda thread: thread["arrived_last"])
            self.assertEqual(row["arrives_last_most"], late["thread"])
            waiter = max(report["threads"], key=lambda thread: thread["waited_ns"])
            self.assertEqual(row["waits_longest"], waiter["thread"])
        (runtime,) = merged["runtimes"]
        self.assertEqual((runtime["kind"], runtime["reports"]), ("libgomp", 3))
        self.assertEqual(runtime["arrivals_replaced"], merged["barriers"]["replaced"])

    def test_of_barriers_passed_through(self) -> None:
        self.run_rank(5, 1, 10, MUSTER_BARRIER="native")
        self.run_rank(6, 1, 20)
        merged = self.merged(*self.reports(5, 6))
        self.assertEqual((merged["barriers"]["passed_through"], merged["barriers"]["replaced"]), (20, 40))
        self.assertEqual(merged["barriers"]["by_reason"], [{"reason": "MUSTER_BARRIER=native", "count": 20}])
        passed, replaced = merged["reports"]
        self.assertIsNone(passed["share"], "nothing is known of how it waited")
        self.assertEqual(replaced["share"], 1.0)
        spreads = {row["figure"]: row for row in merged["spread"]}
        self.assertEqual(spreads["waited_ns"]["least_row"], 1)

    def test_of_call_sites(self) -> None:
        both = {"MUSTER_SITES": "on", "MUSTER_FORKJOIN": "on"}
        given = [self.run_rank(rank, 20, barriers, **both) for rank, barriers in ((10, 10), (11, 30))]
        merged = self.merged(*self.reports(10, 11))["call_sites"]
        self.assertEqual(merged["left_out"], 0)
        for key in ("count", "waited_ns", "gain_ns", "sampled"):
            of_both = sum(site[key] for report in given for site in report["call_sites"]["sites"])
            self.assertEqual(sum(site[key] for site in merged["sites"]), of_both, key)
        places = [{(site["kind"], site["offset"]) for site in report["call_sites"]["sites"]} for report in given]
        self.assertEqual(len(merged["sites"]), len(places[0] | places[1]), "a place is one line")
        gains = [site["gain_ns"] for site in merged["sites"]]
        self.assertEqual(gains, sorted(gains, reverse=True))
        barriers = [site for site in merged["sites"] if site["kind"] == "barrier"]
        # gcc may have copied the barrier, and threads may take different copies.
        self.assertAlmostEqual(sum(site["count"] for site in barriers), 20 * (10 + 30), delta=2 * len(barriers))
        self.assertEqual({site["threads"] for site in barriers}, {2})
        self.assertIn("where elapsed time could be gained", muster("merge", *self.reports(10, 11)).stdout)

    def test_of_places_that_were_not_folded(self) -> None:
        given = [self.run_rank(rank, 20, 10, MUSTER_FORKJOIN="off", MUSTER_SITES="on") for rank in (12, 13)]
        sites = self.merged(*self.reports(12, 13))["call_sites"]["sites"]
        (region,) = (site for site in sites if site["kind"] == "region")
        self.assertEqual((region["count"], region["unfolded"], region["gain_ns"]), (40, 40, None))
        elapsed = sum(site["elapsed_ns"] or 0 for report in given for site in report["call_sites"]["sites"])
        self.assertEqual(region["elapsed_ns"], elapsed)

        def place(offset: str, count: int) -> dict:
            names = {"what": "unfolded", "reason": "inside a region", "symbol": "GOMP_parallel", "object": "/a"}
            return names | {"offset": offset, "count": count}

        def with_places(name: str, rank: int, *places: dict) -> Path:
            return self.made_up(name, rank, [1, 2], fork_join=self.pattern["fork_join"] | {"sites": list(places)})

        one, two = with_places("p0.json", 0, place("0x1", 3), place("0x2", 4)), with_places("p1.json", 1, place("0x2", 5))
        self.assertEqual(self.merged(one, two)["fork_join"]["sites"], [place("0x2", 9), place("0x1", 3)])
        self.assertIn("0x2 (GOMP_parallel), inside a region: 9", muster("merge", one, two).stdout)

    def test_of_counters(self) -> None:
        event = "perf::TASK-CLOCK"
        given = [self.run_rank(rank, 2, 10, MUSTER_COUNTERS=event)["counters"]["events"] for rank in (7, 8)]
        self.run_rank(9, 2, 10)
        (row,) = self.merged(*self.reports(7, 8, 9))["counters"]
        counted = [events[0] for events in given if events[0]["waiting"] is not None]
        self.assertEqual((row["name"], row["reports"]), (event, len(counted)))
        for part in ("waiting", "rest"):
            self.assertEqual(row[part], sum(event[part] for event in counted) if counted else None)

    def test_by_hand(self) -> None:
        files = [
            self.made_up("a.json", 0, [100, 300]),
            self.made_up("b.json", 1, [1000, 1000], host="other"),
            self.made_up("c.json", 2, [0, 600, 900, 300]),
        ]
        merged = self.merged(*files)
        rows = merged["reports"]
        self.assertEqual([row["waited_ns"] for row in rows], [400, 2000, 1800])
        self.assertEqual([row["waited_per_wait_ns"] for row in rows], [50, 250, 225])
        self.assertEqual([row["longest_wait_ns"] for row in rows], [150, 500, 450])
        for row, share in zip(rows, (400, 2000, 1800)):
            self.assertAlmostEqual(row["share"], share * 3 / 4200)
        self.assertEqual([row["least_imbalance"] for row in rows], [0.5, 1, 0])
        self.assertEqual([row["most_imbalance"] for row in rows], [1.5, 1, 2])
        self.assertEqual([row["waits_longest"] for row in rows], [1, 0, 2])
        self.assertEqual([row["arrives_last_most"] for row in rows], [0, 0, 0])
        spreads = {row["figure"]: (row["least"], row["median"], row["most"]) for row in merged["spread"]}
        self.assertEqual(
            spreads,
            {
                "arrivals_replaced": (20, 20, 40),
                "waited_ns": (400, 1800, 2000),
                "waited_per_wait_ns": (50, 225, 250),
                "longest_wait_ns": (150, 450, 500),
                "imbalance": (1, 1.5, 2),
            },
        )
        self.assertAlmostEqual(merged["waiting"]["ssr"], (2 + 3 + 4) / 24)
        hosts = {row["host"]: row["reports"] for row in merged["hosts"]}
        self.assertEqual(hosts, {self.pattern["host"]: 2, "other": 1})
        even = {row["figure"]: row["median"] for row in self.merged(*files[:2])["spread"]}
        self.assertEqual((even["waited_ns"], even["imbalance"]), (1200, 1.25))

    def test_rows_are_in_the_order_of_ranks(self) -> None:
        files = [self.made_up(f"{name}.json", rank, [1, 2]) for name, rank in (("x", 10), ("y", 2), ("z", 3))]
        merged = self.merged(*files)
        self.assertEqual([row["rank"] for row in merged["reports"]], [2, 3, 10])
        self.assertIn("3 reports, 3 ranks (2-3, 10) on 1 host", muster("merge", *files).stdout)


class Shown(MergeTest):
    def test_text(self) -> None:
        shown = muster("merge", self.made_up("a.json", 0, [100, 300]), self.made_up("b.json", 1, [4000, 2000]))
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("40 arrivals replaced (20 barriers)", shown.stdout)
        self.assertRegex(shown.stdout, r"waits longest +rank 1 on \S+: 6\.00 us; its thread 0 waits most")
        self.assertRegex(shown.stdout, r"imbalance +1\.33 +1\.42 +1\.50 +rank 0\n")

    def test_processes_of_one_rank_are_distinct(self) -> None:
        files = [self.made_up("a.json", 0, [1, 2]), self.made_up("b.json", 0, [4, 4], pid=4711)]
        self.assertIn("rank 0 (pid 4711)", muster("merge", *files).stdout)

    def test_csv(self) -> None:
        files = [self.made_up("a.json", 0, [100, 300]), self.made_up("b.json", 1, [1000, 1000], host='a,"b"')]
        done = muster("merge", "--csv", *files)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        found = {(row["section"], row["name"], row["detail"]): row["value"] for row in rows}
        self.assertEqual(found["total", "replaced", ""], "40")
        self.assertEqual(found["merged", "host", 'a,"b"'], "1")
        self.assertEqual(found["report", "host", "1"], 'a,"b"')
        self.assertEqual(found["report", "waited_ns", "1"], "2000")
        self.assertEqual(float(found["spread", "waited_ns", "median"]), 1200)
        self.assertEqual(len(found), len(rows), "no two lines of one name")

    def test_json_into_a_file(self) -> None:
        target = self.folder / "merged.json"
        done = muster("merge", "--json", target, self.made_up("a.json", 0, [1, 2]))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(load(target)["merged"], 1)
        done = muster("merge", "--json", "/no/such/folder/x.json", self.made_up("a.json", 0, [1, 2]))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))


class NoReports(MergeTest):
    def test_one_line_each_and_the_rest_is_merged(self) -> None:
        good = self.made_up("good.json", 0, [1, 2])
        text = good.read_text()
        merged = self.folder / "merged.json"
        self.assertEqual(muster("merge", "--json", merged, good).returncode, 0)
        bad = {
            "missing": None,
            "folder": ...,
            "empty": "",
            "cut": text[: len(text) // 2],
            "text": "muster 0.1.0 report",
            "list": "[]",
            "other": '{"name": "x"}',
            "older": json.dumps(json.loads(text) | {"muster": "0.0.1"}),
            "negative": json.dumps(json.loads(text) | {"regions": -1}),
            "short": json.dumps({name: value for name, value in json.loads(text).items() if name != "waiting"}),
            "wrong": json.dumps(json.loads(text) | {"threads": [1]}),
        }
        expected = {
            "missing": "No such file",
            "folder": "Is a directory",
            "older": "a report of Muster 0.0.1, this is Muster",
            "other": "not a report of Muster",
            "short": "no 'waiting' in it",
            "negative": "'regions' is no count",
            "cut": "not JSON, or not all of it",
        }
        for name, content in bad.items():
            with self.subTest(name=name):
                path = self.folder / f"{name}.json"
                if content is ...:
                    path.mkdir()
                elif isinstance(content, str):
                    path.write_text(content)
                done = muster("merge", path, good)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(f"{path}: {expected.get(name, '')}", done.stderr)
                self.assertIn("1 report, 1 rank (0)", done.stdout)
        done = muster("merge", merged, good, good)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a merged report", done.stderr)
        self.assertIn("given twice", done.stderr)
        self.assertIn("20 arrivals replaced", done.stdout)

    def test_none_at_all(self) -> None:
        done = muster("merge", self.folder / "nowhere.json", "--csv")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 2)
        self.assertEqual(muster("merge").returncode, 2)

    def test_a_process_without_openmp(self) -> None:
        report = self.folder / "idle.json"
        subprocess.run([MUSTER, "run", "--report", report, "--", "true"], check=True)
        done = muster("merge", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no OpenMP call", done.stdout)
        self.assertIn("nobody waited", done.stdout)


if __name__ == "__main__":
    unittest.main()
