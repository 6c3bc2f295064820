#!/usr/bin/env python3
"""Runs ctest for ./bootstrap test: progress with the time left, then a line for each failure with the command that repeats it.

    tests/gate.py [--build build/release] [--full] [--jobs N]

However it ends, the processes that tests have started end, too, and their temporary files go.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from lab.registrations import remove_stale  # noqa: E402
from lab.runs import exit_by_exception  # noqa: E402

PR_SET_CHILD_SUBREAPER = 36
# ` 12/1500 Test  #34: name ....   Passed    0.12 sec`, or `***Failed`, `***Timeout`, `***Skipped`, `***Not Run`.
RESULT = re.compile(r"\s*(\d+)/(\d+) Test\s+#\d+: (\S+) \.*\s*(?:\*\*\*)?([A-Z][A-Za-z ]*?)\s+(?:[\d.]+ sec)?\s*$")
CLEAN = 1.0  # seconds: the system gives process numbers again after minutes
EVERY = 10.0  # seconds between two lines of progress where stderr is no terminal


def children() -> list[int]:
    """Our own, orphans of tests among them, since they come to the subreaper."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def reap_orphans(ctest: int) -> None:
    """Orphans of tests become our children: a test that waits for the end of one must see it gone."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and found.si_pid != ctest:
            os.waitpid(found.si_pid, 0)


def end_children() -> None:
    for _ in range(100):
        for pid in children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            return
        time.sleep(0.02)


class Progress:
    """One line, overwritten on a terminal, else printed now and then."""

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.shown = self.begin

    def show(self, done: int, total: int, failed: int) -> None:
        now = time.monotonic()
        is_terminal = sys.stderr.isatty()
        if not is_terminal and now - self.shown < EVERY and done < total:
            return
        self.shown = now
        left = (now - self.begin) / done * (total - done)
        text = f"{done}/{total} tests, {failed} failed, {clock(now - self.begin)} gone, about {clock(left)} left"
        end = "\n" if not is_terminal or done == total else "\r"
        print(f"{text:<78}", end=end, file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def follow(command: list[str], environment: dict[str, str], log: Path) -> tuple[list[str], int, int]:
    """The failed tests, how many were skipped, and ctest's status."""
    failed: list[str] = []
    skipped = 0
    progress = Progress()
    cleaned = 0.0
    with log.open("w") as out, subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        signal.signal(signal.SIGCHLD, lambda *_: reap_orphans(process.pid))
        for line in process.stdout:
            out.write(line)
            if time.monotonic() - cleaned > CLEAN:
                cleaned = time.monotonic()
                remove_stale()
            if not (match := RESULT.match(line)):
                continue
            name, verdict = match[3], match[4]
            skipped += verdict == "Skipped"
            if verdict not in ("Passed", "Skipped"):
                failed.append(name)
                print(f"FAILED {name}", file=sys.stderr, flush=True)
            progress.show(int(match[1]), int(match[2]), len(failed))
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return failed, skipped, process.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--full", action="store_true", help="everything, not the gate alone")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)) + 1, help="tests at a time (default: CPUs + 1)")
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, exit_by_exception)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    log = arguments.build.resolve() / "tests.log"
    command = ["ctest", "--test-dir", str(arguments.build), "--output-on-failure", "-j", str(arguments.jobs)]
    command.append("--schedule-random")  # costs mix, so that the time left is about right
    command += [] if arguments.full else ["-LE", "^full$"]
    folder = tempfile.mkdtemp(prefix="muster-tests-")
    os.chmod(folder, 0o1777)  # as /tmp: some tests run programs as another user
    begin = time.monotonic()
    try:
        failed, skipped, status = follow(command, os.environ | {"TMPDIR": folder}, log)
    finally:
        end_children()
        shutil.rmtree(folder, ignore_errors=True)
    if status != 0 and not failed:
        print(log.read_text()[-2000:])
    for name in failed:
        print(f"FAILED {name}\n  again: tests/run.py --exactly '{name}'")
    verdict = f"{len(failed)} failed" if failed or status == 0 else "ctest failed"
    print(f"{verdict}, {skipped} skipped, {clock(time.monotonic() - begin)}; all output is in {log.relative_to(ROOT)}")
    return 1 if failed or status != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
