"""What programs get: shares of the processors and turns, which include the processes that they start."""

from __future__ import annotations

import os
import subprocess
import unittest

from common import FIRST_CPU, GANG, MECHANISMS, GangTest, policies, run, state, until

ONE_CPU = ("--cpus", FIRST_CPU, "--slice", "20")


class Shares(GangTest):
    def shares(self, mechanism: str, *options: str) -> list[float]:
        programs = [self.worker(0.6), self.worker(0.6)]
        report, done = self.report(programs, "--by", mechanism, *ONE_CPU, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(report["by"], mechanism)
        self.assertLess(report["own_cpu_seconds"], 0.05 * report["seconds"])
        return [gang["cpu_share"] for gang in report["gangs"]]

    def test_are_equal(self) -> None:
        for mechanism in MECHANISMS:
            first, second = self.shares(mechanism)
            self.assertAlmostEqual(first, 0.5, delta=0.12, msg=mechanism)
            self.assertAlmostEqual(second, 0.5, delta=0.12, msg=mechanism)

    def test_follow_the_weights(self) -> None:
        for mechanism in MECHANISMS:
            first, second = self.shares(mechanism, "--weights", "1,3")
            self.assertAlmostEqual(second / first, 3, delta=1.1, msg=mechanism)

    def test_by_signals_turns_are_exclusive_where_both_would_fit(self) -> None:
        report, _ = self.report([self.worker(0.5), self.worker(0.5)], "--by", "signals", "--slice", "20")
        used = sum(gang["cpu_seconds"] for gang in report["gangs"])
        self.assertLess(used, 1.25 * report["seconds"])

    def test_by_priorities_the_others_use_what_is_left(self) -> None:
        if "priorities" not in MECHANISMS:
            self.skipTest("priorities may not be changed here")
        gang = self.start([["sleep", "5"], self.worker(20, "a")], "--by", "priorities", *ONE_CPU)
        pid = self.pid_from("a")
        for policy in (os.SCHED_IDLE, os.SCHED_OTHER) * 3:  # a machine that is busy may leave nothing, so not by time
            self.assertTrue(until(lambda policy=policy: (policy, 0) in policies(pid)))
            self.assertEqual(state(pid), "R")
        gang.terminate()

    def test_count_what_programs_start(self) -> None:
        """Children, those in sessions of their own, and those whose parents are gone."""
        worker = " ".join(self.worker(0.6))
        ways = {"child": f"{worker} & wait", "session": f"setsid {worker} & wait", "orphan": f"({worker} &); sleep 0.7"}
        for mechanism in MECHANISMS:
            for name, script in ways.items():
                if name == "child" and mechanism == "priorities":
                    continue  # as any other process of the program
                programs = [["sh", "-c", script], self.worker(0.6), self.worker(0.6)]
                report, _ = self.report(programs, "--by", mechanism, *ONE_CPU)
                share = report["gangs"][0]["cpu_share"]
                self.assertAlmostEqual(share, 1 / 3, delta=0.12, msg=f"{name} by {mechanism}")

    def test_those_of_an_ended_program_go_to_the_others_at_once(self) -> None:
        for mechanism in MECHANISMS:
            programs = [["sh", "-c", "kill -9 $$"], self.worker(0.6), ["true"]]
            report, done = self.report(programs, "--by", mechanism, "--cpus", FIRST_CPU, "--slice", "1000")
            self.assertEqual(done.returncode, 128 + 9)
            self.assertGreater(report["gangs"][1]["turn_seconds"], 0.4, mechanism)
            self.assertLess(report["seconds"], 2)

    def test_those_of_a_stopped_program_go_to_the_others(self) -> None:
        stops = "kill -STOP $$"
        for mechanism in MECHANISMS:
            waker = f"{' '.join(self.worker(0.6))}; kill -CONT $(cat {self.folder}/stopped)"
            programs = [["sh", "-c", f"echo $$ >{self.folder}/stopped; {stops}; exit 5"], ["sh", "-c", waker]]
            report, done = self.report(programs, "--by", mechanism, *ONE_CPU)
            self.assertEqual(done.returncode, 5, "not continued by the other program, or continued by gang")
            # Of 0.6 s in slices of 20 ms, the stopped one has one at its beginning and one at its end.
            self.assertGreater(report["gangs"][1]["turn_seconds"], 0.4, mechanism)
            self.assertLess(report["gangs"][0]["turns"], 6, mechanism)


class Programs(GangTest):
    def test_standard_output_is_the_programs(self) -> None:
        done = run([["echo", "a b"], ["sh", "-c", "cat; echo c >&2"]])
        self.assertEqual((done.returncode, sorted(done.stdout.split("\n"))), (0, ["", "a b"]))
        self.assertEqual(done.stderr, "c\n")

    def test_exit_statuses(self) -> None:
        for programs, expected in (
            ([["true"], ["true"]], 0),
            ([["true"], ["sh", "-c", "exit 3"]], 3),
            ([["sh", "-c", "sleep 0.2; exit 4"], ["sh", "-c", "exit 6"]], 6),  # the first to fail
            ([["sh", "-c", "kill -TERM $$"]], 143),
        ):
            self.assertEqual(run(programs, "--slice", "10").returncode, expected, programs)

    def test_run_on_the_processors_named(self) -> None:
        done = run([["sh", "-c", "grep Cpus_allowed_list /proc/self/status"]], "--cpus", FIRST_CPU)
        self.assertEqual(done.stdout.split()[1], FIRST_CPU)

    def test_without_the_right_to_priorities_signals_are_used(self) -> None:
        without = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]
        told = self.folder / "report.txt"
        words = ["--report", str(told), "--", "true", "::", "true"]
        done = subprocess.run([*without, GANG, *words], capture_output=True, text=True)
        if "setpriv" in done.stderr:
            self.skipTest(done.stderr)  # only root can give up what others never had
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("2 gangs by signals", told.read_text())
        done = subprocess.run([*without, GANG, "--by", "priorities", "--", "true"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (125, 1))
        self.assertIn("ulimit -e", done.stderr)


if __name__ == "__main__":
    unittest.main()
