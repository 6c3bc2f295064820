"""Team sizes, affinity, signals and stopping: the same behaviour as stock."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import harness
from harness import (
    FaultTest,
    base_environment,
    for_both_runtimes,
    preloaded_environment,
    program,
    run,
    run_stock,
    start_preloaded,
)

from lab.runs import Outcome

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
    """The program has exhausted a resource that Muster needs: all threads of a team must take the same path."""

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

    def test_keys_before_muster(self) -> None:
        """Muster's key may be any that has a slot in each thread; with a later one it replaces nothing."""
        for runtime, command in for_both_runtimes("early_keys").items():
            for keys in ("3", "40"):
                with self.subTest(runtime=runtime, keys=keys):
                    path = str(harness.places.runtimes / runtime)
                    self.compare([command, "elsewhere"], {"LD_LIBRARY_PATH": path, "EARLY_KEYS": keys})
                    if keys == "3":
                        self.assert_replaced(100)
                    elif self.preloaded:
                        self.assertEqual(self.read_report()["barriers"]["replaced"], 0)
                    self.report_path.unlink(missing_ok=True)

    def test_cancellation(self) -> None:
        """A runtime that is not replaced gets each kind of region."""
        command = for_both_runtimes("started")["libgomp12"]
        extra = {"LD_LIBRARY_PATH": str(harness.places.runtimes / "libgomp12"), "OMP_CANCELLATION": "true"}
        self.compare([command], extra)
        self.assert_inactive("cancellation")

    def test_more_than_is_kept(self) -> None:
        """Nested regions, team sizes, and places that close a fold."""
        for runtime, command in for_both_runtimes("crowded").items():
            with self.subTest(runtime=runtime):
                path = str(harness.places.runtimes / runtime)
                extra = {"LD_LIBRARY_PATH": path, "OMP_WAIT_POLICY": "passive"}
                self.compare([command, "calls"], extra | {"MUSTER_FORKJOIN": "on"})
                report = self.assert_replaced(100)
                if report:
                    self.assertGreater(report["fork_join"]["folded"], 200)
                self.report_path.unlink(missing_ok=True)

    def test_memory(self) -> None:
        self.check("memory", "barriers", "sizes")

    def test_memory_when_no_barrier_was_met(self) -> None:
        self.check("memory", "region", "sizes")


class Stacks(FaultTest):
    """How much deeper the stack of a thread gets, and the smallest stacks."""

    # Bytes, by runtime and kind of thread. Stock's own depth varies by 640 in libomp's forks; libgomp's waits need next
    # to nothing.
    MOST_ADDED = {
        "libomp19": {"fork": 1280, "worker": 768, "signal": 768},
        "libiomp5": {"fork": 1024, "worker": 1280, "signal": 768},
        "libgomp12": {"fork": 1408, "worker": 1664, "signal": 1536},
    }

    def depth(self, command: list[str | Path], environment: dict[str, str]) -> tuple[Outcome, int]:
        """Of two runs the deepest: what a thread waits for, and how, differs between runs."""
        results = [run(command, environment) for _ in range(2)]
        for result in results:
            self.assertEqual((result.status, result.stdout), (0, results[0].stdout), result.stderr)
        return results[0], max(int(result.stderr.split()[0]) for result in results)

    # muster-test: full long; stock's deepest path is a rare one
    def test_depths(self) -> None:
        for runtime, program_file in for_both_runtimes("stack_depth", "-Wl,-z,now").items():
            extra = {"LD_LIBRARY_PATH": str(harness.places.runtimes / runtime), "OMP_STACKSIZE": "256k"}
            for kind, most in self.MOST_ADDED[runtime].items():
                stock, before = self.depth([program_file, kind], base_environment(extra))
                for fold in ("on", "off"):
                    with self.subTest(runtime=runtime, kind=kind, fold=fold):
                        switches = {"MUSTER_FORKJOIN": fold, "MUSTER_REPORT": str(self.report_path)}
                        ours, now = self.depth([program_file, kind], preloaded_environment(extra | switches))
                        self.assertEqual(ours.stdout, stock.stdout)
                        for _ in range(10):  # stock's deepest path is a rare one
                            if now - before <= most:
                                break
                            before = max(before, self.depth([program_file, kind], base_environment(extra))[1])
                        self.assertLessEqual(now - before, most)
                        self.assert_replaced(400)
                        self.report_path.unlink(missing_ok=True)

    # muster-test: full beside hogs each barrier of stock takes slices of the scheduler
    # muster-test: alone it starts CPU hogs
    def test_small_stacks(self) -> None:
        self.start_hogs()
        for runtime, program_file in for_both_runtimes("stack_depth").items():
            extra = {"LD_LIBRARY_PATH": str(harness.places.runtimes / runtime), "OMP_STACKSIZE": "16k"}
            stock = run([program_file, "fork"], base_environment(extra))
            self.assertEqual(stock.status, 0, stock)
            for fold in ("auto", "on", "off"):
                with self.subTest(runtime=runtime, fold=fold):
                    switches = {"MUSTER_FORKJOIN": fold, "MUSTER_REPORT": str(self.report_path)}
                    ours = run([program_file, "fork"], preloaded_environment(extra | switches))
                    self.assertEqual((ours.status, ours.stdout), (0, stock.stdout), ours.stderr)
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
        stock = run_stock(command)
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
