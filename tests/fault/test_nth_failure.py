"""Calls of Muster's own that fail, and those that it must not make. nth_failure.py does all of the former by hand."""

from __future__ import annotations

import subprocess

import harness
import nth_failure
from harness import FaultTest, base_environment, for_both_runtimes, run


class NthFailure(FaultTest):
    """Nothing that differs between runs is random: the same few numbers each time."""

    MOST = {"mmap": 10, "key": 3}

    def check(
        self,
        runtime: str,
        setting: str,
        calls: tuple[str, ...],
        modes: tuple[str, ...],
        program: str = "constructs",
        least: int = 11,
    ) -> None:
        if not self.preloaded:
            return
        failing = nth_failure.failing_object()
        tally = nth_failure.Tally()
        for case in nth_failure.cases((program,), (runtime,), (setting,)):
            if case.call in calls:
                most = self.MOST.get(case.call, 2)
                self.assertEqual(nth_failure.check(case, failing, most, modes, tally), [])
        self.assertGreaterEqual(tally.calls, least)

    def test_memory(self) -> None:
        for runtime in ("libgomp12", "libomp19"):
            self.check(runtime, "auto", ("mmap",), ("FAIL_NTH", "FAIL_FROM"))

    def test_others(self) -> None:
        self.check("libgomp12", "on", nth_failure.CALLS[1:], ("FAIL_FROM",))
        self.check("libiomp5", "auto", nth_failure.CALLS[1:], ("FAIL_NTH",))

    def test_keys(self) -> None:
        """Without one of its keys, Muster must not end a thread after the runtime has."""
        self.check("libomp19", "on", ("key",), ("FAIL_NTH",), program="elsewhere", least=3)


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
