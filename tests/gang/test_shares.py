"""What programs get: shares of the processors and turns, which include the processes that they start."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import unittest

from common import FIRST_CPU, GANG, LONG, MECHANISMS, GangTest, policies, run, state, until

SLICE = 0.02
ONE_CPU = ("--cpus", FIRST_CPU, "--slice", str(1000 * SLICE))


class Turns(GangTest):
    """By counts and by what each process is seen to do, as the times depend on what else runs."""

    def until_both_have_run(self, mechanism: str, *options: str) -> dict:
        """The report of two programs that are ended once each has had turns."""
        for name in ("a", "b"):
            (self.folder / name).unlink(missing_ok=True)
        path = self.folder / "report.json"
        programs = [self.worker(LONG, "a"), self.worker(LONG, "b")]
        gang = self.start(programs, "--by", mechanism, *ONE_CPU, *options, "--report", str(path))
        pids = [self.pid_from(name) for name in ("a", "b")]
        for pid in pids * 3:
            self.until_in_turn(pid, mechanism)
            self.until_held(pid)
        gang.terminate()
        self.assertEqual(gang.wait(60), 143)
        return json.loads(path.read_text())

    def until_in_turn(self, pid: int, mechanism: str) -> None:
        if mechanism == "signals":
            self.assertTrue(until(lambda: state(pid) == "R"))
        else:  # programs of other sessions are stopped all the same
            self.assertTrue(until(lambda: state(pid) == "R" and policies(pid) == {(os.SCHED_OTHER, 0)}))

    def until_held(self, pid: int) -> None:
        self.assertTrue(until(lambda: state(pid) == "T" or (os.SCHED_IDLE, 0) in policies(pid)))

    def test_are_as_many_and_as_long_as_the_weights_say(self) -> None:
        for mechanism in MECHANISMS:
            for weights in (1, 1), (1, 3):
                report = self.until_both_have_run(mechanism, "--weights", "{},{}".format(*weights))
                self.assertEqual(report["by"], mechanism)
                first, second = report["gangs"]
                self.assertLessEqual(abs(first["turns"] - second["turns"]), 1, report)
                self.assertLessEqual(first["turn_seconds"] + second["turn_seconds"], report["seconds"])
                for gang, weight in zip(report["gangs"], weights, strict=True):
                    # The last one may have been cut short.
                    self.assertGreaterEqual(gang["turn_seconds"], (gang["turns"] - 1) * weight * SLICE * 0.999)
                # It waits for their ends, it does not look for them.
                self.assertLess(report["own_cpu_seconds"], 0.5 * report["seconds"])

    def test_by_signals_are_exclusive_where_both_would_fit(self) -> None:
        report, _ = self.report([self.worker(0.5), self.worker(0.5)], "--by", "signals", "--slice", "20")
        used = sum(gang["cpu_seconds"] for gang in report["gangs"])
        self.assertLess(used, 1.25 * report["seconds"])

    def test_by_priorities_the_others_use_what_is_left(self) -> None:
        if "priorities" not in MECHANISMS:
            self.skipTest("priorities may not be changed here")
        gang = self.start([["sleep", str(LONG)], self.worker(LONG, "a")], "--by", "priorities", *ONE_CPU)
        pid = self.pid_from("a")
        for policy in (os.SCHED_IDLE, os.SCHED_OTHER) * 3:  # a machine that is busy may leave nothing, so not by time
            self.assertTrue(until(lambda policy=policy: (policy, 0) in policies(pid)))
            self.assertEqual(state(pid), "R")
        gang.terminate()
        self.assertEqual(gang.wait(60), 143)

    def test_include_what_programs_start(self) -> None:
        """Children, those in sessions of their own, and those whose parents are gone."""
        worker = " ".join(self.worker(LONG, "a"))
        ways = (f"{worker} & wait", f"setsid {worker} & wait", f"({worker} &); exec sleep {LONG}")
        for mechanism in MECHANISMS:
            for script in ways:
                (self.folder / "a").unlink(missing_ok=True)
                gang = self.start([["sh", "-c", script], self.worker(LONG)], "--by", mechanism, *ONE_CPU)
                pid = self.pid_from("a")
                for _ in range(3):
                    self.until_held(pid)
                    self.until_in_turn(pid, mechanism)
                gang.terminate()
                self.assertEqual(gang.wait(60), 143)
                os.kill(pid, signal.SIGKILL)  # it was not told

    def test_of_an_ended_program_go_to_the_others_at_once(self) -> None:
        for mechanism in MECHANISMS:
            programs = [["sh", "-c", "kill -9 $$"], self.worker(0.6), ["true"]]
            slice_ms = 1000 * LONG
            report, done = self.report(programs, "--by", mechanism, "--cpus", FIRST_CPU, "--slice", str(slice_ms))
            self.assertEqual(done.returncode, 128 + 9)
            self.assertEqual([gang["turns"] for gang in report["gangs"]], [1, 1, 1], mechanism)
            self.assertGreaterEqual(report["gangs"][1]["turn_seconds"], 0.6, mechanism)
            self.assertLess(report["seconds"], LONG)

    def test_of_a_stopped_program_go_to_the_others(self) -> None:
        stops = "kill -STOP $$"
        for mechanism in MECHANISMS:
            waker = f"{' '.join(self.worker(0.6))}; kill -CONT $(cat {self.folder}/stopped)"
            programs = [["sh", "-c", f"echo $$ >{self.folder}/stopped; {stops}; exit 5"], ["sh", "-c", waker]]
            report, done = self.report(programs, "--by", mechanism, *ONE_CPU)
            self.assertEqual(done.returncode, 5, "not continued by the other program, or continued by gang")
            stopped, other = (gang["turns"] for gang in report["gangs"])
            self.assertGreater(other, stopped + 1, mechanism)  # in turn, they would have as many


# muster-test: full measures what share of the CPU time each program gets
# muster-test: alone others take part of it
class Shares(GangTest):
    def shares(self, mechanism: str, *options: str) -> list[float]:
        programs = [self.worker(0.6), self.worker(0.6)]
        report, done = self.report(programs, "--by", mechanism, *ONE_CPU, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
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

    def test_count_what_programs_start(self) -> None:
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


class Programs(GangTest):
    def test_standard_output_is_the_programs(self) -> None:
        done = run([["echo", "a b"], ["sh", "-c", "cat; echo c >&2"]])
        self.assertEqual((done.returncode, sorted(done.stdout.split("\n"))), (0, ["", "a b"]))
        self.assertEqual(done.stderr, "c\n")

    def test_exit_statuses(self) -> None:
        first = self.folder / "first"
        gone = f"[ -s {first} ] && ! [ -e /proc/$(cat {first}) ]"
        later = f"until {gone}; do sleep 0.01; done; sleep 0.2; exit 4"
        for programs, expected in (
            ([["true"], ["true"]], 0),
            ([["true"], ["sh", "-c", "exit 3"]], 3),
            ([["sh", "-c", later], ["sh", "-c", f"echo $$ >{first}; exit 6"]], 6),  # the first to fail
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
