"""What a container, an old kernel or an administrator takes away: the same output, and a note in the report."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import harness
from harness import (
    SLICES,
    FaultTest,
    base_environment,
    on_libgomp,
    preloaded_environment,
    program,
    program_without_openmp,
    run,
)

# Stock libomp's own sleeps end the process where futex is denied; so its threads never sleep.
AWAKE = {"KMP_BLOCKTIME": "infinite"}
TRIES = 10
CANNOT = 77  # the status of `denying` where no filter can be installed


class MissingTest(FaultTest):
    def noted(self, report: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {entry["what"]: entry for entry in report.get("missing", [])}

    def compare_in(
        self,
        prefix: Sequence[str | Path],
        command: Sequence[str | Path],
        extra: dict[str, str] | None = None,
    ) -> dict[str, dict[str, Any]]:
        """Compares the command behind this prefix; returns what the report lists as missing."""
        self.compare([*prefix, *command], extra)
        return self.noted(self.assert_replaced(100))

    def compare_until_noted(
        self, what: str, prefix: Sequence[str | Path], command: Sequence[str | Path], extra: dict[str, str]
    ) -> dict[str, dict[str, Any]]:
        """Compares again while it is not missed: on a busy machine competitors may be noticed late."""
        missing: dict[str, dict[str, Any]] = {}
        for _ in range(TRIES):
            missing = self.compare_in(prefix, command, extra)
            if what in missing or not self.preloaded:
                break
        return missing

    def assert_noted(
        self, missing: dict[str, dict[str, Any]], what: str, error: str | None
    ) -> None:
        if not self.preloaded:
            return
        self.assertIn(what, missing)
        self.assertEqual(missing[what]["error"], error, missing)
        self.assertGreaterEqual(missing[what]["times"], 1)
        self.assertTrue(missing[what]["effect"])


class Denied(MissingTest):
    def denying(self, call: str, error: str) -> list[str | Path]:
        wrapper = program_without_openmp("denying")
        if run([wrapper, call, error, "/bin/true"], base_environment()).status == CANNOT:
            self.skipTest("no seccomp filter can be installed here")
        return [wrapper, call, error]

    def compare_denied(
        self, call: str, error: str, command: Sequence[str | Path], **extra: str
    ) -> dict[str, dict[str, Any]]:
        return self.compare_in(self.denying(call, error), command, extra)

    def test_nothing_denied(self) -> None:
        missing = self.compare_in([], [program("team"), "200"])
        for what in ("futex", "membarrier", "sched_setaffinity", "sched_getaffinity", "getcpu"):
            self.assertNotIn(what, missing)

    def test_futex(self) -> None:
        """A wait that is denied must not lose a wake-up; nor a wake whose waits were not denied.

        EINVAL for the wake: the C library bears no other error from its own wakes.
        """
        if harness.places.on_libgomp:
            self.skipTest("stock spins there for ever, and takes slices of the scheduler for each barrier")
        team = [program("team"), "100", "100"]  # stock's threads spin: a barrier may cost some time slices
        for call, error in (
            ("futex-wait", "EPERM"),
            ("futex-wait", "ENOSYS"),
            ("futex-wake-all", "EINVAL"),
        ):
            for wait in ("auto", "block", "2cs+"):
                with self.subTest(call=call, error=error, wait=wait):
                    missing = self.compare_denied(call, error, team, MUSTER_WAIT=wait, **AWAKE)
                    self.assert_noted(missing, "futex", error)

    # muster-test: full beside others, threads that are late need not sleep
    def test_a_denied_futex_does_not_burn_the_cpu(self) -> None:
        """Threads that block for long use timed sleeps instead."""
        wrapper = self.denying("futex-wait", "EPERM")
        team = [program("team"), "60", "20000"]  # three of four threads wait in each round
        environment = preloaded_environment({"MUSTER_WAIT": "block", **AWAKE})
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
        result = run([*wrapper, *team], environment)
        sleeps = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - before
        self.assertEqual((result.status, result.stdout), (0, "team: checksum 4, ok\n"))
        if self.preloaded:  # 60 are naps of the fourth thread; a yield is no sleep
            self.assertGreaterEqual(sleeps, 60 + 3 * 60)

    def test_newer_futex_calls(self) -> None:
        for call in ("futex_waitv", "futex_wake", "futex_wait"):
            with self.subTest(call=call):
                missing = self.compare_denied(
                    call, "ENOSYS", [program("team"), "200"], MUSTER_WAIT="block"
                )
                self.assertNotIn("futex", missing)

    def test_membarrier(self) -> None:
        for error in ("EPERM", "ENOSYS"):
            with self.subTest(error=error):
                team = [program("team"), "100", "100"]
                missing = self.compare_denied("membarrier", error, team, MUSTER_WAIT="block")
                self.assert_noted(missing, "membarrier", error)

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_slice(self) -> None:
        """By a filter, and as on older kernels, which support no size or no slice."""
        self.start_hogs()
        for call, error in (
            ("sched_setattr", "EPERM"),
            ("sched_setattr", "E2BIG"),
            ("sched_setattr", "EINVAL"),
            ("sched_getattr", "ENOSYS"),
        ):
            with self.subTest(call=call, error=error):
                what, command = "sched_setattr slice", [program("placed"), "600"]
                missing = self.compare_until_noted(what, self.denying(call, error), command, SLICES)
                if "sched_setattr slice" not in missing and call == "sched_setattr":
                    self.skipTest("no slices on this kernel anyway")
                self.assert_noted(missing, "sched_setattr slice", error)

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_setaffinity(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU: no thread is moved")
        self.start_hogs()
        cpus = len(os.sched_getaffinity(0))
        extra = {"OMP_NUM_THREADS": str(4 * cpus), "KMP_AFFINITY": "disabled"}  # else stock libomp fails at its start
        denied = self.denying("sched_setaffinity", "EPERM")
        missing = self.compare_until_noted("sched_setaffinity", denied, [program("placed"), "1500"], extra)
        self.assert_noted(missing, "sched_setaffinity", "EPERM")

    def test_yield_and_nap(self) -> None:
        for call in ("sched_yield", "clock_nanosleep"):
            for wait in ("auto", "yield"):
                with self.subTest(call=call, wait=wait):
                    self.compare_denied(call, "EPERM", [program("team"), "200"], MUSTER_WAIT=wait)


class NotMounted(MissingTest):
    """On libgomp: without /proc, stock libomp fails an assertion now and then."""

    on_libgomp = True

    def program(self, name: str) -> Path:
        return program(name, self.on_libgomp or None)

    def compare_in(
        self, prefix: Sequence[str | Path], command: Sequence[str | Path], extra: dict[str, str] | None = None
    ) -> dict[str, dict[str, Any]]:
        return super().compare_in(prefix, command, (extra or {}) | (on_libgomp() if self.on_libgomp else {}))

    def without(self, *folders: str) -> list[str | Path]:
        """Mounts something empty over the folders, in a mount namespace of the program's own."""
        if shutil.which("unshare") is None:
            self.skipTest("no unshare here")
        hide = " && ".join(f"mount -t tmpfs none {folder}" for folder in folders)
        enter: list[str | Path] = ["unshare", "-m", "--propagation", "private", "sh", "-c"]
        enter += [f'{hide} && exec "$@"', "sh"]
        if run([*enter, "true"], base_environment()).status != 0:
            self.skipTest("no mount namespace can be created here")
        return enter

    # muster-test: full when competitors are noticed is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_no_proc(self) -> None:
        self.start_hogs()
        enter = self.without("/proc")
        cpus = len(os.sched_getaffinity(0))
        threads = {"OMP_NUM_THREADS": str(4 * cpus)}
        missing = self.compare_until_noted("/proc/stat", enter, [self.program("placed"), "800"], threads)
        if not self.preloaded:
            return
        for what in ("/proc/loadavg", "cgroup quota", "/proc/pressure/cpu"):
            self.assertIn(what, missing)
            self.assertIsNone(missing[what]["times"])
        if cpus > 1:
            self.assert_noted(missing, "/proc/stat", "ENOENT")
        self.assertEqual(self.read_report()["program"], str(self.program("placed")))

    def test_no_cgroup_files(self) -> None:
        missing = self.compare_in(self.without("/sys/fs/cgroup"), [self.program("team"), "200"])
        if self.preloaded:
            self.assertIn("cgroup files", missing)
            self.assertNotIn("/proc/loadavg", missing)

    def test_neither_proc_nor_sys(self) -> None:
        for wait in ("auto", "cs", "block"):
            with self.subTest(wait=wait):
                self.compare_in(
                    self.without("/proc", "/sys"), [self.program("team"), "200"], {"MUSTER_WAIT": wait}
                )


# muster-test: full stock libomp fails an assertion in up to a fifth of these runs
class NotMountedOnLibomp(NotMounted):
    on_libgomp = False

    def test_no_proc(self) -> None:
        super().test_no_proc()

    def test_neither_proc_nor_sys(self) -> None:
        super().test_neither_proc_nor_sys()
