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
    """A new cgroup with one CPU. close() removes it."""

    def __init__(self, group: Path, version: str) -> None:
        self.group = group
        self.version = version

    def enter(self) -> None:
        """For preexec_fn: the child enters the cgroup."""
        (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def close(self) -> None:
        for _ in range(50):  # a process that has just ended may still be counted as inside
            try:
                self.group.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.02)


def quota_v1(root: Path) -> Quota:
    # The hierarchy's root may lack the file, but not a cgroup.
    mounts = (root / name for name in ("cpu", "cpu,cpuacct"))
    mounted = next((mount for mount in mounts if (mount / "cgroup.procs").exists()), None)
    if mounted is None:
        raise OSError("v1: no cpu controller mounted")
    group = mounted / own_group("cpu") / f"muster-{os.getpid()}"
    group.mkdir()
    try:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(PERIOD_US))
    except OSError:
        group.rmdir()
        raise
    return Quota(group, "v1")


def quota_v2(root: Path) -> Quota:
    mounted = next((m for m in (root, root / "unified") if (m / "cgroup.controllers").exists()), None)
    if mounted is None or "cpu" not in (mounted / "cgroup.controllers").read_text().split():
        raise OSError("v2: no cpu controller")
    parent = mounted / own_group("")
    group = parent / f"muster-{os.getpid()}"
    group.mkdir()
    try:
        if not (group / "cpu.max").exists():
            (parent / "cgroup.subtree_control").write_text("+cpu")
        (group / "cpu.max").write_text(f"{PERIOD_US} {PERIOD_US}")
    except OSError:
        group.rmdir()
        raise
    return Quota(group, "v2")


def make_quota(root: Path = CGROUPS) -> Quota:
    """Raises OSError with the reasons of both versions where neither works."""
    reasons = []
    makers: tuple[Callable[[Path], Quota], ...] = (quota_v2, quota_v1)
    for maker in makers:
        try:
            return maker(root)
        except OSError as error:
            reasons.append(str(error))
    raise OSError("; ".join(reasons))
