"""Calls whose return address is not in the object that makes them: a function that ends with a call jumps to it.

The callers are the program, libffi, the loader, and code in no object. The objects are on runtimes of their own.
"""

from __future__ import annotations

import platform
import sys
from itertools import permutations, product
from pathlib import Path

import objects
from harness import preloaded_environment, run
from loading_test import ENVIRONMENT, LoadingTest
from objects import Runtime, libgomp, llvms
from test_together import MARK

# For callers.c: a function that calls its first argument with its second one.
CODES = {
    # mov rdi, rax; mov rsi, rdi; sub 8, rsp; call *rax; add 8, rsp; ret
    "x86_64": "4889f84889f74883ec08ffd04883c408c3",
    # stp x29, x30, [sp, -16]!; mov x9, x0; mov x0, x1; blr x9; ldp x29, x30, [sp], 16; ret
    "aarch64": "fd7bbfa9e90300aae00301aa20013fd6fd7bc1a8c0035fd6",
}
CODE = {"CODE": code} if (code := CODES.get(platform.machine())) else {}
HOW = ("program", "libffi", *(["memory"] if CODE else []))
SETTINGS = ({}, {"MUSTER_FORKJOIN": "on"}, {"MUSTER_FORKJOIN": "off"})
FEW = {**ENVIRONMENT, **CODE, "OMP_NUM_THREADS": "3"}


def command(how: str, *files: Path) -> list[str | Path]:
    if how == "libffi":
        shared = objects.callers("-shared", "-fPIC")
        return [sys.executable, objects.PROGRAMS / "callers.py", shared, *files]
    return [objects.callers("-pthread"), how, *files]


def pairs() -> list[tuple[Runtime, ...]]:
    return [(libgomp(), libgomp(MARK)), *permutations([libgomp(MARK), *llvms("libomp19", "libiomp5")], 2)]


class Callers(LoadingTest):
    def compare_callers(self, how: str, files: list[Path], **extra: str) -> None:
        for setting in SETTINGS:
            with self.subTest(how=how, setting=setting):
                self.report_path.unlink(missing_ok=True)
                ours = self.compare(command(how, *files), {**FEW, **setting, **extra})
                self.assertEqual(ours.stdout, "wrong: 0\n")
                self.assert_replaced(100)
        if self.preloaded:
            off = run(command(how, *files), preloaded_environment({**FEW, **extra, "MUSTER": "off"}))
            self.assertEqual((off.status, off.stdout, off.stderr), (0, "wrong: 0\n", ""))

    def test_each_has_its_runtime(self) -> None:
        for how, pair in product(HOW, pairs()):
            with self.subTest(how=how, pair=[runtime.name for runtime in pair]):
                self.compare_callers(how, [objects.jumping(runtime) for runtime in pair])
                self.assert_runtimes(*pair)

    def test_loader(self) -> None:
        """Constructors end with calls, so the loader is the caller. An object is opened between the two."""
        for how, pair in product(HOW, pairs()):
            with self.subTest(how=how, pair=[runtime.name for runtime in pair]):
                first, second = pair
                files = [objects.jumping(first, 5), objects.jumping(second, 4)]
                self.compare_callers(how, files, SIZES_AT_LOAD="54")

    def test_are_looked_up_once(self) -> None:
        """However often they call: all members of a team may be the first to call a name."""
        if not self.preloaded:
            self.skipTest("nothing is counted")
        for how, runtime in product((*HOW, *(["pointers"] if CODE else [])), [libgomp(MARK), *llvms("libomp19", "libiomp5")]):
            with self.subTest(how=how, runtime=runtime.name):
                file = objects.jumping(runtime, 3)
                environment = {**FEW, "REPETITIONS": "100", "MUSTER_REPORT": str(self.report_path)}
                self.report_path.unlink(missing_ok=True)
                ours = run(command(how, file), preloaded_environment(environment))
                self.assertEqual((ours.status, ours.stdout), (0, "wrong: 0\n"), ours.stderr)
                names = 30  # the object calls fewer
                self.assertLess(self.reported()["calls_looked_up"], names * 3, ours.stderr)
