"""However programs, `gang` or its keepers end or are stopped: nothing is left stopped or at a changed priority."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from common import FIRST_CPU, LONG, MECHANISMS, GangTest, policies, state, until

PLAIN = {(os.sched_getscheduler(0), os.sched_getparam(0).sched_priority)}
IDLE = {(os.SCHED_IDLE, 0)}
ONE_CPU = ("--cpus", FIRST_CPU, "--slice", "20")


def children(pid: int) -> list[int]:
    text = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(word) for word in text.split()]


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


class EndingsTest(GangTest):
    def two_workers(self, mechanism: str, *options: str, **keywords: object) -> tuple[subprocess.Popen[str], list[int]]:
        """Running, and known to be scheduled by gang."""
        for name in ("a", "b"):
            (self.folder / name).unlink(missing_ok=True)
        programs = [self.worker(LONG, "a"), self.worker(LONG, "b")]
        gang = self.start(programs, "--by", mechanism, *ONE_CPU, *options, **keywords)
        pids = [self.pid_from(name) for name in ("a", "b")]
        if mechanism == "signals":
            self.assertTrue(until(lambda: any(state(pid) == "T" for pid in pids)))
        else:
            self.assertTrue(until(lambda pids=pids: PLAIN | IDLE <= {one for pid in pids for one in policies(pid)}))
        return gang, pids

    def assert_all_right(self, pids: list[int], why: str) -> None:
        for pid in pids:
            self.assertTrue(until(lambda pid=pid: state(pid) in ("R", "S")), f"{why}: {pid} is {state(pid)!r}")
            self.assertTrue(until(lambda pid=pid: policies(pid) == PLAIN), f"{why}: {policies(pid)}")


class Ends(EndingsTest):
    def test_killed_it_leaves_nothing_stopped_or_lowered(self) -> None:
        for mechanism in MECHANISMS:
            gang, pids = self.two_workers(mechanism)
            keepers = children(gang.pid)
            wait = (lambda keepers=keepers: {state(keeper) for keeper in keepers} == {"S"})
            self.assertTrue(until(wait), "they wait, they do not look round")
            gang.kill()
            gang.wait()
            self.assert_all_right(pids, mechanism)
            self.assertTrue(until(lambda keepers=keepers: not any(state(keeper) for keeper in keepers)))
            for _ in range(20):  # and they stay so
                self.assertNotIn("T", [state(pid) for pid in pids])
                time.sleep(0.005)

    def test_its_whole_process_group_killed(self) -> None:
        """A program in a session of its own is not reached by that."""
        gang = self.start(
            [["setsid", *self.worker(LONG, "a")], self.worker(LONG, "b")], "--by", "signals", "--slice", "20",
            process_group=0,
        )  # fmt: skip
        away = self.pid_from("a")
        self.assertTrue(until(lambda: state(away) == "T"))
        os.killpg(gang.pid, signal.SIGKILL)
        self.assert_all_right([away], "group")

    def test_a_signal_to_end_ends_its_programs(self) -> None:
        for mechanism in MECHANISMS:
            for number in (signal.SIGTERM, signal.SIGHUP) if mechanism == "signals" else (signal.SIGINT,):
                gang, pids = self.two_workers(mechanism, stderr=subprocess.DEVNULL)
                gang.send_signal(number)
                self.assertEqual(gang.wait(60), 128 + number, mechanism)
                self.assertEqual([state(pid) for pid in pids], ["", ""])

    def test_a_program_that_ignores_the_signal_keeps_its_turns(self) -> None:
        script = f"trap 'echo told' TERM; echo $$ >{self.folder}/a; while :; do :; done"
        gang = self.start([self.worker(LONG, "b"), ["bash", "-c", script]], "--by", "signals", *ONE_CPU, stdout=-1)
        pids = [self.pid_from(name) for name in ("b", "a")]
        keeper = parent(pids[0])
        gang.terminate()
        self.assertEqual(gang.stdout.readline(), "told\n")
        # Its keeper ends after it has reported: the other end is reported later, however late `gang` reads both.
        self.assertTrue(until(lambda: state(keeper) in ("Z", "")))
        self.assertEqual(state(pids[0]), "")
        os.kill(pids[1], signal.SIGKILL)
        self.assertEqual(gang.wait(60), 128 + signal.SIGTERM, "the other one failed first")

    def test_signals_are_forwarded(self) -> None:
        script = f"trap 'echo told; exit 7' USR1; echo $$ >{self.folder}/a; while :; do :; done"
        gang = self.start([["bash", "-c", script], ["sleep", "0"]], stdout=subprocess.PIPE)
        self.pid_from("a")
        gang.send_signal(signal.SIGUSR1)
        self.assertEqual((gang.communicate(timeout=60)[0], gang.returncode), ("told\n", 7))

    def test_processes_that_outlive_their_program_run_without_turns(self) -> None:
        for mechanism in MECHANISMS:
            (self.folder / "a").unlink(missing_ok=True)
            script = f"{' '.join(self.worker(LONG, 'a'))} & sleep 0.2"
            gang = self.start([["sh", "-c", script], self.worker(0.4)], "--by", mechanism, *ONE_CPU)
            left = self.pid_from("a")
            self.assertEqual(gang.wait(60), 0)
            self.assert_all_right([left], mechanism)

    def test_a_keeper_is_killed(self) -> None:
        for mechanism in MECHANISMS:
            with (self.folder / "told").open("w") as told:
                gang, pids = self.two_workers(mechanism, stderr=told)
            keeper = parent(pids[0])
            os.kill(keeper, signal.SIGKILL)
            self.assert_all_right(pids[:1], mechanism)
            os.kill(pids[1], signal.SIGKILL)
            self.assertEqual(gang.wait(60), 128 + 9)
            self.assertIn("keeper was killed", (self.folder / "told").read_text())
            self.assert_all_right(pids[:1], mechanism)


class Stops(EndingsTest):
    def test_with_its_programs_and_continues(self) -> None:
        for mechanism in MECHANISMS:
            gang, pids = self.two_workers(mechanism, process_group=0)
            os.killpg(gang.pid, signal.SIGTSTP)
            everybody = [gang.pid, *pids]
            self.assertTrue(until(lambda everybody=everybody: all(state(pid) == "T" for pid in everybody)), mechanism)
            os.killpg(gang.pid, signal.SIGCONT)
            for pid in pids:  # each has its turn again, and loses it again
                self.assertTrue(until(lambda pid=pid: state(pid) == "R"), mechanism)
                lost = (lambda pid=pid: state(pid) == "T") if mechanism == "signals" else (
                    lambda pid=pid: IDLE <= policies(pid))  # fmt: skip
                self.assertTrue(until(lost), mechanism)
            gang.terminate()
            self.assertEqual(gang.wait(60), 143)

    def test_stopped_alone(self) -> None:
        """By `kill -TSTP`: its programs stop with it, or the one whose turn it is would keep the processors."""
        gang, pids = self.two_workers("signals", process_group=0)
        gang.send_signal(signal.SIGTSTP)
        self.assertTrue(until(lambda: all(state(pid) == "T" for pid in [gang.pid, *pids])))
        gang.send_signal(signal.SIGCONT)
        for pid in pids:
            self.assertTrue(until(lambda pid=pid: state(pid) == "R"))

    def test_a_process_continued_out_of_turn_is_stopped_again(self) -> None:
        options = ("--by", "signals", "--slice", "200", "--weights", "1,1000")  # the second turn is the last one
        gang = self.start([self.worker(LONG, "a"), self.worker(LONG, "b")], *options)
        first, second = self.pid_from("a"), self.pid_from("b")
        self.assertTrue(until(lambda: state(first) == "T"))
        os.kill(first, signal.SIGCONT)
        self.assertTrue(until(lambda: state(first) == "T"))
        self.assertEqual(state(second), "R")
        gang.terminate()
        self.assertEqual(gang.wait(60), 143)


if __name__ == "__main__":
    unittest.main()
