"""What happens around a running torture program, drawn from a seed: CPU hogs, affinity, a CPU quota, stops."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable

from lab.hogs import end_hog, start_hog
from lab.quota import Quota, make_quota

SYS_TGKILL = {"x86_64": 234, "aarch64": 131, "ppc64le": 250}.get(os.uname().machine, 0)
PERIOD_US = 20_000


def threads_of(process: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{process}/task")]
    except OSError:
        return []


def quota_of(process: int) -> Quota | None:
    """A quota for the program, without a limit yet; None where no cgroup can be created."""
    try:
        quota = make_quota(period_us=PERIOD_US)
    except OSError:
        return None
    try:
        quota.set(None)
        quota.add(process)
    except OSError:  # it has ended
        quota.close()
        return None
    return quota


class Disturber:
    """One disturbance for each call of disturb(). `stopped_s` is how long the whole program was stopped."""

    def __init__(self, process: int, draw: random.Random) -> None:
        self.stopped_s = 0.0
        self.done: dict[str, int] = {}
        self._process = process
        self._draw = draw
        self._cpus = sorted(os.sched_getaffinity(0))
        self._hogs: list[subprocess.Popen[bytes]] = []
        self._quota = quota_of(process)
        self._libc = ctypes.CDLL(None, use_errno=True)

    def disturb(self) -> None:
        kinds: list[Callable[[], None]] = [
            self._begin_hog, self._end_hog, self._bind_thread, self._bind_all, self._free_all,
            self._stop_thread, self._stop_thread, self._stop_all, self._set_quota,
        ]  # fmt: skip
        kind = self._draw.choice(kinds)
        try:
            kind()
        except (OSError, ProcessLookupError):  # it, or that thread, has ended
            return
        name = kind.__name__.strip("_")
        self.done[name] = self.done.get(name, 0) + 1

    def end(self) -> None:
        while self._hogs:
            self._end_hog()
        if self._quota is not None:
            self._quota.close()

    def _begin_hog(self) -> None:
        if len(self._hogs) < 4:
            self._hogs.append(start_hog())

    def _end_hog(self) -> None:
        if self._hogs:
            end_hog(self._hogs.pop())

    def _bind_thread(self) -> None:
        thread = self._draw.choice(threads_of(self._process) or [self._process])
        os.sched_setaffinity(thread, {self._draw.choice(self._cpus)})

    def _bind_all(self) -> None:
        cpu = self._draw.choice(self._cpus)
        for thread in threads_of(self._process):
            os.sched_setaffinity(thread, {cpu})

    def _free_all(self) -> None:
        for thread in threads_of(self._process):
            os.sched_setaffinity(thread, self._cpus)

    def _stop_thread(self) -> None:
        thread = self._draw.choice(threads_of(self._process) or [self._process])
        self._libc.syscall(SYS_TGKILL, self._process, thread, signal.SIGUSR1)

    def _stop_all(self) -> None:
        begin = time.monotonic()
        os.kill(self._process, signal.SIGSTOP)
        time.sleep(self._draw.uniform(0.001, 0.1))
        os.kill(self._process, signal.SIGCONT)
        self.stopped_s += time.monotonic() - begin

    def _set_quota(self) -> None:
        cpus = self._draw.choice((None, None, 0.5, 1.0, 1.5))
        if self._quota is not None:
            self._quota.set(cpus)
