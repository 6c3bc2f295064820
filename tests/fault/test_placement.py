"""Muster moves threads when other processes compete for the CPUs: the program must always see its own affinity."""

from __future__ import annotations

import os
from pathlib import Path

import harness
import nth_failure
from harness import SLICES, FaultTest, on_libgomp, preloaded_environment, program, run

from lab.environment import preload
from lab.quota import make_quota


def own_slices() -> bool:
    """Whether the kernel lets a thread ask for its own time slice."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int(minor)) >= (6, 12)


TRIES = 20  # on a busy machine, competitors may be noticed late


class Placement(FaultTest):
    def run_placed(self, command: list[str | Path], extra: dict[str, str]) -> dict[str, int]:
        """What the report says of waiting."""
        threads = str(4 * len(os.sched_getaffinity(0)))
        ours = self.compare(command, {"OMP_NUM_THREADS": threads, **extra})
        self.assertEqual(ours.stdout, "placed: checksum 1, ok\n")
        return self.assert_replaced(100).get("waiting", {})

    def run_until(self, least: dict[str, int], command: list[str | Path], extra: dict[str, str]) -> None:
        """Again until one run has done each thing that often."""
        waiting: dict[str, int] = {}
        for _ in range(TRIES):
            waiting = self.run_placed(command, extra)
            if not self.preloaded or all(waiting[name] >= count for name, count in least.items()):
                return
        self.fail(str(waiting))

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_affinity_is_given_back(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU: there is nowhere to move to")
        self.start_hogs()
        least = {"gatherings": 1, "moves": 2}
        self.run_until(least, [program("placed"), "1500"], {})
        self.run_until(least | ({"short_slices": 1} if own_slices() else {}), [program("placed"), "1500"], SLICES)

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_a_mask_that_cannot_be_read_after_a_move(self) -> None:
        """The thread must get its own mask back all the same."""
        if len(os.sched_getaffinity(0)) < 2 or not self.preloaded:
            self.skipTest("no thread is moved")
        counted = self.folder / "counted"
        fails = {"FAIL_CALL": "moved", "FAIL_FROM": "1", "FAIL_COUNTED": str(counted)}
        fails |= preload(nth_failure.failing_object(), harness.places.library)
        self.start_hogs()
        threads = {"OMP_NUM_THREADS": str(4 * len(os.sched_getaffinity(0)))}
        for _ in range(TRIES):
            ours = run([program("placed"), "1500"], preloaded_environment(threads | fails))
            self.assertEqual((ours.status, ours.stdout), (0, "placed: checksum 1, ok\n"), ours.stderr)
            if int(counted.read_text()) >= 1:
                return
        self.fail("no thread was moved")

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_a_thread_that_places_itself(self) -> None:
        """It must stay on the CPUs that it chose, with that mask, also in a signal handler; on either runtime."""
        self.place("self")

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
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

    # muster-test: full long: stock spins on shared CPUs
    def test_threads_that_the_program_has_bound(self) -> None:
        """Each sees one CPU; the team has more."""
        cpus = len(os.sched_getaffinity(0))
        for of_gcc in (False, True):
            for threads in (cpus, 2 * cpus):
                with self.subTest(of_gcc=of_gcc, threads=threads):
                    self.sleeps_of_bound(threads, of_gcc)

    # muster-test: full a busy machine has reasons of its own to sleep
    # muster-test: alone
    def test_threads_that_the_program_has_bound_do_not_sleep(self) -> None:
        """As they would at each barrier if they took the CPU that each sees for all that the team has."""
        cpus = len(os.sched_getaffinity(0))
        if cpus < 2 or not self.preloaded:
            self.skipTest("all share one CPU")
        for of_gcc in (False, True):
            for threads in (cpus, 2 * cpus):
                with self.subTest(of_gcc=of_gcc, threads=threads):
                    self.assertLess(min(self.sleeps_of_bound(threads, of_gcc) for _ in range(6)), 0.5)

    def sleeps_of_bound(self, threads: int, of_gcc: bool) -> float:
        """For each wait."""
        extra = {"OMP_NUM_THREADS": str(threads)} | (on_libgomp() if of_gcc else {})
        self.compare([program("bound", of_gcc)], extra)
        report = self.assert_replaced(10_000 * (threads - 1))
        if not report:
            return 0
        self.assertEqual(report["load"]["allowed_cpus"], len(os.sched_getaffinity(0)))
        return report["waiting"]["blocks"] / (10_000 * (threads - 1))

    def test_a_team_on_one_cpu(self) -> None:
        """Without short slices a yield costs a whole slice, and it sleeps. Nothing is there that a child could inherit."""
        for of_gcc in (False, True):
            with self.subTest(of_gcc=of_gcc):
                self.assertEqual(self.way_on_one_cpu(of_gcc, {}, "sleeps"), "sleeps")

    # muster-test: full beside others on that CPU it sleeps, too
    # muster-test: alone
    def test_a_team_on_one_cpu_yields_with_short_slices(self) -> None:
        expected = "yields" if own_slices() else "sleeps"
        for of_gcc in (False, True):
            with self.subTest(of_gcc=of_gcc):
                self.assertIn(expected, [self.way_on_one_cpu(of_gcc, SLICES, expected) for _ in range(6)])

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

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_switched_off(self) -> None:
        self.start_hogs()
        waiting = self.run_placed([program("placed"), "1500"], {"MUSTER_PLACE": "off"})
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
        enter = ["sh", "-c", f'echo $$ > {quota.group}/cgroup.procs; exec "$@"', "sh"]
        self.run_until({"gatherings": 1, "moves": 4 * cpus}, [*enter, program("placed"), "1500"], {})
        if self.preloaded:
            self.assertEqual(self.read_report()["load"]["quota_millicpus"], 1000)
