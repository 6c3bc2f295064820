"""`muster run --threads`: what a program finds, by itself and in cgroups of its own.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from collections.abc import Callable
from pathlib import Path

from test_launcher import MUSTER, LauncherTest, muster

from lab.environment import clean_environment
from lab.quota import Quota, make_quota

VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS"]
SHOW = ["sh", "-c", "echo " + " ".join(f"${name}" for name in VARIABLES)]
CPUSETS = Path("/sys/fs/cgroup/cpuset")
MAX_THREADS = """
#include <omp.h>
#include <stdio.h>
int main(void) { printf("%d\\n", omp_get_max_threads()); return 0; }
"""


def inside(enter: Callable[[], None], *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """As muster(), in a process that has first called `enter`."""
    clean = clean_environment("OPENBLAS", "MKL_", "BLIS_", "NUMEXPR_") | environment
    return subprocess.run(
        [MUSTER, *arguments], env=clean, capture_output=True, text=True, timeout=60, check=False, preexec_fn=enter
    )


def entering(group: Path) -> Callable[[], None]:
    def enter() -> None:
        (group / "cgroup.procs").write_text(str(os.getpid()))

    return enter


def only_first_cpu() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Threads(LauncherTest):
    def run_in(self, enter: Callable[[], None], *flags: str, **environment: str) -> tuple[str, str]:
        """The values that the program finds, and what muster printed."""
        done = inside(enter, "run", *flags, "--", *SHOW, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("muster run:")]
        return " ".join(done.stdout.split()), "\n".join(lines)

    def test_affinity(self) -> None:
        values, printed = self.run_in(only_first_cpu, "--threads", "auto")
        self.assertEqual((values, printed), ("1 1 1 1 1", ""))
        _, printed = self.run_in(only_first_cpu, "--threads", "auto", "-v")
        self.assertEqual(printed, f"muster run: 1 thread: 1 CPU allowed; sets {' '.join(VARIABLES)}")

    def test_what_the_user_set_stays(self) -> None:
        threads = {"OMP_NUM_THREADS": "3,2", "MKL_NUM_THREADS": "7"}
        values, printed = self.run_in(only_first_cpu, "--threads", "auto", MUSTER_VERBOSE="1", **threads)
        self.assertEqual(values, "3,2 1 7 1 1")
        self.assertIn("1 thread: 1 CPU allowed (OMP_NUM_THREADS=3); sets ", printed)
        self.assertTrue(printed.endswith("; keeps OMP_NUM_THREADS=3,2 MKL_NUM_THREADS=7"), printed)

    def test_a_number(self) -> None:
        values, _ = self.run_in(only_first_cpu, "--threads", "3", OMP_NUM_THREADS="9", BLIS_NUM_THREADS="2")
        self.assertEqual(values, "3 3 3 2 3")

    def test_without_the_flag(self) -> None:
        self.assertEqual(self.run_in(only_first_cpu, "-v"), ("", ""))

    def test_the_runtimes_use_it(self) -> None:
        for compiler in (["gcc", "-fopenmp"], ["clang-19", "-fopenmp"]):
            program = self.compile(f"max-threads-{compiler[0]}", *compiler, source=MAX_THREADS)
            self.assertEqual(muster("run", "--threads", "5", "--", program).stdout, "5\n")

    def test_dry_run(self) -> None:
        done = inside(only_first_cpu, "run", "--dry-run", "--threads", "auto", "--", "./app")
        self.assertTrue(done.stdout.endswith(f" {'=1 '.join(VARIABLES)}=1 ./app\n"), done.stdout)

    def test_bad_values(self) -> None:
        for value in ("0", "many", "1.5", "-3", "99999999999", "4,2", ""):
            done = muster("run", "--threads", value, "--", "true")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^muster run: --threads .*: not a number of threads; allowed: auto\|<n> .*\n$")

    def test_doctor(self) -> None:
        done = inside(only_first_cpu, "doctor", "true")
        self.assertIn("threads   1 by --threads auto: 1 CPU allowed", done.stdout)
        found = json.loads(inside(only_first_cpu, "doctor", "--json", "true").stdout)["threads"]
        self.assertEqual(found["auto"], 1)
        self.assertTrue(found["reason"].startswith("1 CPU allowed"), found)


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one CPU: a quota changes nothing")
class Cgroups(LauncherTest):
    """In groups made here."""

    def quota(self) -> Quota:
        try:
            quota = make_quota()
        except OSError as error:
            self.skipTest(f"no cgroup with a CPU quota can be made: {error}")
        self.addCleanup(quota.close)
        return quota

    def printed(self, enter: Callable[[], None], *command: str) -> str:
        done = subprocess.run(
            [*command, MUSTER, "run", "--threads", "auto", "-v", "--", "true"], env=clean_environment(),
            capture_output=True, text=True, timeout=60, check=False, preexec_fn=enter,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(line for line in done.stderr.splitlines() if line.startswith("muster run:"))

    def test_a_quota(self) -> None:
        quota = self.quota()
        for cpus, threads in ((1, "1 thread"), (0.2, "1 thread"), (1.1, "1 thread"), (1.4, "2 threads")):
            quota.set(cpus)
            printed = self.printed(quota.enter)
            self.assertTrue(printed.startswith(f"muster run: {threads}: "), printed)
            self.assertIn(f"a quota of {cpus:.2f} CPUs", printed)

    def test_the_quota_of_a_group_above(self) -> None:
        quota = self.quota()
        below = quota.group / "pod" / "container"
        below.mkdir(parents=True)
        self.addCleanup(below.parent.rmdir)
        self.addCleanup(below.rmdir)
        printed = self.printed(entering(below))
        self.assertIn("1 thread: a quota of 1.00 CPUs", printed)

    def test_names_of_groups_that_a_namespace_hides(self) -> None:
        quota = self.quota()
        if subprocess.run(["unshare", "--cgroup", "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no cgroup namespace can be made")
        printed = self.printed(quota.enter, "unshare", "--cgroup")
        self.assertIn("1 thread: a quota of 1.00 CPUs", printed)

    def test_a_cpuset(self) -> None:
        group = CPUSETS / f"muster-{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            self.skipTest(f"no cpuset can be made: {error}")
        self.addCleanup(group.rmdir)
        (group / "cpuset.mems").write_text("0")
        (group / "cpuset.cpus").write_text(str(min(os.sched_getaffinity(0))))
        printed = self.printed(entering(group))
        self.assertIn("1 thread: 1 CPU allowed", printed)


if __name__ == "__main__":
    unittest.main()
