"""How processes end, multiply and become others: the same status as stock."""

from __future__ import annotations

import harness
from harness import FaultTest, base_environment, preloaded_environment, program, run

# Programs that end by `exit` or _exit inside a region, and the like.
WAYS = ("_exit", "abort", "raise", "quick_exit", "exit")
WHERE = ("primary", "worker", "outside")


class Endings(FaultTest):
    def test_every_way_to_end(self) -> None:
        for how in WAYS:
            for where in WHERE:
                with self.subTest(how=how, where=where):
                    self.report_path.unlink(missing_ok=True)
                    self.compare([program("ending"), how, where], status=None)
                    if self.report_path.exists():
                        self.read_report()
                    self.assertLessEqual(set(self.folder.iterdir()), {self.report_path})

    def test_exit_outside_reports(self) -> None:
        self.compare([program("ending"), "exit", "outside"], status=3)
        self.assert_replaced(40)

    def test_report_is_written_after_a_plain_return(self) -> None:
        self.compare([program("ending"), "return", "outside"], status=6)
        self.assert_replaced(40)

    def test_fork(self) -> None:
        # libgomp has no regions in the child of a process that had some.
        for when in ("first", "inside") if harness.places.on_libgomp else ("first", "later", "inside"):
            for policy in ("auto", "block"):
                with self.subTest(when=when, policy=policy):
                    processes = 1 if when == "inside" else 2
                    extra = {"MUSTER_WAIT": policy}
                    self.compare([program("forking"), when], extra, processes=processes)
                    self.assert_replaced(60)

    def test_fork_child_has_its_own_report(self) -> None:
        if harness.places.on_libgomp:
            self.skipTest("libgomp has no regions in the child of a process that had some")
        pattern = self.folder / "report-%p.json"
        extra = {"MUSTER_REPORT": str(pattern)}
        ours = run([program("forking"), "later"], preloaded_environment(extra))
        self.assertEqual(ours.status, 0)
        if not self.preloaded:
            return
        reports = [self.read_report(path) for path in self.folder.iterdir()]
        # The child did 30 rounds of its own, the parent 90; none is counted twice.
        replaced = sorted(report["barriers"]["replaced"] for report in reports)
        self.assertEqual(replaced, [30 * 2 * 4, 90 * 2 * 4])

    def test_exec(self) -> None:
        self.compare([program("executing"), program("team")])
        self.assert_replaced(100)

    def test_exec_of_a_program_without_openmp(self) -> None:
        stock = run([program("executing"), "/bin/true"], base_environment())
        extra = {"MUSTER_REPORT": str(self.report_path)}
        ours = run([program("executing"), "/bin/true"], preloaded_environment(extra))
        self.assert_same(stock, ours)
