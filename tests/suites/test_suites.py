"""The runner's own logic: lit's lines, DejaGnu's directives, the table, and one small suite from end to end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from case import Case, Suite  # noqa: E402
from directives import read_directives  # noqa: E402
from executing import CaseRun, Places, execute, write_programs  # noqa: E402
from recipes import libgomp_cases, libomp_cases, program_cases  # noqa: E402
from run import check, repeat, sampled  # noqa: E402
from run_lines import script_of, substituted  # noqa: E402
from table import CaseResult, Rates, row_of, summary, verdict  # noqa: E402

LIBRARY = Path(os.environ["MUSTER_LIBRARY"])

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 10; ++i) {
#pragma omp barrier
    sum += 1;
  }
  printf("%d\\n", sum);
  return sum != 20 || (getenv("FAILS_PRELOADED") && getenv("LD_PRELOAD"));
}
"""


class TestCase(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-suites-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class RunLines(TestCase):
    def test_lines_go_on_behind_a_backslash(self) -> None:
        script = script_of(["// RUN: %libomp-compile && \\", "// RUN:   %libomp-run", "// RUN: true", "int x;"])
        self.assertEqual(script, "{ %libomp-compile && %libomp-run; } &&\n{ true; }")

    def test_only_the_program_is_preloaded(self) -> None:
        for word in ("%libomp-compile-and-run", "%libomp-cxx20-compile-and-run", "%libomp-compile && env A=1 %libomp-run"):
            text = substituted(f"{word} | %sort-threads | FileCheck %s", Path("/s/a.c"), Path("/s"), "-x")
            self.assertEqual(text.count("muster_run"), 1, text)
            self.assertRegex(text, r"-o \$PWD/t -lm && (env A=1 )?muster_run \$PWD/t \| sort -n -s \| tee t.out \| FileCheck-19 /s/a.c")
            self.assertNotIn("%", text)


class DejaGnu(TestCase):
    def test_directives(self) -> None:
        source = self.write("a.c", "\n".join((
            "/* { dg-do run } */",
            '/* { dg-options "-O3 -std=c99" } */',
            '/* { dg-additional-options "-mno" { target no_such } } */',
            '/* { dg-additional-options "-Dc" { target c } } */',
            '/* { dg-additional-options "-Dcpp" { target c++ } } */',
            '// { dg-set-target-env-var OMP_PLACES "threads" }',
            "/* { dg-shouldfail \"\" } */",
        )))  # fmt: skip
        found = read_directives(source)
        self.assertEqual((found.action, found.options), ("run", ["-O3", "-std=c99", "-Dc"]))
        self.assertEqual(found.environment, {"OMP_PLACES": "threads"})
        self.assertTrue(found.must_fail)
        self.assertFalse(found.only_elsewhere)
        self.assertIn("-Dcpp", read_directives(source, cpp=True).options)

    def test_what_is_left_out(self) -> None:
        for text in ("{ dg-do compile }", "{ dg-do run { target alpha*-*-* } }", "{ dg-require-effective-target offload_device }",
                     '{ dg-skip-if "" { *-*-* } }'):  # fmt: skip
            self.write("testsuite/libgomp.c/a.c", f"/* {text} */")
            self.assertEqual(libgomp_cases(self.folder), [], text)
        self.write("testsuite/libgomp.c/a.c", "int main(void) { return 0; }")
        self.assertEqual([case.name for case in libgomp_cases(self.folder)], ["libgomp.c/a.c"])


class Table(TestCase):
    def result(self, passes: bool, replaced: int = 0, stock: bool = True) -> CaseResult:
        outcomes = {"default": CaseRun(passes, 0 if passes else 1, "", 1, replaced)} if stock else {}
        return CaseResult(Case("x", ""), CaseRun(stock, 0, ""), outcomes)

    def suite(self, share: float) -> Suite:
        return Suite("some", lambda _: [], "libomp", share, 0.8)

    def test_a_test_that_fails_stock_does_not_count(self) -> None:
        results = [self.result(True, 7), self.result(False, stock=False)]
        row = row_of(results, "default")
        self.assertEqual((row.ran, row.kinds["same as stock"], row.kinds["stock fails"], row.took_part, row.replaced), (2, 1, 1, 1, 7))
        self.assertEqual(verdict(self.suite(0.5), results, ["default"]), [])
        self.assertIn("| some | default | 2 | 1 | 0 | 0 | 1 | 1 | 1 | 7 | 0 |", summary(self.suite(0.5), results, ["default"]))

    def test_what_fails_preloaded_only_is_told(self) -> None:
        result = self.result(False)
        result.rates["default"] = Rates(0, 3)
        self.assertIn("1 of 2", verdict(self.suite(0.5), [self.result(True, 7), result], ["default"])[0])

    def test_what_fails_now_and_then_is_told_apart(self) -> None:
        for rates, stock, kind in ((Rates(1, 3), True, "now and then"), (Rates(0, 2), True, "now and then"),
                                   (Rates(0, 0), True, "stock fails"), (Rates(3, 3), False, "now and then")):  # fmt: skip
            result = self.result(False, stock=stock)
            result.rates["default"] = rates
            self.assertEqual(result.kind("default"), kind, rates)
        self.assertEqual(verdict(self.suite(0.5), [self.result(True, 7), result], ["default"]), [])

    def test_a_lost_preload_is_told(self) -> None:
        results = [self.result(True, 7), self.result(True), self.result(True)]
        self.assertEqual(verdict(self.suite(0.5), results, ["default"]), [])
        for result in results:
            result.outcomes["on"] = result.outcomes["default"]
        self.assertIn("took part in 1 of 3", verdict(self.suite(0.5), results, ["default", "on"])[0])
        none = [self.result(True, 7), CaseResult(Case("x", ""), CaseRun(True, 0, ""), {"default": CaseRun(True, 0, "")})]
        self.assertIn("only 1 of 2 left a report", verdict(self.suite(0.5), none, ["default"])[0])

    def test_samples_are_spread(self) -> None:
        cases = [Case(str(i), "") for i in range(10)]
        self.assertEqual([case.name for case in sampled(cases, 3)], ["0", "3", "6"])
        self.assertEqual(len(sampled(cases, 30)), 10)


class Programs(TestCase):
    def test_a_folder_of_programs(self) -> None:
        for name, text in (("ends", "#!/bin/sh\nexit 0\n"), ("fails", "#!/bin/sh\nexit 3\n"), ("tells", "#!/bin/sh\necho wrong\n")):
            self.write(f"suite/{name}", text)
            (self.folder / "suite" / name).chmod(0o755)
        self.write("suite/tells.test", "./tells | grep -q right\n")
        self.write("suite/notes.txt", "not a program\n")
        places = Places(None, self.folder / "work")
        write_programs(places.programs)
        passed = {case.name: execute(case, places, None).passed for case in program_cases(self.folder / "suite")}
        self.assertEqual(passed, {"ends": True, "fails": False, "tells": False})


class EndToEnd(TestCase):
    def places(self, library: Path | None) -> Places:
        places = Places(library, self.folder / "work")
        write_programs(places.programs)
        return places

    def case(self, environment: str = "") -> Case:
        self.write("suite/a.c", f"// RUN: %libomp-compile && {environment} %libomp-run\n{PROGRAM}")
        (case,) = libomp_cases(self.folder / "suite")
        return case

    def test_a_program_that_passes(self) -> None:
        result = check(self.case(), self.places(LIBRARY), ["default", "block"])
        self.assertTrue(result.stock.passed, result.stock)
        self.assertEqual(result.stock.reports, 0)
        for outcome in result.outcomes.values():
            self.assertTrue(outcome.passed, outcome)
            self.assertEqual(outcome.reports, 1, "the program's and no other's")
            self.assertGreaterEqual(outcome.replaced, 20)

    def test_a_program_that_fails_preloaded(self) -> None:
        places = self.places(LIBRARY)
        result = check(self.case("env FAILS_PRELOADED=1"), places, ["default"])
        self.assertTrue(result.stock.passed)
        self.assertFalse(result.outcomes["default"].passed)
        repeat(result, places, ["default"])
        self.assertEqual(result.rates, {"default": Rates(0, 3)})
        self.assertEqual(result.kind("default"), "different")

    def test_no_end_in_time(self) -> None:
        places = self.places(None)
        places.timeout = 0.5
        self.assertEqual(execute(Case("a", "sleep 60"), places, None).status, None)

    def test_what_is_in_no_registry_is_to_be_given(self) -> None:
        script = Path(__file__).with_name("run.py")
        done = subprocess.run([sys.executable, "-B", script, "--suite", "programs", "--fetch", "--library", "none"],
                              capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Arun.py: programs is in no registry: give --source[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
