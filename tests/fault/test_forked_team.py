"""libgomp in the child of a fork whose parent's thread had a team: it hangs in stock and ends with Muster. Whatever
works in stock stays as it is."""

from __future__ import annotations

from pathlib import Path

import harness
from harness import FaultTest, base_environment, preloaded_environment, program, run

from lab import runs
from lab.runs import Outcome
from lab.runtimes import loader_command

RUNTIMES = ("libgomp9", "libgomp10", "libgomp12", "libgomp14", "libgomp16")  # those of them that were fetched
LOST = ("lost", "lost-grandchild", "lost-started", "lost-league", "lost-pause", "lost-thread")
WORK = (
    *("new-thread", "nested", "target", "targets", "exec", "idle"),  # in the child
    *("first", "small", "paused", "inside", "other-thread"),  # before the fork, or around it
)
HANG = 1.0  # seconds after which a program hangs that takes some milliseconds
LINE = "stayed in its parent"
ENDS = "forked_team: checksum 4, ok\n"


class ForkedTeam(FaultTest):
    def command(self, runtime: Path, *words: str) -> list[str | Path]:
        return [*loader_command(runtime), program("forked_team", of_gcc=True), *words]

    def runtimes(self) -> list[Path]:
        return [path for name in RUNTIMES if (path := harness.places.runtimes / name).exists()]

    def ours(self, runtime: Path, *words: str, timeout: float = harness.TIMEOUT, **extra: str) -> Outcome:
        environment = preloaded_environment({"LD_LIBRARY_PATH": str(runtime), **extra})
        return runs.run(self.command(runtime, *words), environment, timeout)

    def assert_ends(self, runtime: Path, *words: str, **extra: str) -> Outcome:
        outcome = self.ours(runtime, *words, **extra)
        self.assertEqual((outcome.status, outcome.stdout), (0, ENDS), outcome.describe())
        return outcome

    def test_lost_threads(self) -> None:
        if not self.preloaded:
            self.skipTest("stock hangs")
        for runtime in self.runtimes():
            for what in LOST:
                with self.subTest(runtime=runtime.name, what=what):
                    self.assertEqual(self.assert_ends(runtime, what).stderr, "")

    def test_settings(self) -> None:
        if not self.preloaded:
            self.skipTest("stock hangs")
        runtime = harness.places.runtimes / "libgomp12"
        for extra in ({"MUSTER_FORKJOIN": "on"}, {"MUSTER_FORKJOIN": "off"}, {"MUSTER_BARRIER": "native"},
                      {"MUSTER_WAIT": "block"}, {"MUSTER_LIVE": "on"}, {"OMP_NUM_THREADS": "4,1"},
                      {"OMP_PROC_BIND": "close"}, {"OMP_THREAD_LIMIT": "4"}):  # fmt: skip
            with self.subTest(**extra):
                self.assert_ends(runtime, "lost", **extra)

    def test_what_works_in_stock(self) -> None:
        for runtime in self.runtimes():
            stock_environment = base_environment({"LD_LIBRARY_PATH": str(runtime)})
            for what in WORK:
                with self.subTest(runtime=runtime.name, what=what):
                    stock = run(self.command(runtime, what), stock_environment)
                    self.assertEqual(stock.status, 0, stock.describe())
                    if self.preloaded:
                        self.assert_same(stock, self.ours(runtime, what))

    def test_native(self) -> None:
        """As without Muster: a hang. If it fails since the program ends, the tests above show nothing."""
        runtime = harness.places.runtimes / "libgomp12"
        stock = base_environment({"LD_LIBRARY_PATH": str(runtime)})
        self.assertIsNone(runs.run(self.command(runtime, "lost"), stock, HANG).status)
        if self.preloaded:
            self.assertIsNone(self.ours(runtime, "lost", timeout=HANG, MUSTER_FORK="native").status)

    def test_report(self) -> None:
        """The child's, which counts the regions, and one line of each process that has such regions."""
        if not self.preloaded:
            self.skipTest("there is no report")
        runtime = harness.places.runtimes / "libgomp12"
        reports = self.folder / "reports"
        reports.mkdir()
        extra = {"MUSTER_REPORT": str(reports / "%p.json"), "MUSTER_VERBOSE": "1"}
        outcome = self.assert_ends(runtime, "lost-grandchild", **extra)
        self.assertEqual(sum(LINE in line for line in outcome.own_lines), 4, outcome.stderr)
        counts = {int(path.stem): self.lost_regions(path) for path in reports.iterdir()}
        self.assertEqual(counts.pop(outcome.pid), 0)
        self.assertEqual(len(counts), 4)
        self.assertEqual(min(counts.values()) * 2, max(counts.values()))  # a grandchild runs half of a child's
        self.assertGreater(min(counts.values()), 20)

    def lost_regions(self, path: Path) -> int:
        rows = self.read_report(path)["fork_join"]["by_reason"]
        return sum(row["count"] for row in rows if row["reason"] == "threads lost in fork")

    def test_many(self) -> None:
        """Nothing is left behind in the parent."""
        if not self.preloaded:
            self.skipTest("stock hangs")
        self.assert_ends(harness.places.runtimes / "libgomp12", "lost-many", str(harness.places.forks))
