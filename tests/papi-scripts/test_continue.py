"""collect.py interrupted, killed, out of space: what it wrote stays valid, and the rest is made up for."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import scripts
from scripts import BUILD, SCRIPTS

from collection import record  # scripts.py names the folder

PLAN = ["--barriers", "auto,tree,fetch-add", "--threads", "2,4", "--repetitions", "2"]
RUNS = (3 * 2 + 2) * 2


def keys(path: Path) -> list[tuple[str, ...]]:
    return [(row["repetition"], row["barrier"], row["wait"], row["threads"]) for row in record.read(path)]


# muster-test: full it measures, or draws for long
class Continue(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-continue-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.output = self.folder / "runs.csv"
        self.program = scripts.pretender(self.folder)

    def words(self, *more: str | Path) -> list[str | Path]:
        return ["--build", BUILD, "--output", self.output, *PLAN, *more, "--", self.program]

    def collect(self, *more: str | Path, status: int = 0, **keywords: Any) -> subprocess.CompletedProcess[str]:
        done = scripts.run("collect.py", *self.words(*more), **keywords)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def uninterrupted(self) -> list[tuple[str, ...]]:
        """Which runs a collection makes, in its order."""
        from collection import plan

        settings = plan.settings(["auto", "tree", "fetch-add"], ["auto"], [2, 4], stock=True)
        order = plan.rounds(settings, 2)
        return [(str(repetition), one.barrier, one.wait, str(one.threads)) for repetition, one in order]

    def stop_after(self, lines: int, number: signal.Signals) -> subprocess.Popen[str]:
        """A slow program, a collection of it, and a signal once so many lines are there."""
        environment = os.environ | {"PRETEND": f"echo $$ >>{self.folder}/pids; sleep 0.05"}
        command = [sys.executable, "-B", SCRIPTS / "collect.py", *self.words()]
        process = subprocess.Popen(command, env=environment, stdout=-1, stderr=-1, text=True, start_new_session=True)
        deadline = time.monotonic() + 30
        while not (self.output.exists() and self.output.read_bytes().count(b"\n") >= lines):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(number)
        self.out, self.err = process.communicate(timeout=30)
        return process

    def assert_no_program_runs(self) -> None:
        last = int((self.folder / "pids").read_text().split()[-1])
        deadline = time.monotonic() + 10
        while Path(f"/proc/{last}").exists() and "zombie" not in Path(f"/proc/{last}/status").read_text():
            self.assertLess(time.monotonic(), deadline, "the program outlived its collection")
            time.sleep(0.01)

    def test_whole(self) -> None:
        self.collect()
        self.assertEqual(keys(self.output), self.uninterrupted())
        before = self.output.read_bytes()
        self.collect()
        self.assertEqual(self.output.read_bytes(), before, "all is done already")
        self.collect("--repetitions", "3")
        self.assertEqual(keys(self.output)[:RUNS], self.uninterrupted(), "more rounds come after")
        self.assertEqual(len(set(keys(self.output))), RUNS * 3 // 2)

    def test_interrupted(self) -> None:
        process = self.stop_after(5, signal.SIGINT)
        self.assertEqual(process.returncode, 130, self.err)
        self.assertRegex(self.err, r"\Acollect: SIGINT: stopped; [^\n]+\n\Z")
        self.assert_no_program_runs()
        self.assertLess(len(keys(self.output)), RUNS)
        self.assertIn(f"of {RUNS} runs", self.collect().stderr)
        self.assertEqual(keys(self.output), self.uninterrupted())

    def test_killed(self) -> None:
        self.stop_after(5, signal.SIGKILL)
        self.assert_no_program_runs()
        self.collect()
        self.assertEqual(keys(self.output), self.uninterrupted())

    def test_a_torn_line(self) -> None:
        self.collect()
        whole = self.output.read_bytes()
        for cut in (1, 30, len(whole) - whole.index(b"\n") + 5):
            with self.subTest(cut):
                self.output.write_bytes(whole[:-cut])
                self.assertIn("torn last line", self.collect().stderr)
                self.assertEqual(keys(self.output), self.uninterrupted())

    def test_no_space_left(self) -> None:
        """A limit on the file's size fails writes in the middle, as a full disk does."""

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))

        done = self.collect(status=1, preexec_fn=limit)
        self.assertRegex(
            done.stderr, r"\Acollect: [^\n]*runs.csv: File too large; its (\d+) runs are whole, [^\n]*\n\Z"
        )
        found = keys(self.output)
        self.assertGreater(len(found), 0)
        self.assertEqual(found, self.uninterrupted()[: len(found)])
        self.assertTrue(self.output.read_bytes().endswith(b"\n"))
        self.collect()
        self.assertEqual(keys(self.output), self.uninterrupted())

    def test_a_full_disk(self) -> None:
        """A file system of one page, in a mount namespace of its own."""
        place = self.folder / "small"
        place.mkdir()
        script = (
            f'mount -t tmpfs -o size=4k none {place} && "$@"; code=$?; cp {place}/runs.csv {self.folder}; exit $code'
        )
        self.output = place / "runs.csv"
        inside = ["unshare", "-rm", "sh", "-c", script, "sh", sys.executable, "-B", SCRIPTS / "collect.py"]
        done = subprocess.run([*inside, *self.words()], capture_output=True, text=True, timeout=100, check=False)
        if "unshare" in done.stderr or "mount" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Acollect: [^\n]*runs.csv: No space left on device; its (\d+) runs[^\n]*\n\Z")
        self.output = self.folder / "runs.csv"
        found = keys(self.output)
        self.assertEqual(found, self.uninterrupted()[: len(found)])
        self.collect()
        self.assertEqual(keys(self.output), self.uninterrupted())

    def test_another_configuration(self) -> None:
        self.collect()
        before = self.output.read_bytes()
        for more, key in (
            (["--threads", "2"], "plan"),
            (["--events", "A"], "events"),
            (["--value", "x"], "value_pattern"),
        ):
            done = self.collect(*more, status=1)
            self.assertRegex(done.stderr, rf"\Acollect: [^\n]*runs.csv:2: {key}: it was [^\n]*--restart\n\Z")
            self.assertEqual(self.output.read_bytes(), before)
        self.collect("--threads", "2", "--restart")
        self.assertEqual(len(keys(self.output)), RUNS // 2)

    def test_restart_spares_other_files(self) -> None:
        self.output.write_text("my thesis\n")
        self.assertIn("no collection's CSV", self.collect("--restart", status=1).stderr)
        self.assertIn("runs.csv:1: format: no such column", self.collect(status=1).stderr)
        self.assertEqual(self.output.read_text(), "my thesis\n")

    def test_only_one_writes(self) -> None:
        import fcntl

        with self.output.open("w") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            self.assertIn("another collection is writing it", self.collect(status=1).stderr)


if __name__ == "__main__":
    unittest.main()
