"""Ways to be loaded: without OpenMP, late, twice, beside a tool, with consistency checks."""

from __future__ import annotations

import shutil

import harness
from harness import (
    FaultTest,
    base_environment,
    preloaded_environment,
    program,
    program_without_openmp,
    run,
    shared_object,
)


class Loading(FaultTest):
    def test_no_openmp(self) -> None:
        own = program_without_openmp("no_openmp")
        for command in (["/bin/true"], ["/bin/false"], ["/bin/echo", "words"], [own]):
            with self.subTest(command=str(command[0])):
                stock = run(command, base_environment())
                extra = {"MUSTER_REPORT": str(self.report_path), "MUSTER_BARRIER": "nonsense"}
                ours = run(command, preloaded_environment(extra), self.folder)
                self.assertEqual(ours, stock)
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_late_dlopen(self) -> None:
        self.compare([program_without_openmp("late_open"), shared_object("plugin")])
        self.assert_replaced(100)

    def test_regions_in_a_constructor(self) -> None:
        """The thread that loads holds the loader's lock: the team's other threads must not want it."""
        command = [program_without_openmp("late_open"), shared_object("constructed")]
        for name in ("libomp19", "libomp21", "libiomp5"):
            for switch in ({}, {"MUSTER": "off"}, {"MUSTER_FORKJOIN": "on"}):
                with self.subTest(runtime=name, **switch):
                    path = str(harness.places.runtimes / name)
                    self.compare(command, {"LD_LIBRARY_PATH": path, **switch})
                    if "MUSTER" not in switch:
                        self.assert_replaced(100)
                    self.report_path.unlink(missing_ok=True)  # of this run, and no other

    def test_two_copies(self) -> None:
        if not self.preloaded:
            return
        environment = preloaded_environment({"MUSTER_REPORT": str(self.report_path)})
        copy = self.folder / "copy" / "libmuster.so"
        copy.parent.mkdir()
        shutil.copyfile(environment["LD_PRELOAD"], copy)
        for first, second in (
            (environment["LD_PRELOAD"], str(copy)),
            (str(copy), environment["LD_PRELOAD"]),
        ):
            with self.subTest(first=first):
                self.report_path.unlink(missing_ok=True)
                command = [program("team")]
                ours = run(command, environment | {"LD_PRELOAD": f"{first}:{second}"})
                self.assert_same(run(command, base_environment()), ours)
                self.assert_replaced(100)

    def test_listed_twice(self) -> None:
        if not self.preloaded:
            return
        environment = preloaded_environment({"MUSTER_REPORT": str(self.report_path)})
        environment["LD_PRELOAD"] = f"{environment['LD_PRELOAD']}:{environment['LD_PRELOAD']}"
        command = [program("team")]
        self.assert_same(run(command, base_environment()), run(command, environment))
        self.assert_replaced(100)

    def test_ompt_tool(self) -> None:
        if harness.places.on_libgomp:
            self.skipTest("libgomp has none")
        extra = {"OMP_TOOL_LIBRARIES": str(shared_object("tool"))}
        ours = self.compare([program("team")], extra)
        self.assertTrue(ours.stdout.startswith("tool started\n"), ours.stdout)
        self.assert_inactive("OMPT tool")

    def test_ompt_tool_sees_the_program(self) -> None:
        """Whence each call came, and between which frames: as if nothing stood between program and runtime."""
        if harness.places.on_libgomp:
            self.skipTest("libgomp has none")
        for name in ("libomp19", "libomp21", "libiomp5"):
            for switch in ({}, {"MUSTER": "off"}):
                with self.subTest(runtime=name, **switch):
                    path = str(harness.places.runtimes / name)
                    ours = self.compare([program("traced")], {"LD_LIBRARY_PATH": path, **switch})
                    self.assertGreater(len(ours.stdout.splitlines()), 200)
                    if "MUSTER" not in switch:
                        self.assert_inactive("OMPT tool")
                    self.report_path.unlink(missing_ok=True)

    def test_ompt_tool_disabled(self) -> None:
        extra = {"OMP_TOOL_LIBRARIES": str(shared_object("tool")), "OMP_TOOL": "disabled"}
        self.compare([program("team")], extra)
        self.assert_replaced(100)

    def test_consistency_check(self) -> None:
        if harness.places.on_libgomp:
            self.skipTest("libgomp has none")
        self.compare([program("team")], {"KMP_CONSISTENCY_CHECK": "all"})
        self.assert_inactive("consistency check")

    def test_switched_off(self) -> None:
        self.compare([program("team")], {"MUSTER": "off"})
        if self.preloaded and self.report_path.exists():
            self.assertEqual(self.read_report()["barriers"]["replaced"], 0)

    def test_every_runtime_is_found_late(self) -> None:
        command = [program_without_openmp("late_open"), shared_object("plugin")]
        for name in ("libomp14", "libomp16", "libomp21", "libiomp5"):
            with self.subTest(runtime=name):
                path = harness.places.runtimes / name
                self.compare(command, {"LD_LIBRARY_PATH": str(path)})
                self.assert_replaced(100)
