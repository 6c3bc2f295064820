"""What changes around a running program: its affinity, the CPUs, the clock, a long stop."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from harness import (
    FaultTest,
    places,
    preloaded_environment,
    program,
    run,
    run_stock,
    shared_object,
    start_preloaded,
)

TRIES = 10
LONG = 60.0  # seconds until the test gives up on a condition that should hold in milliseconds


class AffinityFromOutside(FaultTest):
    """Another process moves all threads of a running program, as `taskset -a -p` does."""

    def setUp(self) -> None:
        super().setUp()
        self.cpus = sorted(os.sched_getaffinity(0))
        if len(self.cpus) < 2:
            self.skipTest("one CPU: there is nowhere to move to")

    def start(self) -> subprocess.Popen[str]:
        extra = {
            "OMP_NUM_THREADS": str(4 * len(self.cpus)),
            "MUSTER_REPORT": str(self.report_path),
        }
        process = start_preloaded([program("repinned")], extra, stdin=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def masks(self, process: subprocess.Popen[str]) -> list[set[int]]:
        threads = [int(name) for name in os.listdir(f"/proc/{process.pid}/task")]
        return [os.sched_getaffinity(thread) for thread in threads]

    def where_gathered(self, process: subprocess.Popen[str]) -> int:
        """The CPU that most threads are on when Muster should have gathered them; their masks do not tell."""
        tasks = Path(f"/proc/{process.pid}/task")
        while len(list(tasks.iterdir())) < 4 * len(self.cpus):
            time.sleep(0.01)
        time.sleep(0.5)
        on = []
        for stat in tasks.glob("*/stat"):
            on.append(int(stat.read_text().rpartition(")")[2].split()[36]))
        return max(self.cpus, key=on.count)

    def until_gathered(self, follow: Callable[[subprocess.Popen[str], set[int]], None]) -> None:
        """Again where the team was not gathered before it was moved."""
        self.start_hogs()
        for _ in range(TRIES):
            process = self.start()
            here = self.where_gathered(process)
            follow(process, {min(cpu for cpu in self.cpus if cpu != here)})
            if not self.preloaded or self.read_report()["waiting"]["gatherings"] > 0:
                return
            self.report_path.unlink()
        self.fail("never gathered")

    def move_all(self, process: subprocess.Popen[str], cpus: set[int]) -> None:
        """Until they stay: a thread that was just moving itself may undo it, once."""
        deadline = time.monotonic() + LONG
        while True:
            for name in os.listdir(f"/proc/{process.pid}/task"):
                os.sched_setaffinity(int(name), cpus)
            for _ in range(20):
                time.sleep(0.02)
                if any(mask != cpus for mask in self.masks(process)):
                    break
            else:
                return
            self.assertLess(time.monotonic(), deadline, "its threads do not stay where they are put")

    def ask(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        process.stdin.write("x")
        process.stdin.flush()

    def finish(self, process: subprocess.Popen[str], cpus: set[int]) -> None:
        """Ends the region, looks at the masks in the serial part, ends the program."""
        self.ask(process)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "masks\n")
        self.assertEqual(os.sched_getaffinity(process.pid), cpus)
        stdout, stderr = process.communicate("x", timeout=LONG)
        self.assertEqual((process.returncode, stderr), (0, ""))
        self.assertEqual(stdout, "repinned: checksum 1, ok\n")
        if self.preloaded:
            self.assert_replaced(100)

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_while_gathered(self) -> None:
        def follow(process: subprocess.Popen[str], there: set[int]) -> None:
            self.move_all(process, there)
            self.finish(process, there)

        self.until_gathered(follow)

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_while_gathered_and_back(self) -> None:
        def follow(process: subprocess.Popen[str], there: set[int]) -> None:
            self.move_all(process, there)
            self.move_all(process, set(self.cpus))
            self.finish(process, set(self.cpus))

        self.until_gathered(follow)

    def test_spread(self) -> None:
        """Without competitors: to each CPU in turn, and back."""
        process = self.start()
        for cpus in ({self.cpus[0]}, {self.cpus[1]}, set(self.cpus), {self.cpus[0]}):
            self.move_all(process, cpus)
        self.finish(process, {self.cpus[0]})


class OddMachine(FaultTest):
    """Unexpected CPU numbers and times, from a library that is preloaded before Muster."""

    def compare_with(self, odd: dict[str, str], rounds: int, nap_us: int, wait: str) -> None:
        command = [program("team"), str(rounds), str(nap_us)]
        shim = shared_object("odd_machine")
        environment = preloaded_environment(odd | {"MUSTER_WAIT": wait})
        environment["MUSTER_REPORT"] = str(self.report_path)
        environment["LD_PRELOAD"] = f"{shim}:{places.library}" if self.preloaded else str(shim)
        ours = run(command, environment)
        self.assert_same(run_stock(command), ours)
        self.assert_replaced(2 * rounds)

    def test_unknown_cpu(self) -> None:
        for wait in ("auto", "cs"):
            with self.subTest(wait=wait):
                self.compare_with({"ODD_CPU": "unknown"}, 400, 0, wait)
        if self.preloaded:
            noted = {entry["what"]: entry for entry in self.read_report()["missing"]}
            self.assertEqual(noted["getcpu"]["error"], "ENOSYS")

    def test_cpu_beyond_those_known(self) -> None:
        """As after a CPU was plugged in."""
        for wait in ("auto", "cs"):
            with self.subTest(wait=wait):
                self.compare_with({"ODD_CPU": "far"}, 400, 0, wait)

    def test_clock_that_jumps(self) -> None:
        for clock in ("back", "forth"):
            for wait in ("auto", "cs", "conditional", "block"):
                with self.subTest(clock=clock, wait=wait):
                    self.compare_with({"ODD_CLOCK": clock}, 300, 1000, wait)
                    if clock == "back" and self.preloaded:
                        threads = self.read_report()["threads"]
                        longest = max(thread["longest_wait_ns"] for thread in threads)
                        self.assertLess(longest, 3600 * 10**9)


# muster-test: full long: it waits for clocks
class Suspended(FaultTest):
    def test_for_two_seconds(self) -> None:
        """As a laptop's sleep or a batch system's: then the time is missing for all threads."""
        command = [str(program("team")), "3000", "100"]
        stock = run_stock(command)
        for policy in ("auto", "cs", "block"):
            with self.subTest(policy=policy):
                extra = {"MUSTER_WAIT": policy, "MUSTER_REPORT": str(self.report_path)}
                process = start_preloaded(command, extra)
                time.sleep(0.15)
                process.send_signal(signal.SIGSTOP)
                time.sleep(2)
                process.send_signal(signal.SIGCONT)
                stdout, stderr = process.communicate(timeout=LONG)
                self.assertEqual((process.returncode, stdout, stderr), (0, stock.stdout, ""))
                self.assert_replaced(3000)
