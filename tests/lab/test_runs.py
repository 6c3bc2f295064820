"""lab.runs and lab.hogs: what a program started ends with it, and nothing makes its caller wait."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from lab.environment import clean_environment, preload  # noqa: E402
from lab.hogs import hogs  # noqa: E402
from lab.registrations import remove_stale  # noqa: E402
from lab.runs import Outcome, command_line, end_with_parent, exit_by_exception, run, start_child  # noqa: E402


SHORT = 2.0  # seconds: enough for a shell to begin
NEVER = 100000  # seconds that no test waits


def sleepers(seconds: str) -> set[int]:
    """The processes that are `sleep SECONDS`."""
    found = set()
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if line.read_bytes() == f"sleep\0{seconds}\0".encode():
                found.add(int(line.parent.name))
        except OSError:
            continue
    return found


# A signal comes while Python forks; the handler's exception must end the script, and nothing else may be printed.
INTERRUPTED = """
import os, signal, sys
from lab.runs import start_child
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    start_child(["sleep", sys.argv[1]], lambda: None, start_new_session=True)
except KeyboardInterrupt:
    print("interrupted")
"""


class Runs(unittest.TestCase):
    def shell(self, script: str, timeout: float = 20.0, **how: bool) -> Outcome:
        return run(["bash", "-c", script], clean_environment(), timeout, **how)

    def test_what_it_wrote_and_how_it_ended(self) -> None:
        ended = self.shell("echo out; echo error >&2; exit 3")
        self.assertEqual((ended.status, ended.stdout, ended.stderr), (3, "out\n", "error\n"))
        self.assertEqual(self.shell("kill -KILL $$").status, -9)
        ended = self.shell("echo $$; echo error >&2", one_stream=True)
        self.assertEqual((ended.stdout, ended.stderr), (f"{ended.pid}\nerror\n", ""))

    def test_a_signal_while_a_child_starts(self) -> None:
        command = [sys.executable, "-c", INTERRUPTED, "0.01"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "interrupted\n", ""))

    def test_a_child_hears_signals(self) -> None:
        process = start_child(["sleep", str(NEVER)], end_with_parent)
        process.terminate()
        self.assertEqual(process.wait(60), -signal.SIGTERM)

    def test_settings_of_the_caller_are_cleared(self) -> None:
        os.environ["MUSTER_WAIT"] = "block"
        self.addCleanup(os.environ.pop, "MUSTER_WAIT")
        self.assertEqual(self.shell("echo ${MUSTER_WAIT-none}").stdout, "none\n")

    def test_no_end_in_time(self) -> None:
        """Nor of children, in the same process group or in others: `timeout` makes one, a shell with -m as well."""
        seconds = f"{NEVER}.{os.getpid()}"
        script = f"echo begun; sleep {seconds} & timeout {NEVER} sleep {seconds} & set -m; sleep {seconds} & wait"
        ended = self.shell(script, SHORT)
        self.assertEqual((ended.status, ended.stdout), (None, "begun\n"))
        self.assertEqual(sleepers(seconds), set())

    def test_what_left_the_session_is_not_waited_for(self) -> None:
        seconds = f"{NEVER + 1}.{os.getpid()}"
        ended = self.shell(f"echo begun; setsid sleep {seconds} & wait", SHORT)
        self.assertEqual((ended.status, ended.stdout), (None, "begun\n"))
        for pid in sleepers(seconds):
            os.kill(pid, 9)

    def test_without_a_session_of_its_own(self) -> None:
        seconds = f"{NEVER + 2}.{os.getpid()}"
        self.assertEqual(self.shell(f"sleep {seconds} & wait", 0.3, own_session=False).status, None)
        self.assertEqual(sleepers(seconds), set())
        shown = self.shell("ps -o sid= -p $$", own_session=False).stdout.strip()
        self.assertEqual(shown, str(os.getsid(0)))

    def test_outcomes(self) -> None:
        ended = self.shell("echo out; echo 'muster: bad' >&2; echo other >&2")
        self.assertEqual((ended.own_lines, ended.other_lines), (["muster: bad"], ["other"]))
        self.assertTrue(ended.same_as(self.shell("echo out")))
        self.assertIn("status 0, stdout ...'out", ended.describe())
        self.assertIn("HANGS", Outcome(None, "", "").describe())
        self.assertEqual(command_line(["a b", Path("c")], {"X": "1 2"}), "env X='1 2' 'a b' c")


class Signals(unittest.TestCase):
    def test_a_signal_between_fork_and_exec_ends_the_child(self) -> None:
        with self.assertRaises(SystemExit):
            exit_by_exception(2)
        child = os.fork()
        if child == 0:
            try:
                exit_by_exception(2)
            finally:
                os._exit(1)  # the exception came as in the parent
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 130)


class Environment(unittest.TestCase):
    def test_what_is_kept(self) -> None:
        os.environ["LD_LIBRARY_PATH"] = "/nowhere"
        self.addCleanup(os.environ.pop, "LD_LIBRARY_PATH")
        self.assertNotIn("LD_LIBRARY_PATH", clean_environment())
        self.assertEqual(clean_environment(keep=("LD_LIBRARY_PATH", "LD_AUDIT"))["LD_LIBRARY_PATH"], "/nowhere")
        self.assertNotIn("PATH", clean_environment("PAT"))

    def test_registrations_of_ended_processes_go(self) -> None:
        ended = subprocess.Popen(["true"])
        ended.wait()
        with tempfile.TemporaryDirectory() as name:
            folder, uid = Path(name), os.getuid()
            stale = folder / f"__KMP_REGISTERED_LIB_{ended.pid}_{uid}"
            kept = [folder / f"__KMP_REGISTERED_LIB_{pid}_{owner}" for pid, owner in ((os.getpid(), uid), (ended.pid, uid + 1))]
            for file in (stale, *kept):
                file.touch()
            remove_stale(folder)
            self.assertEqual(sorted(folder.iterdir()), sorted(kept))

    def test_preloads(self) -> None:
        self.assertEqual(preload(Path("/a"), None, "", "/b"), {"LD_PRELOAD": "/a:/b"})
        self.assertEqual(preload(None), {})


class Hogs(unittest.TestCase):
    def wait_for(self, condition: Callable[[], bool]) -> None:
        until = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_they_use_cpu_time_and_end(self) -> None:
        def used(pid: int) -> int:
            return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])

        with hogs(2) as started:
            pids = [hog.pid for hog in started]
            self.wait_for(lambda: all(used(pid) > 0 for pid in pids))
        self.assertFalse(any(Path(f"/proc/{pid}").exists() for pid in pids))

    def test_they_end_with_whoever_started_them(self) -> None:
        script = "import lab.hogs; print(lab.hogs.start_hog().pid)"
        pid = int(subprocess.check_output([sys.executable, "-B", "-c", script], cwd=ROOT, text=True))
        self.wait_for(lambda: not Path(f"/proc/{pid}").exists())


if __name__ == "__main__":
    unittest.main()
