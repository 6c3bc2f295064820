"""Regions that lead to the runtime past Muster: by its handle, or from an object opened with RTLD_DEEPBIND.

Nested in a fold that is open, such a region would have one thread; its members wait for each other.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import objects
from loading_test import ENVIRONMENT, LoadingTest

RIGHT = "sum 400, wrong 0\n"
SETTINGS = ("auto", "off", "on")


@cache
def built(compiler: str, name: str, *flags: str) -> Path:
    output = objects.folder() / f"{name}-{compiler}"
    objects.do(compiler, "-O2", "-fopenmp", *flags, objects.PROGRAMS / "past.c", "-o", output, "-ldl")
    return output


class PastMuster(LoadingTest):
    def folded(self, compiler: str, way: str, told: bool = False) -> int:
        """Runs it with each setting, MUSTER_FORKJOIN=on the last; returns how many regions were folded."""
        program = built(compiler, "told" if told else "past", *(["-rdynamic"] if told else []))
        plain = built(compiler, "object.so", "-DOBJECT", "-shared", "-fPIC", "-Wl,-z,lazy")
        soname = "libgomp.so.1" if compiler == "gcc" else "libomp.so.5"
        for fork_join in SETTINGS:
            with self.subTest(compiler=compiler, way=way, told=told, fork_join=fork_join):
                self.report_path.unlink(missing_ok=True)
                ours = self.compare([program, way, soname, plain], {**ENVIRONMENT, "MUSTER_FORKJOIN": fork_join})
                self.assertEqual((ours.stdout, ours.status), (RIGHT, 0))
        return self.reported()["fork_join"]["folded"] if self.preloaded else 0

    def check(self, way: str, regions: int, told: bool = False) -> None:
        """All regions are folded, those that go past Muster, too."""
        for compiler in ("gcc", "clang-19"):
            folded = self.folded(compiler, way, told)
            if self.preloaded:
                self.assertGreaterEqual(folded, regions)

    def test_handle(self) -> None:
        self.check("handle", 220)

    def test_version(self) -> None:
        for compiler in ("gcc", "clang-19"):
            self.folded(compiler, "version")

    def test_object(self) -> None:
        self.check("object", 220)

    def test_lazily_bound_object(self) -> None:
        self.check("lazily", 220)

    def test_object_that_is_not_looked_up(self) -> None:
        """Its first region comes before a look-up or a region of the program."""
        self.check("object", 200, told=True)
        self.check("lazily", 200, told=True)

    def test_what_has_no_bank(self) -> None:
        """A function of an old version: nothing is folded any more."""
        self.folded("gcc", "old")
        if self.preloaded:
            report = self.reported()
            self.assertIn("reached past Muster", str(report["fork_join"]))
