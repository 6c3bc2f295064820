"""A cgroup with a CPU quota, for what runs in it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
PERIOD_US = 100_000


def own_group(controller: str) -> str:
    """This process's path in the hierarchy of a v1 controller, or in v2's for ""."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(",") and bool(controller) == bool(controllers):
            return path.lstrip("/")
    raise OSError(f"no cgroup hierarchy {controller or 'v2'}")


class Quota:
    """A new cgroup, with a quota of one CPU. close() removes it."""

    def __init__(self, group: Path, version: str, period_us: int) -> None:
        self.group = group
        self.version = version
        self.period_us = period_us

    def set(self, cpus: float | None) -> None:
        """None: no quota."""
        quota_us = None if cpus is None else int(cpus * self.period_us)
        if self.version == "v2":
            (self.group / "cpu.max").write_text(f"{'max' if quota_us is None else quota_us} {self.period_us}")
        else:
            (self.group / "cpu.cfs_period_us").write_text(str(self.period_us))
            (self.group / "cpu.cfs_quota_us").write_text(str(-1 if quota_us is None else quota_us))

    def add(self, pid: int) -> None:
        (self.group / "cgroup.procs").write_text(str(pid))

    def enter(self) -> None:
        """For preexec_fn: the child enters the cgroup."""
        self.add(os.getpid())

    def close(self) -> None:
        for _ in range(50):  # a process that has just ended may still be counted as inside
            try:
                self.group.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.02)


def new_group(parent: Path, version: str, period_us: int) -> Quota:
    group = parent / f"muster-{os.getpid()}"
    group.mkdir()
    quota = Quota(group, version, period_us)
    try:
        if version == "v2" and not (group / "cpu.max").exists():
            (parent / "cgroup.subtree_control").write_text("+cpu")
        quota.set(1)
    except OSError:
        group.rmdir()
        raise
    return quota


def quota_v1(root: Path, period_us: int = PERIOD_US) -> Quota:
    # The hierarchy's root may lack the file, but not a cgroup.
    mounts = (root / name for name in ("cpu", "cpu,cpuacct"))
    mounted = next((mount for mount in mounts if (mount / "cgroup.procs").exists()), None)
    if mounted is None:
        raise OSError("v1: no cpu controller mounted")
    return new_group(mounted / own_group("cpu"), "v1", period_us)


def quota_v2(root: Path, period_us: int = PERIOD_US) -> Quota:
    mounted = next((m for m in (root, root / "unified") if (m / "cgroup.controllers").exists()), None)
    if mounted is None or "cpu" not in (mounted / "cgroup.controllers").read_text().split():
        raise OSError("v2: no cpu controller")
    return new_group(mounted / own_group(""), "v2", period_us)


def make_quota(root: Path = CGROUPS, period_us: int = PERIOD_US) -> Quota:
    """Raises OSError with the reasons of both versions where neither works."""
    reasons = []
    makers: tuple[Callable[[Path, int], Quota], ...] = (quota_v2, quota_v1)
    for maker in makers:
        try:
            return maker(root, period_us)
        except OSError as error:
            reasons.append(str(error))
    raise OSError("; ".join(reasons))
