"""Calls of Muster's own that fail, and those that it must not make. nth_failure.py does all of the former by hand."""

from __future__ import annotations

import subprocess

import harness
import nth_failure
from harness import FaultTest, base_environment, for_both_runtimes, run

OTHERS = nth_failure.CALLS[1:]


class NthFailureTest(FaultTest):
    """Nothing that differs between runs is random: the same few numbers each time."""

    def check(
        self,
        runtime: str,
        setting: str,
        calls: tuple[str, ...],
        modes: tuple[str, ...],
        most: int,
        program: str = "constructs",
        least: int = 11,
    ) -> None:
        if not self.preloaded:
            return
        failing = nth_failure.failing_object()
        tally = nth_failure.Tally()
        for case in nth_failure.cases((program,), (runtime,), (setting,)):
            if case.call in calls:
                self.assertEqual(nth_failure.check(case, failing, most, modes, tally), [])
        self.assertGreaterEqual(tally.calls, least)


class NthFailure(NthFailureTest):
    def test_memory(self) -> None:
        for runtime in ("libgomp12", "libomp19"):
            self.check(runtime, "auto", ("mmap",), ("FAIL_NTH", "FAIL_FROM"), 3)

    def test_keys(self) -> None:
        """Without one of its keys, Muster must not end a thread after the runtime has."""
        self.check("libomp19", "on", ("key",), ("FAIL_NTH",), 3, program="elsewhere", least=3)


class NthFailureOfOthers(NthFailureTest):
    def test_on_libgomp(self) -> None:
        self.check("libgomp12", "on", OTHERS, ("FAIL_FROM",), 1)

    def test_on_libomp(self) -> None:
        self.check("libomp19", "auto", OTHERS, ("FAIL_NTH",), 1)


# muster-test: full more of the same calls
class NthFailureOfMore(NthFailureTest):
    def test_memory(self) -> None:
        for runtime in ("libgomp12", "libomp19"):
            self.check(runtime, "auto", ("mmap",), ("FAIL_NTH", "FAIL_FROM"), 10)

    def test_others(self) -> None:
        self.check("libgomp12", "on", OTHERS, ("FAIL_FROM",), 2)
        for runtime in harness.present("libomp19", "libiomp5"):
            self.check(runtime, "auto", OTHERS, ("FAIL_NTH",), 2)


class Forbidden(FaultTest):
    def passive(self, runtime: str) -> dict[str, str]:
        path = str(harness.places.runtimes / runtime)
        return base_environment({"LD_LIBRARY_PATH": path, "OMP_WAIT_POLICY": "passive"})

    def test_no_loader_nor_allocator_in_other_threads(self) -> None:
        """An invariant, not a list of cases: whatever thread is not the initial one."""
        if not self.preloaded:
            return
        forbidding = harness.places.build / "forbidding.so"
        harness.places.build.mkdir(parents=True, exist_ok=True)
        source = harness.HERE / "programs" / "forbidding.c"
        build = ["clang-19", "-O2", "-shared", "-fPIC", str(source), "-o", str(forbidding), "-ldl"]
        subprocess.run(build, check=True)
        for runtime, program in for_both_runtimes("constructs").items():
            for switch in ({}, {"MUSTER_FORKJOIN": "on"}, {"MUSTER_BARRIER": "tree"}, {"MUSTER_WAIT": "2cs+"}):
                with self.subTest(runtime=runtime, **switch):
                    environment = self.passive(runtime)
                    command = [program, "elsewhere"]
                    stock = run(command, environment)
                    environment |= {**switch, "MUSTER_REPORT": str(self.report_path)}
                    environment["LD_PRELOAD"] = f"{forbidding}:{harness.places.library}"
                    self.assert_same(stock, run(command, environment))
                    self.assert_replaced(100)
                    self.report_path.unlink()
