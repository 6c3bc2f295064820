"""What `barrier` and `parallel_for` count, and the CPU hog that runs beside them."""

import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from cases import BIN, TestCase, run


class Window(TestCase):
    def test_margin_is_run_but_not_counted(self) -> None:
        for program in ("barrier", "barrier-gomp", "parallel_for"):
            with self.subTest(program):
                report = self.report(program, "--seconds=0.05", "--margin=0.1", "--threads=2")
                (ran_from, ran_to), (start, end) = report["ran"], report["counted"]
                self.assertGreaterEqual(start - ran_from, 0.1)
                self.assertGreaterEqual(ran_to - end, 0.1)
                self.assertAlmostEqual(end - start, report["seconds"])
                if program != "parallel_for":
                    self.assertGreater(report["iterations_by_thread"][0], report["iterations"])

    def test_cpu_time_of_processes_beside(self) -> None:
        with subprocess.Popen([BIN / "burner", "--seconds", "100"]) as hog:
            beside = f"{hog.pid},{os.getpid()}"
            for program in ("barrier", "parallel_for"):
                with self.subTest(program):
                    began = time.monotonic()
                    report = self.report(program, "--seconds=0.3", "--threads=1", "--beside", beside)
                    burnt, waited = report["beside_cpu_seconds"]
                    self.assertTrue(0 < burnt <= time.monotonic() - began, burnt)
                    self.assertLess(waited, burnt)
            hog.kill()

    def test_no_process_beside(self) -> None:
        done = run("barrier", "--seconds", "0.05", "--beside", "999999999")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--beside: there is no process 999999999", done.stderr)

    def test_progress_is_counted_at_each_time(self) -> None:
        for program in ("barrier", "barrier-gomp", "parallel_for", "parallel_for-gomp"):
            with self.subTest(program):
                report = self.report(program, "--threads=2", "--progress=20ms,0.05,0.8s", "--seconds=50")
                times, done = report["progress_seconds"], report["progress_iterations"]
                self.assertEqual(len(done), 3)
                for asked, told in zip((0.02, 0.05, 0.8), times, strict=True):
                    self.assertGreaterEqual(told, asked)
                self.assertEqual(times, sorted(times))
                self.assertEqual(done, sorted(done))
                self.assertLess(0, done[-1])  # a busy machine may begin late
                self.assertLessEqual(done[-1], report["iterations"])
                # From the process's first iteration on.
                self.assertEqual(report["ran"][0], report["counted"][0])
                self.assertGreaterEqual(report["seconds"], times[-1])

    def test_an_iteration_that_is_not_complete_is_not_counted(self) -> None:
        report = self.report("parallel_for", "--threads=1", "--interval=1000000", "--progress=10ms,20ms,30ms")
        self.assertEqual(report["progress_iterations"], [0, 0, 0])

    def test_progress_needs_ascending_times(self) -> None:
        for times in ("0", "20ms,10ms", "20ms,20ms", "nan", "20 hours", "-1"):
            with self.subTest(times):
                self.assert_refused("--progress", "barrier", f"--progress={times}")


class Hog(TestCase):
    def wait_until_it_burns(self, pid: int) -> None:
        stat = Path(f"/proc/{pid}/stat")
        while int(stat.read_text().rpartition(")")[2].split()[11]) == 0:  # its CPU time
            time.sleep(0.01)

    def test_reports_what_it_got(self) -> None:
        text = self.output("burner", "--seconds", "0.2", "--report")
        found = re.fullmatch(r"cpu_seconds ([\d.]+)\nwall_seconds ([\d.]+)\n", text)
        assert found is not None, text
        cpu, wall = float(found[1]), float(found[2])
        self.assertGreaterEqual(wall, 0.2)
        self.assertTrue(0 < cpu <= wall + 0.05, text)

    def test_blinks(self) -> None:
        # On for 0.2 s, the first 0.1 s of that left out; off for 0.2 s; on for 0.1 s.
        text = self.output("burner", "--blink=0.2", "--phase=0.1", "--seconds=0.4", "--report")
        cpu, wall = (float(word) for word in re.findall(r"seconds ([\d.]+)", text))
        self.assertGreaterEqual(wall, 0.4)
        self.assertTrue(0 < cpu <= wall - 0.15, text)

    def test_reports_when_terminated(self) -> None:
        command = [BIN / "burner", "--report"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hog:
            self.wait_until_it_burns(hog.pid)
            hog.send_signal(signal.SIGTERM)
            text, _ = hog.communicate(timeout=60)
        self.assertEqual(hog.returncode, 0)
        self.assertIn("cpu_seconds", text)

    def test_ends_with_its_parent(self) -> None:
        # The hog holds the pipe's other end: reading ends only after the hog.
        start = "import subprocess, sys; print(subprocess.Popen(sys.argv[1:]).pid, flush=True); sys.stdin.read()"
        command = [sys.executable, "-c", start, BIN / "burner", "--seconds", "200"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            self.wait_until_it_burns(int(parent.stdout.readline()))
            parent.communicate(timeout=60)
        self.assertEqual(parent.returncode, 0)

    def test_bad_input(self) -> None:
        self.assert_refused("--seconds", "burner", "--seconds", "-1")
        self.assert_refused("--blink", "burner", "--blink", "0")


if __name__ == "__main__":
    unittest.main()
