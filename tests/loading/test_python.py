"""OpenMP inside Python: processes that fork from threaded parents, signals, the interpreter's end, import orders."""

from __future__ import annotations

import sys
from pathlib import Path

import harness
import objects
from harness import base_environment, preloaded_environment, run
from loading_test import ENVIRONMENT, FORK_JOIN, LoadingTest
from objects import Runtime, libgomp, llvm, llvms
from test_together import MARK

from lab.runs import Outcome

LLVM_RUNTIMES = ("libomp19", "libiomp5")


def runtimes() -> list[Runtime]:
    return [libgomp(MARK), *llvms(*LLVM_RUNTIMES)]


class Python(LoadingTest):
    def script(self, name: str, *arguments: str | Path, status: int = 0, processes: int = 1, **extra: str) -> Outcome:
        self.report_path.unlink(missing_ok=True)
        command: list[str | Path] = [sys.executable, objects.PROGRAMS / f"{name}.py", *arguments]
        return self.compare(command, {**ENVIRONMENT, **extra}, status=status, processes=processes)

    def test_start_methods(self) -> None:
        """fork: libgomp's children hang in stock if the parent has used a team, so it has used one of one."""
        for runtime in runtimes():
            for method in ("fork", "spawn", "forkserver"):
                threads = "1" if runtime.is_libgomp and method == "fork" else "3"
                with self.subTest(runtime=runtime.name, method=method):
                    plugin = objects.plugin(runtime)
                    self.script("forking", method, threads, plugin, processes=5, MUSTER_FORKJOIN="on")
                    self.assert_runtimes(runtime)

    def test_fork_after_a_team(self) -> None:
        """libgomp's children, where the parent has used a team: with Muster they end."""
        if not self.preloaded:
            self.skipTest("stock hangs")
        plugin = objects.plugin(libgomp(MARK))
        command = [sys.executable, objects.PROGRAMS / "forking.py", "fork", "3", plugin]
        for fork_join in FORK_JOIN:
            with self.subTest(fork_join=fork_join):
                ours = run(command, preloaded_environment({**ENVIRONMENT, "MUSTER_FORKJOIN": fork_join}))
                self.assertEqual((ours.status, ours.stderr), (0, ""), ours.describe())
                self.assertIn("[True, True, True]", ours.stdout)

    def test_packages(self) -> None:
        """The same in packages that bring libgomp, with the numbers that one thread finds out in stock."""
        if not self.preloaded or harness.places.python is None:
            self.skipTest("needs --python")
        for package in ("numpy", "sklearn", "lightgbm", "faiss"):
            with self.subTest(package=package):
                command = [harness.places.python, objects.PROGRAMS / "packages.py", package]
                stock = run(command, base_environment({**ENVIRONMENT, "OMP_NUM_THREADS": "1"}))
                ours = run(command, preloaded_environment(ENVIRONMENT))
                self.assertEqual((stock.status, ours.status), (0, 0), f"{stock.describe()} {ours.describe()}")
                self.assertEqual(ours.stdout, stock.stdout)

    def test_workers(self) -> None:
        for runtime in runtimes():
            with self.subTest(runtime=runtime.name):
                self.script("workers", objects.plugin(runtime), processes=3)

    def test_signals(self) -> None:
        """Ctrl-C waits for the region's end and interrupts the program then; SIGTERM ends it at once."""
        for runtime in (libgomp(MARK), llvm("libomp19")):
            plugin = objects.plugin(runtime)
            for fork_join in FORK_JOIN:
                for where, status in (("region", 0), ("serial", -2)):
                    with self.subTest(runtime=runtime.name, signal="SIGINT", where=where, fork_join=fork_join):
                        result = self.script(
                            "signalled", "SIGINT", where, plugin, status=status, MUSTER_FORKJOIN=fork_join
                        )
                        self.assertIn("interrupted\nTrue\n", result.stdout)
            for where in ("region", "serial"):
                with self.subTest(runtime=runtime.name, signal="SIGTERM", where=where):
                    self.script("signalled", "SIGTERM", where, plugin, status=-15, MUSTER_FORKJOIN="on")

    def test_ends(self) -> None:
        for runtime in runtimes():
            for how, status in (("live", 0), ("error", 3), ("handlers", 0)):
                with self.subTest(runtime=runtime.name, how=how):
                    self.script("ending", how, objects.plugin(runtime), status=status, MUSTER_FORKJOIN="on")

    def test_import_orders(self) -> None:
        """Two modules, each with a runtime of its own, either one first."""
        modules = [objects.plugin(libgomp(MARK)), objects.plugin(llvm("libomp19"))]
        for order in (modules, modules[::-1]):
            with self.subTest(first=order[0].name):
                self.script("ending", "handlers", *order)
                self.script("ending", "live", *order)
                self.assert_runtimes(libgomp(MARK), llvm("libomp19"))
