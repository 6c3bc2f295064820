"""Other preloads, before Muster and after it, and programs built with sanitizers (docs/use/profilers.md)."""

from __future__ import annotations

import ctypes.util
from pathlib import Path

import harness
import objects
from harness import base_environment, run
from loading_test import ENVIRONMENT, LoadingTest
from objects import Runtime, libgomp, llvm, llvms

from lab.runs import Outcome

LLVM_RUNTIMES = ("libomp19", "libiomp5")


def runtimes() -> list[Runtime]:
    return [libgomp(), *llvms(*LLVM_RUNTIMES)]


class PreloadTest(LoadingTest):
    def preloaded_with(self, others: list[Path | str], command: list[Path | str], muster_at: int) -> Outcome:
        """With the others and, unless -1, Muster in its place among them."""
        preloads = [str(other) for other in others]
        if muster_at >= 0 and harness.places.library is not None:
            preloads.insert(muster_at, str(harness.places.library))
        environment = base_environment(ENVIRONMENT)
        environment |= {"LD_PRELOAD": ":".join(preloads), "MUSTER_REPORT": str(self.report_path)}
        self.report_path.unlink(missing_ok=True)
        # ThreadSanitizer reports races in stock, too: it knows neither runtime's barriers.
        environment |= {"WRAPPER_TELLS": "1", "TSAN_OPTIONS": "exitcode=0 report_bugs=0"}
        return run([str(word) for word in command], environment)

    def compare_orders(
        self, others: list[Path | str], command: list[Path | str], orders: tuple[int, ...], is_replaced: bool = True
    ) -> None:
        stock = self.preloaded_with(others, command, -1)
        self.assertEqual(stock.status, 0, stock)
        for place in orders:
            with self.subTest(place=place):
                ours = self.preloaded_with(others, command, place)
                self.assertEqual((ours.status, ours.stdout), (0, stock.stdout), ours.stderr)
                if self.preloaded and is_replaced:
                    self.assertGreater(self.reported()["barriers"]["replaced"], 1000)
                if place > 0:  # a preload before Muster sees every call
                    self.assertEqual(ours.other_lines, stock.stderr.splitlines())


class Preloads(PreloadTest):
    def test_wrapper(self) -> None:
        for runtime in runtimes():
            with self.subTest(runtime=runtime.name):
                self.compare_orders([objects.wrapper()], [objects.whole(runtime)], (0, 1))
                self.assert_runtimes(runtime)

    def test_jemalloc(self) -> None:
        jemalloc = ctypes.util.find_library("jemalloc")
        if jemalloc is None:
            self.skipTest("no libjemalloc2 here")
        for runtime in runtimes():
            with self.subTest(runtime=runtime.name):
                self.compare_orders([jemalloc], [objects.whole(runtime)], (0, 1))
                self.assert_runtimes(runtime)

    def test_all_at_once(self) -> None:
        jemalloc = ctypes.util.find_library("jemalloc")
        others = [*([jemalloc] if jemalloc else []), objects.wrapper()]
        for runtime in runtimes():
            with self.subTest(runtime=runtime.name):
                self.compare_orders(others, [objects.whole(runtime)], (0, len(others)))


class Sanitizers(PreloadTest):
    def test_address_of_gcc(self) -> None:
        """Its library must be the first preload; else it prints an error and ends the program."""
        program = objects.whole(libgomp(), "-fsanitize=address")
        library = objects.do(objects.GCC, "-print-file-name=libasan.so").strip()
        self.compare_orders([Path(library).resolve()], [program], (1,))
        if self.preloaded:
            wrong = self.preloaded_with([], [program], 0)
            self.assertNotEqual(wrong.status, 0)
            self.assertIn("ASan runtime does not come first", wrong.stderr)

    def test_those_in_the_program(self) -> None:
        """clang's are linked into it; and gcc's for undefined behaviour minds no order."""
        clang = llvm("libomp19")
        for program in (
            objects.whole(clang, "-fsanitize=address"),
            objects.whole(clang, "-fsanitize=undefined", "-fno-sanitize-recover=undefined"),
            objects.whole(libgomp(), "-fsanitize=undefined", "-fno-sanitize-recover=undefined"),
        ):
            with self.subTest(program=program.name):
                self.compare_orders([], [program], (0,))

    def test_thread(self) -> None:
        """It would not see what Muster's barriers order, so they stay the runtime's."""
        for runtime in (llvm("libomp19"), libgomp()):
            with self.subTest(runtime=runtime.name):
                program = objects.whole(runtime, "-fsanitize=thread")
                self.compare_orders([], [program], (0,), is_replaced=False)
                if self.preloaded:
                    self.assertEqual(self.reported()["barriers"]["replaced"], 0)
