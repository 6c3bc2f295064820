"""Ways to be loaded: without OpenMP, late, twice, beside a tool, with consistency checks."""

from __future__ import annotations

import platform
import shutil
import unittest

import harness
from harness import (
    FaultTest,
    base_environment,
    for_both_runtimes,
    preloaded_environment,
    present,
    program,
    program_without_openmp,
    run,
    shared_object,
)

LIBOMP_RUNTIMES = ("libomp14", "libomp16", "libomp19", "libomp21", "libiomp5")


class Constructors(FaultTest):
    """A thread that opens an object holds the loader's lock while its constructors run: no other thread may need that lock."""

    def check(self, how: str, runtimes: tuple[str, ...], threads: str = "12", **extra: str) -> None:
        libraries = for_both_runtimes("orphaned", "-shared", "-fPIC")
        host = program_without_openmp("late_open")
        for runtime in runtimes:
            # None of the library's barriers has been called before: it has never forked.
            library = libraries[runtime]
            linked = ("-shared", "-fPIC", library, f"-Wl,-rpath,{library.parent}")
            plugin = for_both_runtimes("in_constructor", *linked)[runtime]
            for fold in ("auto", "on"):
                with self.subTest(runtime=runtime, fold=fold):
                    environment = {
                        "IN_CONSTRUCTOR": how,
                        "LD_LIBRARY_PATH": str(harness.places.runtimes / runtime),
                        "OMP_NUM_THREADS": threads,
                        "OMP_WAIT_POLICY": "passive",
                        "MUSTER_FORKJOIN": fold,
                    }
                    self.compare([host, plugin], environment | extra)
                    self.assert_replaced(6 * 11 * (int(threads) - 1))

    def test_region(self) -> None:
        self.check("region", ("libgomp12", "libomp19"))

    def test_barriers_of_a_library(self) -> None:
        self.check("library", ("libgomp12", "libomp19"))

    def test_regions_of_a_thread(self) -> None:
        """libomp asks the loader for a tool when it starts: it hangs in such a thread by itself."""
        self.check("thread", ("libgomp12",), "4")
        self.check("getters", ("libgomp12",), "4")

    def test_each_waiting_policy(self) -> None:
        for policy in ("2cs+", "block"):
            self.check("region", ("libgomp12",), "4", MUSTER_WAIT=policy)


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
        for name in present("libomp19", "libomp21", "libiomp5"):
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

    def test_consistency_check(self) -> None:
        if harness.places.on_libgomp:
            self.skipTest("libgomp has none")
        self.compare([program("team")], {"KMP_CONSISTENCY_CHECK": "all"})
        self.assert_inactive("consistency check")

    @unittest.skipUnless(platform.machine() == "x86_64", "the program writes its machine code")
    def test_calls_from_code_of_no_object(self) -> None:
        for runtime, command in for_both_runtimes("jitted").items():
            for fork_join in ("auto", "on", "off"):
                with self.subTest(runtime=runtime, fork_join=fork_join):
                    path = str(harness.places.runtimes / runtime)
                    self.compare([command], {"LD_LIBRARY_PATH": path, "MUSTER_FORKJOIN": fork_join})
                    self.assert_replaced(1000)
                    self.report_path.unlink(missing_ok=True)

    def test_other_watchers(self) -> None:
        """A collector that is asked for, a tool that is not, and a check that is off."""
        if harness.places.on_libgomp:
            self.skipTest("libgomp has none")
        for name in ("INTEL_LIBITTNOTIFY64", "INTEL_LIBITTNOTIFY32"):
            self.compare([program("team")], {name: "nowhere.so"})
            self.assert_inactive("ITT")
            self.report_path.unlink(missing_ok=True)
        self.compare([program("team")], {"OMP_TOOL": "enabled", "KMP_CONSISTENCY_CHECK": "none", "INTEL_LIBITTNOTIFY64": ""})
        self.assert_replaced(100)

    def test_runtime_before_muster(self) -> None:
        """It gets every call; nothing is replaced."""
        if not self.preloaded:
            return
        environment = preloaded_environment({"MUSTER_REPORT": str(self.report_path)})
        environment["LD_PRELOAD"] = f"libomp.so.5:{environment['LD_PRELOAD']}"
        self.assert_same(run([program("team", False)], base_environment()), run([program("team", False)], environment))
        self.assertEqual(self.read_report()["barriers"]["replaced"], 0)

    def test_switched_off(self) -> None:
        self.compare([program("team")], {"MUSTER": "off"})
        if self.preloaded and self.report_path.exists():
            self.assertEqual(self.read_report()["barriers"]["replaced"], 0)

    def test_every_runtime_is_found_late(self) -> None:
        command = [program_without_openmp("late_open"), shared_object("plugin")]
        for name in present(*LIBOMP_RUNTIMES):
            with self.subTest(runtime=name):
                path = harness.places.runtimes / name
                self.compare(command, {"LD_LIBRARY_PATH": str(path)})
                self.assert_replaced(100)
