"""The report, through the front door: what real programs did is what it says."""

from __future__ import annotations

import csv
import os
import pathlib
import re
import socket
import tempfile
import unittest
from collections.abc import Iterator

import programs

from lab.reports import load

# Of MUSTER_BARRIER's values those that are no algorithm of their own: the report names the one that was used.
CHOICES = {"auto", "dissemination-or-counter"}


def by(rows: list[dict], key: str, value: str) -> dict:
    return next(row for row in rows if row[key] == value)


class Counts(unittest.TestCase):
    def test_every_arrival_is_counted(self) -> None:
        for threads in ("2", "3", "5"):
            result, report = programs.report(
                programs.build(programs.BARRIERS), "200", OMP_NUM_THREADS=threads
            )
            self.assertEqual(result.returncode, 3)
            self.assertEqual(result.stderr, "")
            self.assertTrue(report["active"])
            barriers = report["barriers"]
            self.assertEqual(barriers["replaced"], 200 * int(threads))
            self.assertEqual(barriers["instances_replaced"], 200)
            self.assertEqual(barriers["passed_through"], 0)
            self.assertEqual(report["regions"], 1)
            self.assertEqual(report["largest_team"], int(threads))
            self.assertEqual([t["barriers"] for t in report["threads"]], [200] * int(threads))
            waits = sum(bucket["count"] for bucket in report["waiting"]["histogram"])
            last = report["waiting"]["arrived_last"]
            self.assertEqual(waits + last, 200 * int(threads))

    def test_every_algorithm_and_policy_is_used(self) -> None:
        program = programs.build(programs.BARRIERS)
        stock = programs.run(program, preload=False)
        algorithms = set(programs.values("MUSTER_BARRIER")) - {"native"}
        for algorithm in sorted(algorithms):
            result, report = programs.report(program, MUSTER_BARRIER=algorithm)
            self.assertEqual((result.stdout, result.returncode), (stock.stdout, stock.returncode))
            (use,) = report["barriers"]["by_algorithm"]
            self.assertIn(use["algorithm"], algorithms - CHOICES if algorithm in CHOICES else {algorithm})
            self.assertEqual(use["replaced"], 200)
            self.assertEqual(use["while_contended"], 0)
            self.assertEqual(use["team_size"], 2)
        for wait in (*programs.values("MUSTER_WAIT"), "0us"):
            result, report = programs.report(program, MUSTER_WAIT=wait)
            self.assertEqual((result.stdout, result.returncode), (stock.stdout, stock.returncode))
            self.assertEqual(report["settings"]["MUSTER_WAIT"], wait)
            self.assertEqual(report["barriers"]["replaced"], 200)
            waiting = report["waiting"]
            if wait in ("block", "0us"):
                self.assertEqual(waiting["ssr"], 0.0)
                self.assertEqual(waiting["spins_begun"], 0)
            if wait in ("spin", "yield"):
                self.assertEqual(waiting["ssr"], 1.0)
                self.assertEqual(waiting["blocks"], 0)

    def test_an_algorithm_that_a_contended_team_used_is_named(self) -> None:
        """A team with too few CPUs is contended, as soon as it has looked."""
        program = programs.build(programs.BARRIERS)
        threads = 2 * len(os.sched_getaffinity(0)) + 1
        team = {"MUSTER_BARRIER": "dissemination-or-counter", "OMP_NUM_THREADS": str(threads)}
        _, report = programs.report(program, "5000", **team)
        barriers = report["barriers"]
        rows = {row["algorithm"]: row for row in barriers["by_algorithm"]}
        self.assertEqual(set(rows), {"dissemination", "fetch-add-xadd"})
        usual, contended = rows["dissemination"], rows["fetch-add-xadd"]
        self.assertEqual(usual["replaced"] + contended["replaced"], 5000 * threads)
        self.assertEqual((usual["while_contended"], contended["while_contended"]), (0, contended["replaced"]))
        self.assertEqual(report["waiting"]["contended"], contended["replaced"])
        # All threads used the same one at each barrier. The first wait looks, so nearly all barriers come after it.
        self.assertEqual((usual["replaced"] % threads, contended["replaced"] % threads), (0, 0))
        self.assertGreater(contended["replaced"], usual["replaced"])
        # Not observed.
        _, report = programs.report(program, MUSTER_WAIT="2cs+", **team)
        (use,) = report["barriers"]["by_algorithm"]
        self.assertEqual((use["algorithm"], use["while_contended"]), ("dissemination", None))

    def bound(self) -> Iterator[dict]:
        for binding in ({"OMP_PROC_BIND": "close"}, {"OMP_PLACES": "threads"}):
            _, report = programs.report(programs.build(programs.BARRIERS), "5000", **binding)
            self.assertEqual(report["barriers"]["replaced"], 10000)
            yield report

    def test_bound_threads(self) -> None:
        for report in self.bound():
            self.assertEqual(report["load"]["allowed_cpus"], len(os.sched_getaffinity(0)))

    # muster-test: full how often threads yield depends on what else runs
    # muster-test: alone as above
    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one CPU: no team of two fits")
    def test_bound_threads_fit_on_their_cpus(self) -> None:
        for report in self.bound():
            # Not for one another: only long spins look for hidden teammates.
            self.assertLess(report["waiting"]["yields"], 1000)

    def test_native_is_the_control(self) -> None:
        _, report = programs.report(programs.build(programs.BARRIERS), MUSTER_BARRIER="native")
        self.assertEqual(report["barriers"]["replaced"], 0)
        reason = by(report["barriers"]["by_reason"], "reason", "MUSTER_BARRIER=native")
        self.assertEqual(reason["count"], 200)

    def test_gcc_code_on_libomp_by_entry_point(self) -> None:
        program = programs.build(programs.LOOPS, "gcc", "loops")
        stock = programs.run(program, preload=False)
        result, report = programs.report(program)
        self.assertEqual(result.stdout, stock.stdout)
        self.assertEqual(report["runtimes"][0]["kind"], "libomp")
        entries = report["barriers"]["by_entry"]
        self.assertEqual(by(entries, "entry", "GOMP_loop_end")["replaced"], 100)
        self.assertEqual(by(entries, "entry", "GOMP_sections_end")["replaced"], 100)

    def test_reductions_by_method_and_copyprivate(self) -> None:
        program = programs.build(programs.REDUCTIONS, name="reductions")
        # Arrivals of two threads at __kmpc_reduce, __kmpc_end_reduce, __kmpc_reduce_nowait.
        for method, expected in (
            ("", (0, 200, 0)),
            ("atomic", (0, 200, 0)),
            ("critical", (0, 200, 0)),
            ("tree", (300, 100, 400)),
        ):
            forced = {"KMP_FORCE_REDUCTION": method} if method else {}
            result, report = programs.report(program, OMP_NUM_THREADS="2", **forced)
            self.assertEqual((result.stdout, result.stderr), ("600 600\n", ""))
            barriers = report["barriers"]
            entries = barriers["by_entry"]
            names = ("__kmpc_reduce", "__kmpc_end_reduce", "__kmpc_reduce_nowait")
            counts = {row["entry"]: row["replaced"] for row in entries}
            self.assertEqual(tuple(counts.get(name, 0) for name in names), expected, method)
            self.assertEqual(counts["__kmpc_copyprivate"], 400)
            self.assertEqual(counts["__kmpc_barrier"], 400)
            self.assertEqual(barriers["passed_through"], 0)
            self.assertEqual(barriers["replaced"], sum(counts.values()))
            used = sum(row["replaced"] for row in barriers["by_algorithm"])
            self.assertEqual(barriers["replaced"], used)
            self.assertEqual(barriers["instances_replaced"], barriers["replaced"] / 2)

    def test_a_tool_that_declines(self) -> None:
        program = programs.build(programs.TOOL, name="tool")
        result, report = programs.report(program)
        self.assertEqual(result.stdout, "ok\n")
        self.assertTrue(report["active"], report["inactive_reason"])
        self.assertIsNone(report["runtimes"][0]["tool"])
        self.assertGreater(report["barriers"]["replaced"], 0)

    def test_libgomp(self) -> None:
        result, report = programs.report(programs.build(programs.BARRIERS, "libgomp"))
        self.assertEqual(result.returncode, 3)
        self.assertEqual(report["runtimes"][0]["kind"], "libgomp")
        self.assertTrue(report["runtimes"][0]["replaced"])
        self.assertEqual(report["barriers"]["replaced"], 200)
        self.assertEqual(report["barriers"]["passed_through"], 0)


class SpinRates(unittest.TestCase):
    """SSR by team size: the same team state serves both sizes, one after the other."""

    BARRIERS = 20
    SIZES = (2, 4)

    def program(self) -> pathlib.Path:
        return programs.build(programs.TWO_SIZES, name="sizes")

    def report(self, wait: str) -> dict:
        result, report = programs.report(self.program(), MUSTER_WAIT=wait)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(report["barriers"]["passed_through"], 0)
        return report["waiting"]

    def test_both_sizes_appear_and_sum_to_the_total(self) -> None:
        for wait in ("auto", "2cs+", "spin", "block"):
            with self.subTest(wait=wait):
                waiting = self.report(wait)
                rows = waiting["by_team_size"]
                self.assertEqual([row["team_size"] for row in rows], list(self.SIZES))
                for row in rows:
                    self.assertEqual(row["wait"], wait)
                    self.assertEqual(row["arrivals"], self.BARRIERS * row["team_size"])
                    self.assertEqual(row["waits"] + row["arrived_last"], row["arrivals"])
                    self.assertGreater(row["waits"], 0)
                    self.assertLessEqual(row["spins_succeeded"], row["waits"])
                    self.assertAlmostEqual(row["ssr"], row["spins_succeeded"] / row["waits"], 5)
                for key in ("waits", "arrived_last", "spins_succeeded", "blocks"):
                    self.assertEqual(sum(row[key] for row in rows), waiting[key], key)
                waits = sum(bucket["count"] for bucket in waiting["histogram"])
                self.assertEqual(waiting["waits"], waits)

    def test_spinning_for_ever_scores_all_and_blocking_nothing(self) -> None:
        for wait, rate in (("spin", 1.0), ("yield", 1.0), ("block", 0.0), ("0us", 0.0)):
            with self.subTest(wait=wait):
                waiting = self.report(wait)
                self.assertEqual(waiting["ssr"], rate)
                self.assertEqual([row["ssr"] for row in waiting["by_team_size"]], [rate, rate])

    def test_nobody_waited(self) -> None:
        _, report = programs.report(self.program(), MUSTER_BARRIER="native")
        self.assertIsNone(report["waiting"]["ssr"])
        self.assertEqual(report["waiting"]["by_team_size"], [])

    def test_text_and_csv_tell_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("txt", "csv"):
                path = pathlib.Path(folder) / f"report.{ending}"
                programs.run(self.program(), MUSTER_REPORT=str(path), MUSTER_WAIT="spin")
                text = path.read_text()
                if ending == "txt":
                    self.assertRegex(text, r"SSR +100\.00 % with spin: (\d+) of \1 waits")
                    for size in self.SIZES:
                        self.assertRegex(text, rf"teams of +{size} +100\.00 % of +\d+ waits, 0 blocks")
                    continue
                found = {(r["section"], r["name"], r["detail"]): r["value"] for r in csv.DictReader(text.splitlines())}
                for size in map(str, self.SIZES):
                    self.assertEqual(float(found["ssr", "spin", size]), 1.0)
                    waits = found["waits", "spin", size]
                    self.assertEqual(found["spins_succeeded", "spin", size], waits)
                    self.assertEqual(found["blocks", "spin", size], "0")


class Load(unittest.TestCase):
    def test_what_the_sensor_saw(self) -> None:
        program = programs.build(programs.BARRIERS)
        one = min(os.sched_getaffinity(0))
        for cpus in ({one}, os.sched_getaffinity(0)):
            with self.subTest(cpus=cpus):
                before = os.sched_getaffinity(0)
                os.sched_setaffinity(0, cpus)
                try:
                    _, report = programs.report(program)
                finally:
                    os.sched_setaffinity(0, before)
                load = report["load"]
                self.assertGreaterEqual(load["looks"], 1)
                self.assertEqual(load["allowed_cpus"], len(cpus))
                known = os.access("/proc/loadavg", os.R_OK)
                self.assertEqual(load["runnable"] is not None, known)
                self.assertEqual("runnable" in load["unavailable"], not known)

    def stolen_so_far(self) -> int:
        """Of the allowed CPUs, in ms."""
        lines = (line.split() for line in pathlib.Path("/proc/stat").read_text().splitlines())
        names = {f"cpu{cpu}" for cpu in os.sched_getaffinity(0)}
        return sum(10 * int(line[8]) for line in lines if line[0] in names)

    def test_stolen_time_from_start_to_end(self) -> None:
        before = self.stolen_so_far()
        _, report = programs.report(programs.build(programs.BARRIERS))
        load = report["load"]
        self.assertGreaterEqual(load["stolen_before_ms"], before)
        self.assertLessEqual(load["stolen_before_ms"] + load["stolen_ms"], self.stolen_so_far())


class Costs(unittest.TestCase):
    COSTS = ("context_switch", "wake", "wake_call")

    def test_told_where_a_policy_asked(self) -> None:
        for wait in ("conditional", "2cs+", "exponential"):
            _, report = programs.report(programs.build(programs.BARRIERS), MUSTER_WAIT=wait)
            self.assertEqual(sorted(report["cost_notes"]), sorted(self.COSTS))
            for key in self.COSTS:
                self.assertTrue(200 <= report[f"{key}_ns"] <= 50_000, report["cost_notes"])

    def test_not_measured_where_none_did(self) -> None:
        for settings in ({"MUSTER_WAIT": "auto"}, {"MUSTER_WAIT": "block"}, {"MUSTER_WAIT": "50us"}):
            _, report = programs.report(programs.build(programs.BARRIERS), **settings)
            self.assertEqual(report["cost_notes"], dict.fromkeys(self.COSTS))
            self.assertEqual([report[f"{key}_ns"] for key in self.COSTS], [None, None, None])

    def test_one_cpu_takes_the_context_switch(self) -> None:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        try:
            _, report = programs.report(programs.build(programs.BARRIERS), MUSTER_WAIT="2cs+")
        finally:
            os.sched_setaffinity(0, before)
        self.assertEqual(report["cost_notes"]["wake"], "as context switch: one CPU")
        self.assertEqual(report["wake_ns"], report["context_switch_ns"])

    def test_bound_threads_do_not_hide_the_other_cpus(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU")
        _, report = programs.report(
            programs.build(programs.BARRIERS), MUSTER_WAIT="2cs+", OMP_PROC_BIND="close"
        )
        self.assertNotEqual(report["cost_notes"]["wake"], "as context switch: one CPU")


class Formats(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = pathlib.Path(self.folder.name)
        self.program = programs.build(programs.BARRIERS)

    def test_text_on_stderr_leaves_stdout_alone(self) -> None:
        stock = programs.run(self.program, preload=False)
        result = programs.run(self.program, MUSTER_REPORT="stderr", MUSTER_WAIT="2cs+")
        self.assertEqual(result.stdout, stock.stdout)
        for words in ("200 arrivals replaced (100 barriers)", "SSR", "wait times", "imbalance", "CPUs allowed", "wake call"):
            self.assertIn(words, result.stderr)

    def test_text_file(self) -> None:
        path = self.place / "report.txt"
        result = programs.run(self.program, MUSTER_REPORT=str(path))
        self.assertEqual(result.stderr, "")
        self.assertIn("200 arrivals replaced", path.read_text())
        self.assertEqual(list(self.place.iterdir()), [path], "no temporary file is left")

    def test_csv_file(self) -> None:
        path = self.place / "report.csv"
        programs.run(self.program, MUSTER_REPORT=str(path), MUSTER_WAIT="2cs+")
        with path.open() as lines:
            rows = list(csv.DictReader(lines))
        found = {(r["section"], r["name"], r["detail"]): r["value"] for r in rows}
        self.assertEqual(found["entry", "__kmpc_barrier", "replaced"], "200")
        self.assertEqual(found["waiting", "barriers", ""], "200")
        self.assertEqual(found["load", "allowed_cpus", ""], str(len(os.sched_getaffinity(0))))
        self.assertEqual(found["thread", "barriers", "1"], "100")
        costs = {row["name"]: int(row["value"]) for row in rows if row["section"] == "cost"}
        self.assertEqual(list(costs), ["context_switch_ns", "wake_ns", "wake_call_ns"])
        self.assertTrue(all(200 <= ns <= 50_000 for ns in costs.values()), costs)

    def test_patterns(self) -> None:
        pattern = self.place / "r-%h-%p-%r-%%.json"
        programs.run(self.program, MUSTER_REPORT=str(pattern), OMPI_COMM_WORLD_RANK="7")
        (path,) = self.place.iterdir()
        host = re.escape(socket.gethostname())
        self.assertRegex(path.name, rf"^r-{host}-\d+-7-%\.json$")
        report = load(path)
        self.assertEqual(report["rank"], 7)
        self.assertIn(f"-{report['pid']}-", path.name)

    def test_an_older_report_makes_way(self) -> None:
        path = self.place / "report.json"
        path.write_text("old")
        os.utime(path, (1, 1))
        result = programs.run(self.program, MUSTER_REPORT=str(path))
        self.assertEqual(result.stderr, "")
        self.assertEqual(load(path)["barriers"]["replaced"], 200)
        self.assertEqual(list(self.place.iterdir()), [path])

    def test_another_names_characters_are_escaped(self) -> None:
        odd = self.place / 'odd"\\\n\xff name'
        odd.write_bytes(self.program.read_bytes())
        odd.chmod(0o755)
        _, report = programs.report(odd)
        self.assertEqual(report["barriers"]["replaced"], 200)


class Switches(unittest.TestCase):
    def test_off_leaves_everything_to_the_runtime(self) -> None:
        program = programs.build(programs.BARRIERS)
        result = programs.run(
            program, MUSTER="off", MUSTER_REPORT="stderr", MUSTER_VERBOSE="1", MUSTER_WAIT="bad"
        )
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr, "")

    def test_verbose_tells_settings_and_runtimes(self) -> None:
        result = programs.run(
            programs.build(programs.BARRIERS),
            MUSTER_VERBOSE="1",
            MUSTER_BARRIER="tree",
            MUSTER_WAIT="2cs+",
        )
        self.assertIn("muster: MUSTER_BARRIER=tree\n", result.stderr)
        self.assertIn("muster: found libomp at ", result.stderr)
        for line in result.stderr.splitlines():
            self.assertTrue(line.startswith("muster: "), line)
        for cost in ("context switch", "wake-up", "wake call"):
            self.assertRegex(result.stderr, rf"muster: cost of a {cost}: \d+ ns \(.+\)\n")

    def test_nothing_to_say_without_openmp(self) -> None:
        result = programs.run("/bin/true", MUSTER_WAIT="bad", MUSTER_VERBOSE="1")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
