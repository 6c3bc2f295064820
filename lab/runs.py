"""One run of a program, in a session or process group of its own: what it started ends when its time is over."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 2.0  # seconds to wait for the output of processes that were killed
OWN_PREFIX = "muster: "  # of Muster's own lines on stderr
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
OURS = os.getpid()


@dataclass(frozen=True)
class Outcome:
    status: int | None  # None: it ran out of time
    stdout: str
    stderr: str
    pid: int = field(default=0, compare=False)  # its own, and that of its session or group

    @property
    def own_lines(self) -> list[str]:
        """Muster's lines on stderr."""
        return [line for line in self.stderr.splitlines() if line.startswith(OWN_PREFIX)]

    @property
    def other_lines(self) -> list[str]:
        return [line for line in self.stderr.splitlines() if not line.startswith(OWN_PREFIX)]

    def same_as(self, other: Outcome) -> bool:
        return (self.status, self.stdout) == (other.status, other.stdout)

    def describe(self) -> str:
        status = "HANGS: no end in time" if self.status is None else f"status {self.status}"
        return f"{status}, stdout ...{self.stdout[-300:]!r}, stderr {self.stderr[:300]!r}"


def run(
    command: Sequence[str | Path],
    environment: Mapping[str, Any],
    timeout: float,
    directory: Path | None = None,
    one_stream: bool = False,  # stderr goes to `stdout`, in the order of writing
    own_session: bool = True,
) -> Outcome:
    """Runs the command in exactly this environment.

    Beside CPU hogs without a session of its own: with autogroups, the scheduler gives each session an equal share.
    """
    status: int | None
    with subprocess.Popen(
        [str(word) for word in command],
        env=environment,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if one_stream else subprocess.PIPE,
        start_new_session=own_session,
        process_group=None if own_session else 0,
    ) as process:
        try:
            streams = process.communicate(timeout=timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            streams, status = end_all(process), None
        except BaseException:
            end_all(process)
            raise
    stdout, stderr = ((data or b"").decode(errors="replace") for data in streams)
    return Outcome(status, stdout, stderr, process.pid)


def end_all(process: subprocess.Popen) -> tuple[bytes, bytes]:
    """Kills the session or group that the process leads, and returns what was written until then."""
    # Killing the group of a session's leader is not enough: shells and `timeout` make groups of their own. A process
    # may fork just before it is killed, so repeat until none is left.
    while members := _members(process.pid):
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    try:
        return process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        # A process left the session and still holds the pipe. Do not wait for it.
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        return late.stdout or b"", late.stderr or b""


def _members(leader: int) -> list[int]:
    """The processes of its session or group that still run, by /proc."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            state, _, group, session, *_ = stat.read_text(errors="replace").rpartition(")")[2].split()
            if leader in (int(group), int(session)) and state not in "ZX":
                found.append(int(stat.parent.name))
    return found


def ends_within(pid: int, seconds: float) -> bool:
    """Waits for a child without reaping it, and without the long polling intervals of Popen.wait."""
    deadline = time.monotonic() + seconds
    descriptor = os.pidfd_open(pid)
    try:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            if poller.poll(min(left, 3600) * 1000):
                return True
        return False
    finally:
        os.close(descriptor)


def how_it_ended(status: int) -> str:
    """An exit status of subprocess, in words."""
    if status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def start_child(command: Sequence[str | Path], prepare: Callable[[], None], **how: Any) -> subprocess.Popen:
    """Popen, with `prepare` called in the child before it executes the command.

    A signal to us waits until the child has started. An exception of its handler would be lost in a hook that Python
    runs after a fork: it prints such exceptions and goes on.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})

    def prepare_child() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        prepare()

    try:
        return subprocess.Popen([str(word) for word in command], preexec_fn=prepare_child, **how)  # noqa: PLW1509
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """For start_child(): the kernel kills the child when the thread that started it ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def exit_by_exception(number: int, _frame: object = None) -> None:
    """A signal handler: context managers end hogs and programs on the way out.

    In a child between fork and exec there is nothing to end, and Python would print the exception and go on.
    """
    if os.getpid() != OURS:
        os._exit(128 + number)
    raise SystemExit(128 + number)


def command_line(command: Sequence[str | Path], environment: Mapping[str, str]) -> str:
    """The command as a shell takes it, with its environment."""
    settings = [f"{name}={shlex.quote(value)}" for name, value in sorted(environment.items())]
    return " ".join(["env", *settings, *(shlex.quote(str(word)) for word in command)])
