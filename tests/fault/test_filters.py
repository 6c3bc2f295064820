"""Seccomp filters that end a process for a system call that stock does not make."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from harness import (
    HERE,
    FaultTest,
    base_environment,
    on_libgomp,
    places,
    program,
    program_without_openmp,
    run,
    run_stock,
)

from lab.runs import Outcome

CANNOT = 77  # the programs' status where no filter can be installed
NOT_LOADED = 127
NAMES = re.findall(r"CALL\((\w+)\)[,}]", (HERE / "programs" / "filtering.c").read_text())
ACTIONS = ("kill-process", "kill-thread", "trap", "errno", "log")
ENDING = ACTIONS[:3]
LATER = ("prctl", "syscall", "inside", "thread")
OTHERS = "other system calls"
NOTED = {
    "membarrier": "membarrier",
    "sched_setattr": "sched_setattr slice",
    "sched_getattr": "sched_setattr slice",
    "sched_getscheduler": OTHERS,
    "statx": OTHERS,
}
INSTALLED = "system calls after a filter"


class Filters(FaultTest):
    of_gcc = False

    def missing(self, calls: str, action: str, when: str, *, as_stock: bool = False) -> dict[str, Any] | None:
        """What the report lists as missing. None where there is none: stock itself ends, or no child can be waited for."""
        command: list[str | Path] = [program("filtering", self.of_gcc or None), calls, action, when]
        extra = {"MUSTER_SLICE": "auto"} | (on_libgomp() if self.of_gcc else {})
        stock = run_stock(command, extra)
        if stock.status == CANNOT:
            self.skipTest("no seccomp filter can be installed here")
        if as_stock and stock.status == NOT_LOADED:
            return None
        self.compare(command, extra, None if as_stock else 0)
        if stock.status != 0 or not self.preloaded or (as_stock and not self.report_path.exists()):
            return None
        found = {entry["what"]: entry for entry in self.assert_replaced(100)["missing"]}
        self.report_path.unlink()
        return found

    def assert_error(self, missing: dict[str, Any] | None, what: str, error: str | None) -> None:
        if self.preloaded:
            self.assertIn(what, missing or {})
            self.assertEqual((missing or {})[what]["error"], error, missing)

    def test_from_the_start(self) -> None:
        for call, what in NOTED.items():
            with self.subTest(call=call):
                self.assert_error(self.missing(call, "kill-process", "before"), what, "ECANCELED")

    def test_each_action_from_the_start(self) -> None:
        for action in ENDING[1:]:
            with self.subTest(action=action):
                self.assert_error(self.missing("membarrier", action, "before"), "membarrier", "ECANCELED")
        self.assert_error(self.missing("membarrier", "errno", "before"), "membarrier", "EPERM")
        self.assertNotIn("membarrier", self.missing("membarrier", "log", "before") or {})

    def test_no_child_can_be_waited_for(self) -> None:
        """Then all count as missing, what the report needs among them."""
        self.assertIsNone(self.missing("wait4", "kill-process", "before", as_stock=True))

    def test_installed_later(self) -> None:
        for when in LATER:
            with self.subTest(when=when):
                self.assert_error(self.missing("all", "kill-process", when), INSTALLED, None)

    def test_each_action_later(self) -> None:
        for action in ACTIONS[1:]:
            with self.subTest(action=action):
                self.assert_error(self.missing("all", action, "syscall"), INSTALLED, None)

    # muster-test: full 800 pairs of runs
    def test_all_of_them(self) -> None:
        for call in NAMES:
            if call == "sched_yield" and not self.of_gcc and not places.on_libgomp:
                continue  # libomp calls it now and then
            for action in ACTIONS:
                for when in ("before", *LATER):
                    with self.subTest(call=call, action=action, when=when):
                        missing = self.missing(call, action, when, as_stock=True)
                        if missing is not None and when != "before":
                            self.assert_error(missing, INSTALLED, None)

    # muster-test: full competitors are noticed when the scheduler lets them be
    # muster-test: alone it starts CPU hogs
    def test_beside_hogs(self) -> None:
        """Threads that are being moved, or have a time slice of Muster's, are as before when the filter comes."""
        self.start_hogs()
        for when in LATER * 10:
            with self.subTest(when=when):
                self.assert_error(self.missing("all", "kill-process", when), INSTALLED, None)


class FiltersOnLibgomp(Filters):
    of_gcc = True


class Command(FaultTest):
    def run_denied(self, call: str, *words: str | Path) -> Outcome:
        denying = program_without_openmp("denying")
        outcome = run([denying, call, "kill", places.build.parents[1] / "bin" / "muster", *words], base_environment())
        if outcome.status == CANNOT:
            self.skipTest("no seccomp filter can be installed here")
        return outcome

    def test_doctor_tells(self) -> None:
        for call, row in (("membarrier", "membarrier (ECANCELED)"), ("sched_setaffinity", "sched_setaffinity (ECANCELED)")):
            with self.subTest(call=call):
                told = self.run_denied(call, "doctor", program("team"))
                self.assertEqual(told.status, 0, told.stdout)
                self.assertIn(row, told.stdout)

    def test_run_tells(self) -> None:
        ran = self.run_denied("membarrier", "run", "--", program("team"), "20")
        self.assertEqual((ran.status, ran.stdout), (0, "team: checksum 4, ok\n"))
        self.assertEqual(ran.stderr, "muster run: a filter would end the program for membarrier: Muster does without\n")
