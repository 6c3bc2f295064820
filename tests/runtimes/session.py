"""Runs a program in a session of its own, so that whatever it started ends with it when its time is over."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# What a test sets itself, and what must not come from whoever runs the tests.
CLEARED = ("OMP_", "KMP_", "GOMP_", "MUSTER", "LD_", "TRAP_", "TORTURE_")
PATIENCE = 2.0  # seconds that the output of what was killed is waited for


@dataclass(frozen=True)
class Ended:
    status: int | None  # None: it ran out of time
    stdout: str
    stderr: str
    pid: int  # that of the session as well


def clean_environment() -> dict[str, str]:
    """Without the surroundings' settings for OpenMP, Muster or the loader."""
    return {name: value for name, value in os.environ.items() if not name.startswith(CLEARED)}


def run_in_session(
    command: Sequence[str | Path],
    environment: Mapping[str, Any],
    timeout: float,
    directory: Path | None = None,
    one_stream: bool = False,  # what it writes to stderr comes in `stdout`, in the order of writing
) -> Ended:
    status: int | None
    with subprocess.Popen(
        [str(word) for word in command],
        env=environment,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if one_stream else subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            streams = process.communicate(timeout=timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            streams, status = end_session(process), None
        except BaseException:
            end_session(process)
            raise
    stdout, stderr = ((data or b"").decode(errors="replace") for data in streams)
    return Ended(status, stdout, stderr, process.pid)


def end_session(process: subprocess.Popen) -> tuple[bytes, bytes]:
    """Kills all of the session that the process leads, and returns what was written until then."""
    # More than killing its group: shells and `timeout` make groups of their own in the session. Who is killed may just
    # have forked, so until there is nobody left.
    while members := _members(process.pid):
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    try:
        return process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        # Something left the session and still holds the pipe. It is not waited for.
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        return late.stdout or b"", late.stderr or b""


def _members(session: int) -> list[int]:
    """Those that still run, by /proc."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            state, _, _, its_session, *_ = stat.read_text(errors="replace").rpartition(")")[2].split()
            if int(its_session) == session and state not in "ZX":
                found.append(int(stat.parent.name))
    return found
