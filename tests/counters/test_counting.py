"""Events that the kernel counts in software: what goes to waiting, what to the rest, in every kind of program."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from common import FAULTS, LIBRARY, SWITCHES, CountingTest, build, run, values

from lab.reports import load

THREADS, PAGES, ROUNDS = 4, 400, 20
OF_ALL = THREADS * PAGES
# Page faults that are not the program's own: stacks, thread-local data, Muster's pages.
OTHERS = 400
BOTH = f"{FAULTS},{SWITCHES}"


class Attribution(CountingTest):
    def assert_faults(self, counters: dict, pages: int) -> None:
        waiting, rest = self.values(counters)[FAULTS]
        self.assertGreaterEqual(rest, pages)
        self.assertLess(rest, pages + OTHERS)
        self.assertLess(waiting, OTHERS)

    def test_faults_between_barriers_are_the_rest(self) -> None:
        for compiler in ("clang-19", "gcc"):
            with self.subTest(compiler=compiler):
                counters = self.count("faults", BOTH, compiler=compiler)
                self.assertEqual(self.lines, [])
                self.assertEqual((counters["threads"], counters["unavailable"]), (THREADS, None))
                self.assertEqual(counters["library"], None, "the kernel's events need no PAPI")
                self.assert_faults(counters, OF_ALL)
                for event in counters["events"]:
                    self.assertEqual((event["source"], event["reason"]), ("software", None))
                    self.assertFalse(event["multiplexed"])

    def test_sleeps_at_barriers_are_waiting(self) -> None:
        """By every policy, and on an algorithm with several waits. On one CPU: a wait cannot end but after a switch."""
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        cases = [("dist-sensor", wait) for wait in values("MUSTER_WAIT")]
        for barrier, wait in (*cases, ("dissemination", "auto"), ("dissemination", "block")):
            with self.subTest(barrier=barrier, wait=wait):
                extra = {"MUSTER_BARRIER": barrier, "MUSTER_WAIT": wait}
                waiting, rest = self.values(self.count("late", BOTH, extra))[SWITCHES]
                # The first thread's naps, which are its own.
                self.assertGreaterEqual(rest, ROUNDS)
                # Of three threads in each round, less those that were preempted between arrival and wait.
                self.assertGreater(waiting, ROUNDS)

    def test_all_of_the_kernels_events(self) -> None:
        names = ["perf::CPU-MIGRATIONS", "perf::TASK-CLOCK", "perf::MINOR-FAULTS", "perf::MAJOR-FAULTS"]
        more = ["perf::PERF_COUNT_SW_PAGE_FAULTS", "PERF::cs"]
        values = self.values(self.count("late", ",".join(names + more)))
        self.assertGreater(values["perf::TASK-CLOCK"][0], 0)
        self.assertGreater(values["perf::TASK-CLOCK"][1], 0)
        self.assertGreater(values["PERF::cs"][1], 0)
        self.assertEqual(list(values), names + more)

    def test_folded_regions(self) -> None:
        counters = self.count("regions", FAULTS, {"MUSTER_FORKJOIN": "on"})
        self.assertGreater(self.report["fork_join"]["folded"], 0)
        self.assert_faults(counters, OF_ALL * 10)

    def test_regions_of_the_runtime(self) -> None:
        counters = self.count("regions", FAULTS, {"MUSTER_FORKJOIN": "off"})
        self.assertEqual(self.report["fork_join"]["folded"], 0)
        self.assert_faults(counters, OF_ALL * 10)

    def test_nested(self) -> None:
        counters = self.count("nested", FAULTS)
        self.assertGreaterEqual(self.values(counters)[FAULTS][1], 4 * PAGES)

    def test_tasks_are_no_waiting(self) -> None:
        """Threads that run tasks do so at the real barrier."""
        self.assert_faults(self.count("tasks", FAULTS), OF_ALL)


class Lives(CountingTest):
    """Threads that come and go, and processes that end anyhow."""

    def test_threads_that_end_leave_their_counts(self) -> None:
        counters = self.count("roots", FAULTS)
        self.assertGreaterEqual(self.values(counters)[FAULTS][1], 3 * OF_ALL)
        self.assertGreaterEqual(counters["threads"], 3)

    def test_others_run_at_the_end(self) -> None:
        counters = self.count("others-run", BOTH)
        self.assertGreaterEqual(self.values(counters)[FAULTS][1], OF_ALL + PAGES)

    def test_exit_in_a_region(self) -> None:
        counters = self.count("exit-in-region", FAULTS)
        # All up to the barrier, and the thread that ended the process up to the end.
        self.assertGreaterEqual(self.values(counters)[FAULTS][1], OF_ALL + PAGES)

    def test_child_of_fork_is_not_counted(self) -> None:
        command = [str(build("working")), "forks"]
        stock = run(command)
        environment = {
            "LD_PRELOAD": LIBRARY,
            "MUSTER_COUNTERS": f"{FAULTS},perf::CPU-MIGRATIONS",
            "MUSTER_REPORT": str(self.folder / "%p.json"),
        }
        ours = run(command, environment)
        self.assertEqual((ours.status, ours.stdout), (stock.status, stock.stdout))
        others = [line for line in ours.stderr.splitlines() if "'perf::CPU-MIGRATIONS' is not counted" not in line]
        self.assertEqual(others, [])
        first, second = (load(path)["counters"] for path in self.folder.glob("*.json"))
        child, parent = sorted((first, second), key=lambda counters: counters["unavailable"] is None)
        self.assertEqual(child["unavailable"], "the child of a fork is not counted")
        self.assertEqual((child["threads"], self.values(child)[FAULTS]), (0, (None, None)))
        self.assertGreaterEqual(self.values(parent)[FAULTS][1], 2 * OF_ALL)

    def test_descriptors_are_left_alone(self) -> None:
        counters = self.count("closes-descriptors", f"perf::CPU-MIGRATIONS,{FAULTS}")
        self.assertGreaterEqual(self.values(counters)[FAULTS][1], 2 * OF_ALL)

    def test_switched_off(self) -> None:
        report = self.folder / "report.json"
        extra = {"LD_PRELOAD": LIBRARY, "MUSTER": "off", "MUSTER_COUNTERS": "FOO", "MUSTER_REPORT": str(report)}
        ours = run([str(build("working")), "faults"], extra)
        self.assertEqual((ours.status, ours.stderr), (0, ""))
        self.assertFalse(report.exists())

    def test_not_asked(self) -> None:
        report = self.folder / "report.json"
        run([str(build("working")), "faults"], {"LD_PRELOAD": LIBRARY, "MUSTER_REPORT": str(report)})
        self.assertIsNone(load(report)["counters"])


class Formats(CountingTest):
    EXTRA = {"LD_PRELOAD": LIBRARY, "MUSTER_COUNTERS": f"{FAULTS},FOO"}

    def test_csv(self) -> None:
        path = self.folder / "report.csv"
        run([str(build("working")), "faults"], self.EXTRA | {"MUSTER_REPORT": str(path)})
        rows = [line.split(",", 3) for line in path.read_text().splitlines() if line.startswith("counters,")]
        found = {(row[1].strip('"'), row[2].strip('"')): row[3] for row in rows}
        self.assertEqual(found["threads", ""], str(THREADS))
        self.assertGreaterEqual(int(found[FAULTS, "rest"]), OF_ALL)
        self.assertIn((FAULTS, "waiting"), found)
        self.assertEqual(found["FOO", "source"], '"unavailable"')
        self.assertNotIn(("FOO", "rest"), found)

    def test_text(self) -> None:
        path = self.folder / "report.txt"
        run([str(build("working")), "faults"], self.EXTRA | {"MUSTER_REPORT": str(path)})
        text = path.read_text()
        self.assertRegex(text, rf"counters +of {THREADS} threads in regions")
        self.assertRegex(text, rf"{FAULTS} +\d+ +\d+  software")
        self.assertRegex(text, r"FOO +unavailable: ")


class Forbidden(CountingTest):
    """A user whom perf_event_paranoid forbids what root may."""

    NOBODY = 65534

    def test_by_perf_event_paranoid(self) -> None:
        level = Path("/proc/sys/kernel/perf_event_paranoid")
        if os.geteuid() != 0 or not level.exists() or int(level.read_text()) < 2:
            self.skipTest("needs root, to become another user, and a perf_event_paranoid of 2 or more")
        self.folder.chmod(0o777)
        library, program, report = (self.folder / name for name in ("libmuster.so", "working", "report.json"))
        shutil.copy(LIBRARY, library)
        shutil.copy(build("working"), program)
        environment = {
            "LD_PRELOAD": str(library),
            "MUSTER_COUNTERS": f"perf::CPU-MIGRATIONS,{BOTH}",
            "MUSTER_REPORT": str(report),
        }
        done = subprocess.run(
            [program, "faults"],
            env=environment,
            cwd=self.folder,
            user=self.NOBODY,
            capture_output=True,
            text=True,
            check=True,
        )
        (line,) = done.stderr.splitlines()
        migrations, faults, switches = load(report)["counters"]["events"]
        for text in (line, migrations["reason"]):
            self.assertRegex(text, r"perf_event_open: (Permission denied|Operation not permitted); /proc/sys/kernel/")
            self.assertIn("CAP_PERFMON", text)
        self.assertEqual((migrations["source"], migrations["rest"]), ("unavailable", None))
        self.assertGreaterEqual(faults["rest"], OF_ALL, "nothing forbids these")
        self.assertIsNotNone(switches["rest"])


class BadValues(CountingTest):
    def test_lists(self) -> None:
        command = [str(build("working")), "faults"]
        for value in ("", ",", "A,,B", "A,", ",".join(f"E{i}" for i in range(33)), "x" * 128):
            with self.subTest(value=value):
                ours = run(command, {"LD_PRELOAD": LIBRARY, "MUSTER_COUNTERS": value})
                self.assertEqual((ours.status, ours.stdout), (0, "faults\ndone\n"))
                self.assertEqual(len(ours.stderr.splitlines()), 1, ours.stderr)
                self.assertIn(f"MUSTER_COUNTERS: bad value '{value[:64]}", ours.stderr)
                self.assertIn("using none", ours.stderr)


if __name__ == "__main__":
    unittest.main()
