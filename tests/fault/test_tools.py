"""Programs that an OMPT tool observes: it gets the runtime's events, and Muster's for the barriers that are replaced."""

from __future__ import annotations

import re
import subprocess
import unittest
from typing import Any

import harness
from harness import FaultTest, Outcome, preloaded_environment, present, program, run, shared_object

ALL_RUNTIMES = ("libomp14", "libomp16", "libomp19", "libomp21", "libiomp5")
NEW_RUNTIMES = ("libomp19", "libomp21", "libiomp5")
# Arrivals of `observed` at barriers of its own that are Muster's, at least.
REPLACED = 900


class Tools(FaultTest):
    def setUp(self) -> None:
        super().setUp()
        if harness.places.on_libgomp:
            self.skipTest("libgomp has none")

    def compare_on(self, name: str, command: str, **extra: str) -> Outcome:
        self.report_path.unlink(missing_ok=True)
        path = str(harness.places.runtimes / name)
        return self.compare([program(command)], {"LD_LIBRARY_PATH": path, **extra})

    def assert_served(self, tool: str, at_least: int = REPLACED) -> dict[str, Any]:
        report = self.assert_replaced(at_least)
        if report:
            self.assertTrue(report["runtimes"][0]["tool"].endswith(tool), report["runtimes"])
            self.assertEqual(report["regions"], 0)  # the program's own calls reached the runtime
        return report

    def test_counts_of_all_events(self) -> None:
        """Also where they came from, the threads' states, and which region and task they are of."""
        tool = str(shared_object("event_counts"))
        for name in present(*ALL_RUNTIMES):
            with self.subTest(runtime=name):
                ours = self.compare_on(name, "observed", OMP_TOOL_LIBRARIES=tool)
                self.assertIn("unbalanced 0, wrong regions 0, wrong tasks 0, wrong callbacks 0, data 42", ours.stdout)
                self.assertGreater(ours.stdout.count("sync_region"), 100)
                self.assert_served("/event_counts.so")

    def test_places_and_frames(self) -> None:
        """Whence each call came, and between which frames. The tool is in the program."""
        for name in present(*NEW_RUNTIMES):
            for switch in ({}, {"MUSTER": "off"}):
                with self.subTest(runtime=name, **switch):
                    ours = self.compare_on(name, "traced", **switch)
                    self.assertGreater(len(ours.stdout.splitlines()), 200)
                    if "MUSTER" not in switch:
                        self.assert_served("the program", 40)

    def test_archer(self) -> None:
        """A tool of others, LLVM's: what it does for ThreadSanitizer at each event is counted."""
        found = subprocess.check_output(["clang-19", "-print-file-name=libarcher.so"], text=True).strip()
        if "/" not in found:
            self.skipTest("not installed")
        counts, preload = [], str(shared_object("annotated"))
        stock, ours = harness.base_environment(), harness.base_environment()
        if self.preloaded:
            ours = preloaded_environment({"MUSTER_REPORT": str(self.report_path)})
        for environment in (stock, ours):
            environment["LD_PRELOAD"] = ":".join(filter(None, (environment.get("LD_PRELOAD"), preload)))
            outcome = run([program("observed")], environment | {"OMP_TOOL_LIBRARIES": found})
            words = re.search(r"before (\d+), after (\d+)\n", outcome.stdout)
            assert words is not None, outcome
            counts.append((int(words[1]), int(words[2])))
        self.assertGreater(counts[0][0], 3000)
        self.assertEqual(counts[0][0], counts[1][0])
        self.assertAlmostEqual(counts[0][1], counts[1][1], delta=8)  # threads that end may be late
        self.assert_served("/libarcher.so")

    def test_forked(self) -> None:
        for when, processes in (("first", 2), ("later", 2), ("inside", 1)):
            with self.subTest(when=when):
                extra = {"OMP_TOOL_LIBRARIES": str(shared_object("tool"))}
                self.compare([program("forking"), when], extra, processes=processes)
                self.report_path.unlink(missing_ok=True)

    def test_what_a_tool_registers(self) -> None:
        tool = str(shared_object("event_counts"))
        for without in ("sync", "wait"):
            with self.subTest(without=without):
                self.compare_on("libomp19", "observed", OMP_TOOL_LIBRARIES=tool, TOOL_WITHOUT=without)
                self.assert_served("/event_counts.so")

    def test_tools_that_decline(self) -> None:
        """As if there were none: regions are Muster's, too."""
        tool = str(shared_object("event_counts"))
        for name in present(*NEW_RUNTIMES):
            for without in ("start", "wish"):
                with self.subTest(runtime=name, without=without):
                    ours = self.compare_on(name, "observed", OMP_TOOL_LIBRARIES=tool, TOOL_WITHOUT=without)
                    self.assertEqual(ours.stdout.count("tool asked"), 1)
                    if report := self.assert_replaced(REPLACED):
                        self.assertIsNone(report["runtimes"][0]["tool"])
                        self.assertGreater(report["regions"], 0)

    def test_how_tools_are_found(self) -> None:
        counts, other = str(shared_object("event_counts")), str(shared_object("tool"))
        for libraries, found in (
            (f"{other}:{counts}", "/tool.so"),
            (f"/nowhere.so:{counts}", "/event_counts.so"),
        ):
            with self.subTest(libraries=libraries):
                self.compare_on("libomp19", "observed", OMP_TOOL_LIBRARIES=libraries, OMP_TOOL_VERBOSE_INIT="stdout")
                self.assert_served(found)
        for variables in ({"OMP_TOOL": "disabled"}, {"OMP_TOOL_LIBRARIES": "/nowhere.so"}):
            with self.subTest(**variables):
                ours = self.compare_on("libomp19", "observed", **{"OMP_TOOL_LIBRARIES": counts} | variables)
                self.assertNotIn("tool asked", ours.stdout)
                self.assert_replaced(REPLACED)

    def test_preloaded(self) -> None:
        tool = str(shared_object("event_counts"))
        stock = run([program("observed")], harness.base_environment({"LD_PRELOAD": tool}))
        for order in ("{tool}:{muster}", "{muster}:{tool}") if self.preloaded else ():
            with self.subTest(order=order):
                environment = preloaded_environment({"MUSTER_REPORT": str(self.report_path)})
                environment["LD_PRELOAD"] = order.format(tool=tool, muster=environment["LD_PRELOAD"])
                self.assert_same(stock, run([program("observed")], environment))
                self.assert_served("/event_counts.so")
                self.report_path.unlink()

    def test_each_barrier_and_policy(self) -> None:
        tool = str(shared_object("event_counts"))
        for setting in ({"MUSTER_BARRIER": "tree"}, {"MUSTER_WAIT": "block"}, {"MUSTER_SITES": "on"}):
            with self.subTest(**setting):
                self.compare_on("libomp19", "observed", OMP_TOOL_LIBRARIES=tool, **setting)
                self.assert_served("/event_counts.so")
        self.compare_on("libomp19", "observed", OMP_TOOL_LIBRARIES=tool, MUSTER_BARRIER="native")
        if self.preloaded:
            self.assertEqual(self.read_report()["barriers"]["replaced"], 0)

    def test_runtime_that_is_opened_late(self) -> None:
        """Its tool may have been started before Muster knew of it."""
        command = [harness.program_without_openmp("late_open"), shared_object("plugin")]
        extra = {"OMP_TOOL_LIBRARIES": str(shared_object("event_counts"))}
        for name in present("libomp14", "libomp19", "libiomp5"):
            with self.subTest(runtime=name):
                self.compare(command, extra | {"LD_LIBRARY_PATH": str(harness.places.runtimes / name)})
                self.report_path.unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main()
