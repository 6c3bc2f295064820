"""campaigns/trace.py: parsing of recorded text, the arithmetic, and what happens where nothing may be traced."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE.parents[1] / "campaigns"
sys.path[:0] = [str(HERE.parents[1]), str(SCRIPTS)]

import trace as trace_script  # noqa: E402

import sched_recording  # noqa: E402
from sched_trace import Timeline, complete_since, descendants, parse  # noqa: E402

MS = 1_000_000
RECORDED = {"switch": 44, "wake": 1, "fork": 1}  # as grep counts them


def switch(ms: float, cpu: int, old: str, new: str, state: str = "S") -> str:
    """A line of a trace; threads are NAME-NUMBER."""
    (old_name, old_pid), (new_name, new_pid) = (word.rsplit("-", 1) for word in (old, new))
    return (
        f" {old:>16} [{cpu:03}] d..2. {1 + ms / 1000:.6f}: sched_switch: prev_comm={old_name} prev_pid={old_pid}"
        f" prev_prio=120 prev_state={state} ==> next_comm={new_name} next_pid={new_pid} next_prio=120"
    )


def wake(ms: float, cpu: int, pid: int, target: int) -> str:
    return f" x-1 [{cpu:03}] d..3. {1 + ms / 1000:.6f}: sched_wakeup: comm=t pid={pid} prio=120 target_cpu={target:03}"


# Team 11 and 12, hog 20. CPU 0: 11 for 4 ms, hog 6 ms, 11 for 2 ms. CPU 1: idle 2 ms, 12 for 6 ms, idle.
SCENE = [
    switch(0, 0, "swapper/0-0", "app-11"),
    switch(0, 1, "app-12", "swapper/1-0"),
    wake(2, 0, 12, 1),
    switch(2, 1, "swapper/1-0", "app-12"),
    switch(4, 0, "app-11", "burn me-20", "R+"),
    switch(8, 1, "app-12", "swapper/1-0"),
    wake(9, 0, 12, 0),
    switch(10, 0, "burn me-20", "app-11", "R"),
    switch(12, 0, "app-11", "app-12", "S"),
]


class Parsing(unittest.TestCase):
    def test_a_recorded_trace(self) -> None:
        trace = parse((HERE / "recorded_trace.txt").read_text().splitlines())
        kinds = {kind: sum(event.kind == kind for event in trace.events) for kind in ("switch", "wake", "fork")}
        self.assertEqual(kinds, RECORDED)
        self.assertEqual(trace.lost, 0)
        self.assertEqual(trace.names[2353], "barrier")
        self.assertEqual(trace.names[0], "idle")
        self.assertEqual(trace.events[0].time, 15_959_411_704_000)
        self.assertIn(2353, descendants(trace, [2344]))

    def test_lines_that_are_no_events(self) -> None:
        trace = parse(["", "garbage", "# x", " a-1 [000] d... 1.0: sched_switch: nonsense", "CPU:1 [LOST 5 EVENTS]"])
        self.assertEqual(trace.events, [])
        self.assertEqual(Timeline(trace, {1}).team_members(), [])

    def test_names_with_blanks_and_preemption(self) -> None:
        trace = parse(SCENE)
        self.assertEqual(trace.names[20], "burn me")
        self.assertEqual([e.preempted for e in trace.events if e.kind == "switch"], [0, 0, 0, 1, 0, 1, 0])

    def test_a_full_buffer(self) -> None:
        head = "# entries-in-buffer/entries-written: 9/109   #P:2"
        late = [switch(3, 1, "a-1", "b-2"), switch(1, 0, "a-3", "b-4")]
        trace = parse([head, *late])
        self.assertEqual(trace.lost, 100)
        self.assertEqual(complete_since(trace), 1_003 * MS, "when the last CPU's events begin")
        self.assertEqual(complete_since(parse(late)), 1_001 * MS)


class Arithmetic(unittest.TestCase):
    def setUp(self) -> None:
        self.timeline = Timeline(parse(SCENE), {11, 12})

    def test_run_times_and_stretches(self) -> None:
        eleven = self.timeline.threads[11]
        self.assertEqual((eleven.run_ns, eleven.stretches), (6 * MS, [4 * MS, 2 * MS]))
        self.assertEqual((eleven.mean_ns(), eleven.median_ns()), (3 * MS, 3 * MS))
        self.assertEqual((eleven.preempted, eleven.migrations), (1, 0))
        self.assertEqual(self.timeline.threads[12].migrations, 1)
        self.assertEqual(self.timeline.threads[20].run_ns, 6 * MS)

    def test_queued_behind_whom(self) -> None:
        eleven, twelve = self.timeline.threads[11], self.timeline.threads[12]
        self.assertEqual((eleven.waited_ns, eleven.lost_to_others_ns), (6 * MS, 6 * MS))
        self.assertEqual(twelve.waited_ns, 3 * MS)
        self.assertEqual(twelve.lost_to_others_ns, 1 * MS, "the other 2 ms behind a teammate")

    def test_together(self) -> None:
        self.assertEqual(self.timeline.together(), {0: 2 * MS, 1: 8 * MS, 2: 2 * MS})

    def test_helpers_are_no_team(self) -> None:
        lines = [switch(0, 0, "x-9", "app-11"), switch(10, 0, "app-11", "app-12"), switch(10.05, 0, "app-12", "x-9")]
        self.assertEqual(Timeline(parse(lines), {11, 12}).team_members(), [11])

    def test_gantt(self) -> None:
        letters = trace_script.symbols(self.timeline, {20})
        begin = self.timeline.begin
        first, second = trace_script.gantt(self.timeline, letters, begin, begin + 10 * MS)
        self.assertEqual(first, "cpu   0 |" + "0" * 40 + "B" * 60 + "|")
        self.assertEqual(second, "cpu   1 |" + "." * 20 + "1" * 60 + "." * 20 + "|")

    def test_csv(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.csv"
            trace_script.write_csv(self.timeline, {20}, path)
            lines = path.read_text().splitlines()
        self.assertIn(f"{4 * MS},{10 * MS},0,20,burn me,hog", lines)


class WithoutTracefs(unittest.TestCase):
    def test_says_why_and_samples(self) -> None:
        errors, output = io.StringIO(), io.StringIO()
        command = [sys.executable, "-c", "while True: pass"]
        with (
            mock.patch.object(sched_recording, "PLACES", [Path("/nonexistent/tracing")]),
            mock.patch.object(sched_recording.os, "geteuid", return_value=1000),
            mock.patch.object(sys, "argv", ["trace.py", "--seconds", "0.3", "--", *command]),
            contextlib.redirect_stderr(errors),
            contextlib.redirect_stdout(output),
        ):
            self.assertEqual(trace_script.main(), 0)
        message = "trace: no trace: tracefs needs root; sampling /proc/PID/task/*/schedstat instead\n"
        self.assertEqual(errors.getvalue(), message)
        self.assertEqual(len(output.getvalue().splitlines()), 2, output.getvalue())

    def test_a_command_that_is_not_there(self) -> None:
        done = subprocess.run(
            [sys.executable, "-B", SCRIPTS / "trace.py", "--", "/nonexistent/program"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent/program: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
