"""Starts bin/gang with programs of our own, and looks at what is left of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

LONG = 120.0  # seconds that programs would run which the test ends
GANG = os.environ.get("GANG", "build/release/bin/gang")
FIRST_CPU = str(min(os.sched_getaffinity(0)))
PROGRAMS = Path(__file__).resolve().parent
# Works for so long of its own CPU time or of the clock's, whatever comes first.
WORKER = [sys.executable, "-S", "-E", str(PROGRAMS / "worker.py")]


def may_use_priorities() -> bool:
    try:
        child = subprocess.run([GANG, "--by", "priorities", "--", "true"], capture_output=True, timeout=60)
    except OSError:
        return False
    return child.returncode == 0


MECHANISMS = ["signals", *(["priorities"] if may_use_priorities() else [])]


def command(programs: list[list[str]], *options: str) -> list[str]:
    words = [GANG, *options, "--"]
    for i, program in enumerate(programs):
        words += (["::"] if i else []) + program
    return words


def run(programs: list[list[str]], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(programs, *options), capture_output=True, text=True, timeout=120)


def until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return condition()


def state(pid: int) -> str:
    """As in /proc; empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def policies(pid: int) -> set[tuple[int, int]]:
    """Policy and priority of each of its threads."""
    found = set()
    for thread in os.listdir(f"/proc/{pid}/task"):
        found.add((os.sched_getscheduler(int(thread)), os.sched_getparam(int(thread)).sched_priority))
    return found


class GangTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gang-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def report(self, programs: list[list[str]], *options: str) -> tuple[dict, subprocess.CompletedProcess[str]]:
        path = self.folder / "report.json"
        done = run(programs, *options, "--report", str(path))
        return json.loads(path.read_text()), done

    def start(self, programs: list[list[str]], *options: str, **keywords: object) -> subprocess.Popen[str]:
        gang = subprocess.Popen(command(programs, *options), text=True, **keywords)

        def end() -> None:
            gang.kill()
            gang.communicate()

        self.addCleanup(end)
        return gang

    def pid_from(self, name: str) -> int:
        """A program writes its process id into a file when it has begun."""
        path = self.folder / name
        self.assertTrue(until(lambda: path.exists() and path.read_text().endswith("\n")), f"{name} never began")
        pid = int(path.read_text())

        def end() -> None:
            try:
                os.kill(pid, 9)
            except OSError:
                pass

        self.addCleanup(end)
        return pid

    def worker(self, seconds: float, *names: str) -> list[str]:
        return [*WORKER, str(seconds), *(str(self.folder / name) for name in names)]
