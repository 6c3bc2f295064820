"""session.py: what a program started ends with it, and nothing makes its caller wait."""

from __future__ import annotations

import os
import time
import unittest
from pathlib import Path

from session import Ended, clean_environment, run_in_session


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


class Session(unittest.TestCase):
    def shell(self, script: str, timeout: float = 20.0, **how: bool) -> Ended:
        return run_in_session(["bash", "-c", script], clean_environment(), timeout, **how)

    def test_what_it_wrote_and_how_it_ended(self) -> None:
        ended = self.shell("echo out; echo error >&2; exit 3")
        self.assertEqual((ended.status, ended.stdout, ended.stderr), (3, "out\n", "error\n"))
        self.assertEqual(self.shell("kill -KILL $$").status, -9)
        ended = self.shell("echo $$; echo error >&2", one_stream=True)
        self.assertEqual((ended.stdout, ended.stderr), (f"{ended.pid}\nerror\n", ""))

    def test_settings_of_the_surroundings_are_not_its_own(self) -> None:
        os.environ["MUSTER_WAIT"] = "block"
        self.addCleanup(os.environ.pop, "MUSTER_WAIT")
        self.assertEqual(self.shell("echo ${MUSTER_WAIT-none}").stdout, "none\n")

    def test_no_end_in_time(self) -> None:
        """Nor of children, in the same process group or in others: `timeout` makes one, a shell with -m as well."""
        seconds = f"60.{os.getpid()}"
        script = f"echo begun; sleep {seconds} & timeout 50 sleep {seconds} & set -m; sleep {seconds} & wait"
        begin = time.monotonic()
        ended = self.shell(script, 0.5)
        self.assertEqual((ended.status, ended.stdout), (None, "begun\n"))
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual(sleepers(seconds), set())

    def test_what_left_the_session_is_not_waited_for(self) -> None:
        seconds = f"20.{os.getpid()}"
        begin = time.monotonic()
        ended = self.shell(f"echo begun; setsid sleep {seconds} & wait", 0.5)
        self.assertEqual((ended.status, ended.stdout), (None, "begun\n"))
        self.assertLess(time.monotonic() - begin, 15)
        for pid in sleepers(seconds):
            os.kill(pid, 9)


if __name__ == "__main__":
    unittest.main()
