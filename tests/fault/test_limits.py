"""Team sizes, affinity, signals and stopping: the same behaviour as stock."""

from __future__ import annotations

import os
import signal
import time

import harness
from harness import (
    FaultTest,
    base_environment,
    for_both_runtimes,
    preloaded_environment,
    program,
    run,
    start_preloaded,
)

POLICIES = ("auto", "block", "2cs+", "yield")


class Limits(FaultTest):
    def test_more_than_1024_threads(self) -> None:
        command = [program("team"), "2"]
        extra = {"OMP_NUM_THREADS": "1100", "OMP_STACKSIZE": "64k"}
        if run(command, base_environment(extra)).stdout != "team: checksum 1100, ok\n":
            self.skipTest("stock cannot have 1100 threads here")
        self.compare(command, extra)
        if self.preloaded:
            barriers = self.read_report()["barriers"]
            self.assertEqual(barriers["replaced"], 0)
            reasons = {entry["reason"]: entry["count"] for entry in barriers["by_reason"]}
            self.assertEqual(reasons.get("more than 1024 threads"), 1100 * 4, reasons)

    def test_1024_threads(self) -> None:
        command = [program("team"), "1"]
        extra = {"OMP_NUM_THREADS": "1024", "OMP_STACKSIZE": "64k"}
        if run(command, base_environment(extra)).stdout != "team: checksum 1024, ok\n":
            self.skipTest("stock cannot have 1024 threads here")
        self.compare(command, extra)
        self.assert_replaced(1024 * 2)

    def test_thread_limit(self) -> None:
        extra = {"OMP_NUM_THREADS": "8", "OMP_THREAD_LIMIT": "3"}
        ours = self.compare([program("team")], extra)
        self.assertEqual(ours.stdout, "team: checksum 3, ok\n")
        self.assert_replaced(100)

    def test_dynamic_teams(self) -> None:
        command = [program("team"), "20", "0", "any"]
        self.compare(command, {"OMP_NUM_THREADS": "2", "OMP_DYNAMIC": "true"})

    def test_affinity_narrowed_in_mid_run(self) -> None:
        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.compare([program("affinity")], {"MUSTER_WAIT": policy})
                self.assert_replaced(900)

    def test_one_cpu_from_the_start(self) -> None:
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        for policy in POLICIES:
            with self.subTest(policy=policy):
                self.compare([program("team"), "200"], {"MUSTER_WAIT": policy})
                self.assert_replaced(400)


class Exhausted(FaultTest):
    """The program has used up something that Muster wants, too: all threads of a team take the same way."""

    def check(self, what: str, warm: str, *sizes: str) -> None:
        for runtime, command in for_both_runtimes("exhausted").items():
            for fold in ("auto", "on", "off"):
                with self.subTest(runtime=runtime, fold=fold):
                    its_sizes = () if runtime.startswith("libgomp") and what == "memory" else sizes
                    path = str(harness.places.runtimes / runtime)
                    extra = {"LD_LIBRARY_PATH": path, "MUSTER_FORKJOIN": fold}
                    self.compare([command, what, warm, *its_sizes], extra)
                    self.assert_replaced(0 if (what, warm) == ("memory", "region") else 1)
                    self.report_path.unlink(missing_ok=True)

    def test_keys(self) -> None:
        self.check("keys", "barriers", "sizes")

    def test_keys_before_the_first_region(self) -> None:
        self.check("keys", "nothing")

    def test_memory(self) -> None:
        self.check("memory", "barriers", "sizes")

    def test_memory_when_no_barrier_was_met(self) -> None:
        self.check("memory", "region", "sizes")


class Stacks(FaultTest):
    """How much deeper the stack of a thread gets, and the smallest stacks. Beside hogs, so that waits are long."""

    MOST_ADDED = 1536

    def test_small_stacks(self) -> None:
        self.burn()
        for runtime, command in for_both_runtimes("stack_depth").items():
            extra = {"LD_LIBRARY_PATH": str(harness.places.runtimes / runtime), "OMP_STACKSIZE": "16k"}
            stock = run([command], base_environment(extra))
            self.assertEqual(stock.status, 0, stock)
            for fold in ("auto", "on", "off"):
                with self.subTest(runtime=runtime, fold=fold):
                    switches = {"MUSTER_FORKJOIN": fold, "MUSTER_REPORT": str(self.report_path)}
                    ours = run([command], preloaded_environment(extra | switches))
                    self.assertEqual((ours.status, ours.stdout), (0, stock.stdout), ours.stderr)
                    depths = [int(result.stderr.split()[0]) for result in (stock, ours)]
                    self.assertLess(depths[1] - depths[0], self.MOST_ADDED)
                    self.assert_replaced(400)
                    self.report_path.unlink(missing_ok=True)


class Signals(FaultTest):
    def test_signals_at_2_khz(self) -> None:
        for target in ("process", "thread"):
            for restart in ("restart", "norestart"):
                for policy in ("auto", "block"):
                    with self.subTest(target=target, restart=restart, policy=policy):
                        command = [program("signals"), target, restart]
                        self.compare(command, {"MUSTER_WAIT": policy})
                        self.assert_replaced(100)

    def test_stopped_and_continued(self) -> None:
        command = [str(program("team")), "1500", "200"]
        stock = run(command, base_environment())
        for policy in ("auto", "block", "yield"):
            with self.subTest(policy=policy):
                extra = {"MUSTER_WAIT": policy, "MUSTER_REPORT": str(self.report_path)}
                process = start_preloaded(command, extra)
                for _ in range(15):
                    time.sleep(0.01)
                    process.send_signal(signal.SIGSTOP)
                    time.sleep(0.02)
                    process.send_signal(signal.SIGCONT)
                stdout, stderr = process.communicate(timeout=60)
                self.assertEqual((process.returncode, stdout, stderr), (0, stock.stdout, ""))
                self.assert_replaced(1500)
