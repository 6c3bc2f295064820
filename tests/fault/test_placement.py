"""Muster moves threads when other processes compete for the CPUs: the program must always see its own affinity."""

from __future__ import annotations

import os

import harness
import nth_failure
from harness import FaultTest, on_libgomp, preloaded_environment, program, run

from lab.environment import preload
from lab.quota import make_quota


def own_slices() -> bool:
    """Whether the kernel lets a thread ask for its own time slice."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int(minor)) >= (6, 12)


class Placement(FaultTest):
    def run_beside_hogs(self, extra: dict[str, str]) -> dict[str, int]:
        """What the report says of waiting."""
        cpus = len(os.sched_getaffinity(0))
        self.start_hogs()
        threads = str(4 * cpus)
        ours = self.compare([program("placed"), "1500"], {"OMP_NUM_THREADS": threads, **extra})
        self.assertEqual(ours.stdout, "placed: checksum 1, ok\n")
        report = self.assert_replaced(100)
        return report.get("waiting", {})

    def test_affinity_is_given_back(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU: there is nowhere to move to")
        waiting = self.run_beside_hogs({})
        if self.preloaded:
            self.assertGreaterEqual(waiting["gatherings"], 1, waiting)
            self.assertGreaterEqual(waiting["moves"], 2, waiting)
            if own_slices():
                self.assertGreaterEqual(waiting["short_slices"], 1, waiting)

    def test_a_mask_that_cannot_be_read_after_a_move(self) -> None:
        """The thread must get its own mask back all the same."""
        if len(os.sched_getaffinity(0)) < 2 or not self.preloaded:
            self.skipTest("no thread is moved")
        counted = self.folder / "counted"
        fails = {"FAIL_CALL": "moved", "FAIL_FROM": "1", "FAIL_COUNTED": str(counted)}
        fails |= preload(nth_failure.failing_object(), harness.places.library)
        self.start_hogs()
        threads = {"OMP_NUM_THREADS": str(4 * len(os.sched_getaffinity(0)))}
        ours = run([program("placed"), "1500"], preloaded_environment(threads | fails))
        self.assertEqual((ours.status, ours.stdout), (0, "placed: checksum 1, ok\n"), ours.stderr)
        self.assertGreaterEqual(int(counted.read_text()), 1)

    def test_a_thread_that_places_itself(self) -> None:
        """It must stay on the CPUs that it chose, with that mask, also in a signal handler; on either runtime."""
        self.place("self")

    def test_a_thread_that_places_others(self) -> None:
        self.place("other")

    def place(self, whom: str) -> None:
        self.start_hogs()
        threads = {"OMP_NUM_THREADS": str(2 * len(os.sched_getaffinity(0)))}
        for of_gcc in (False, True):
            with self.subTest(of_gcc=of_gcc):
                extra = threads | (on_libgomp() if of_gcc else {})
                self.compare([program("pinned", of_gcc), whom], extra)
                self.assert_replaced(100)

    def test_threads_that_the_program_has_bound(self) -> None:
        """Each sees one CPU. The team has more, and must not wait as if it had one: by a sleep at each barrier."""
        cpus = len(os.sched_getaffinity(0))
        if cpus < 2:
            self.skipTest("one CPU: all share it")
        for of_gcc in (False, True):
            for threads in (cpus, 2 * cpus):
                with self.subTest(of_gcc=of_gcc, threads=threads):
                    self.assertLess(self.least_sleeps(threads, of_gcc), 0.5)

    def least_sleeps(self, threads: int, of_gcc: bool) -> float:
        """For each wait, in the best of some runs: a busy machine has reasons of its own to sleep."""
        least = 1.0 if self.preloaded else 0.0
        for _ in range(6):
            if least < 0.5:
                break
            extra = {"OMP_NUM_THREADS": str(threads)} | (on_libgomp() if of_gcc else {})
            self.compare([program("bound", of_gcc)], extra)
            report = self.assert_replaced(10_000 * (threads - 1))
            self.assertEqual(report["load"]["allowed_cpus"], len(os.sched_getaffinity(0)))
            least = min(least, report["waiting"]["blocks"] / (10_000 * (threads - 1)))
        return least

    def test_a_team_on_one_cpu(self) -> None:
        """It yields with short slices; without them a yield costs a whole slice, and it sleeps."""
        for of_gcc in (False, True):
            for settings in ({}, {"MUSTER_SLICE": "off"}):
                expected = "yields" if own_slices() and not settings else "sleeps"
                with self.subTest(of_gcc=of_gcc, **settings):
                    ways: list[str] = []
                    while expected not in ways and len(ways) < 6:  # beside others on that CPU it sleeps, too
                        ways.append(self.way_on_one_cpu(of_gcc, settings, expected))
                    self.assertIn(expected, ways)

    def way_on_one_cpu(self, of_gcc: bool, settings: dict[str, str], stock: str) -> str:
        """What its waits did."""
        cpu = min(os.sched_getaffinity(0))
        extra = {"OMP_NUM_THREADS": "2"} | settings | (on_libgomp() if of_gcc else {})
        ours = self.compare(["taskset", "--cpu-list", str(cpu), program("placed", of_gcc), "300"], extra)
        self.assertEqual(ours.stdout, "placed: checksum 1, ok\n")
        report = self.assert_replaced(100)
        if not self.preloaded:
            return stock
        self.assertEqual(report["load"]["allowed_cpus"], 1)
        waiting = report["waiting"]
        if waiting["short_slices"] > 0 and waiting["yields"] > waiting["blocks"]:
            return "yields"
        return "sleeps" if waiting["short_slices"] + waiting["yields"] == 0 else f"neither: {waiting}"

    def test_switched_off(self) -> None:
        waiting = self.run_beside_hogs({"MUSTER_PLACE": "off", "MUSTER_SLICE": "off"})
        self.assertEqual(waiting.get("moves", 0), 0)
        self.assertEqual(waiting.get("short_slices", 0), 0)

    def test_a_quota_of_one_cpu(self) -> None:
        """A gathered team stays within its quota; spread over more CPUs it would be throttled all the time."""
        cpus = len(os.sched_getaffinity(0))
        if cpus < 2:
            self.skipTest("one CPU: there is nowhere to move to")
        try:
            quota = make_quota()
        except OSError as error:
            self.skipTest(f"no cgroup with a CPU quota can be made: {error}")
        self.addCleanup(quota.close)
        command = ["sh", "-c", f'echo $$ > {quota.group}/cgroup.procs; exec "$@"', "sh"]
        command += [str(program("placed")), "1500"]
        ours = self.compare(command, {"OMP_NUM_THREADS": str(4 * cpus)})
        self.assertEqual(ours.stdout, "placed: checksum 1, ok\n")
        report = self.assert_replaced(100)
        if self.preloaded:
            self.assertEqual(report["load"]["quota_millicpus"], 1000)
            self.assertGreaterEqual(report["waiting"]["gatherings"], 1)
            self.assertGreaterEqual(report["waiting"]["moves"], 4 * cpus)
