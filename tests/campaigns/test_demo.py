"""campaigns/demo.py with tiny runs: its table, Ctrl-C and --resume, and what it refuses.

Environment: MUSTER_TEST_BUILD, the build folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import pty
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns")]

import demo  # noqa: E402
import demo_shown  # noqa: E402

from lab import results  # noqa: E402
from lab.scripts import run_here  # noqa: E402

BUILD = Path(os.environ["MUSTER_TEST_BUILD"])
# Two rounds of short runs, of one program.
TINY = f"""
import sys
sys.path.insert(0, {str(ROOT / "campaigns")!r})
import demo
program = demo.PROGRAMS[demo.BARRIER_PROGRAM]
demo.PROGRAMS = {{demo.BARRIER_PROGRAM: program._replace(words=["--seconds", "0.01", "--format", "json"])}}
demo.cpus, demo.HOGS, demo.MOST_ROUNDS = (lambda: 1), 1, 2
sys.exit(demo.main())
"""


def tiny(*words: str | Path) -> list[str]:
    return [sys.executable, "-B", "-c", TINY, "--build", str(BUILD), *map(str, words)]


def take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


# muster-test: full it measures
class Demo(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-demo-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def on_a_terminal(self, *words: str | Path) -> tuple[int, str]:
        """Ctrl-C once it tells the time left, for which it needs rich; its status and what it wrote."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        text, interrupted = b"", False
        awaited = b" s left" if importlib.util.find_spec("rich") else b"libgomp"
        with subprocess.Popen(tiny(*words), **streams, start_new_session=True, preexec_fn=take_terminal) as process:
            os.close(theirs)
            with contextlib.suppress(OSError):  # as the last writer has ended
                while part := os.read(ours, 4096):
                    text += part
                    if not interrupted and awaited in text:
                        interrupted = True
                        os.write(ours, b"\x03")
        return process.returncode, text.decode()

    def test_ctrl_c_keeps_what_was_measured_and_resume_goes_on(self) -> None:
        kept = self.folder / "kept"
        status, shown = self.on_a_terminal("--folder", kept)
        self.assertEqual(status, 130, shown)
        self.assertRegex(shown, rf"demo: ended after [01] of 2 rounds; the others by: ./bootstrap demo --resume --folder {kept}")
        self.assertIn("Medians:", shown)
        self.assertNotIn("Traceback", shown)
        first = kept / "libomp-BARRIER-program" / "compare.json"
        before = json.loads(first.read_text())["runs"]

        file = self.folder / "demo.json"
        done = subprocess.run(tiny("--folder", kept, "--resume", "--json", file), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(json.loads(first.read_text())["runs"][: len(before)], before)
        self.assertTrue((kept / "libgomp-BARRIER-program" / "compare.html").exists())
        self.assertRegex(done.stdout, r"\nlibgomp, Muster: 1 thread, idle: .*; 2 threads, 1 hog: .*\n")
        shown = "\n".join(demo_shown.lines(results.read(file)))
        self.assertRegex(shown, r"\|1, idle(\|[\d.]+(\s[kM])?){6}\|\n\|2, idle.*\n\|1, 1 hogs.*\n\|2, 1 hogs")

    def test_what_it_refuses(self) -> None:
        (self.folder / "file").touch()
        for words, said in (
            (["--seconds", "0"], "--seconds"),
            (["--seconds", "nan"], "--seconds"),
            (["--resume"], "has no rounds to go on with"),
            (["--folder", str(self.folder / "file")], "file"),
        ):
            with self.subTest(words=words):
                done = run_here(demo.main, "--build", BUILD, "--folder", self.folder, *words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stderr.splitlines()[-1])

    def test_a_comparison_that_fails_is_one_line(self) -> None:
        (self.folder / "libomp-BARRIER-program").touch()
        done = subprocess.run(tiny("--folder", self.folder), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr.splitlines()[-1], r"^demo: muster compare: .*libomp-BARRIER-program")


if __name__ == "__main__":
    unittest.main()
