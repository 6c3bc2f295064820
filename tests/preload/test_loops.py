"""Loops with a static schedule: Muster computes the shares that the runtime would, and leaves to it what it must."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
import unittest

import fake_runtimes
import programs

SYSTEM = programs.system_runtime("clang-19", "libomp.so.5").parent
SOURCE = pathlib.Path(__file__).with_name("static_loops.cpp")
ROUNDS = 2400  # a million calls and more, on every fetched runtime
GATE_ROUNDS = ROUNDS // 6
FEW = "20"

# Prints how a loop of ten is shared among four threads, before and after a setting is made by a call.
SHARES = r"""
#include <omp.h>
#include <stdio.h>
void kmp_set_defaults(const char *);
static void show(void) {
  for (int region = 0; region < 20; ++region) {
    int part[10];
    #pragma omp parallel for schedule(static) num_threads(4)
    for (int i = 0; i < 10; ++i) part[i] = omp_get_thread_num();
    if (region == 19) for (int i = 0; i < 10; ++i) printf("%d", part[i]);
  }
  puts("");
}
int main(int count, char **words) {
  show();
  if (count > 1) kmp_set_defaults(words[1]);
  show();
}
"""

# A tool that counts begins of static loops.
TOOL = r"""
#include <omp-tools.h>
#include <stdio.h>
static int loops;
static void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                 unsigned long count, const void *caller) {
  if (endpoint == ompt_scope_begin) __atomic_fetch_add(&loops, 1, __ATOMIC_RELAXED);
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_work, (ompt_callback_t)work);
  return 1;
}
static void finalize(ompt_data_t *data) { printf("%d loops\n", loops); }
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
int main(void) {
  for (int region = 0; region < 20; ++region) {
    #pragma omp parallel for schedule(static) num_threads(2)
    for (int i = 0; i < 10; ++i) {}
  }
}
"""


class RandomCalls(unittest.TestCase):
    """The same calls of Muster and of a runtime, drawn from a seed."""

    folder = tempfile.TemporaryDirectory(prefix="muster-loops-")
    random_calls = pathlib.Path(folder.name) / "static_loops"

    @classmethod
    def setUpClass(cls) -> None:
        command = ["clang++-19", "-std=c++20", "-O1", "-fopenmp", str(SOURCE), "-o", str(cls.random_calls)]
        subprocess.run(command, check=True)

    def compare(self, runtime: pathlib.Path, rounds: str, **variables: str) -> tuple[int, dict]:
        """How many calls were compared, and what the report says of loops."""
        variables |= {"LD_LIBRARY_PATH": str(runtime), "OMP_WAIT_POLICY": "passive", "KMP_TEAMS_THREAD_LIMIT": "16"}
        result, report = programs.report(self.random_calls, rounds, "7", **variables)
        self.assertEqual((result.returncode, result.stderr), (0, ""), runtime.name)
        return int(result.stdout.split()[0]), report["loops"]

    def check_equal(self, runtime: pathlib.Path, rounds: int) -> None:
        calls, loops = self.compare(runtime, str(rounds))
        self.assertGreater(calls, 1_000_000 * rounds / ROUNDS)
        self.assertGreater(loops["computed"], calls / 2)
        self.assertGreater(loops["passed_on"], 0)


class RandomLoops(RandomCalls):
    def test_equal_to_the_runtime(self) -> None:
        self.check_equal(SYSTEM, GATE_ROUNDS)

    def test_left_to_the_runtime(self) -> None:
        for setting in (
            {"KMP_SCHEDULE": "static,greedy"},
            {"KMP_E_DEBUG": "0"},
            {"INTEL_ITTNOTIFY_GROUPS": "all"},
            {"INTEL_LIBITTNOTIFY64": "/nowhere.so"},
            {"MUSTER_LOOPS": "off"},
        ):
            with self.subTest(setting=setting):
                calls, loops = self.compare(SYSTEM, FEW, **setting)
                self.assertGreater(calls, 0)
                self.assertEqual(loops["computed"], 0)
                if "MUSTER_LOOPS" in setting:
                    self.assertEqual(loops["passed_on"], 0)


# muster-test: full every fetched runtime
class EveryRuntime(RandomCalls):
    def test_equal_to_the_runtimes(self) -> None:
        folders = sorted(pathlib.Path(os.environ["MUSTER_RUNTIMES"]).iterdir())
        runtimes = [folder for folder in folders if (folder / "libomp.so.5").exists()]
        self.assertGreaterEqual(len(runtimes), 5)
        for runtime in runtimes:
            with self.subTest(runtime=runtime.name):
                self.check_equal(runtime, ROUNDS)


class Loops(unittest.TestCase):
    def test_setting_made_by_a_call(self) -> None:
        program = programs.build(SHARES)
        result, report = programs.report(program)
        self.assertEqual(result.stdout, "0001112233\n0001112233\n")
        self.assertEqual(report["loops"], {"computed": 160, "passed_on": 0})
        for setting in ({"KMP_CONSISTENCY_CHECK": "all"}, {"KMP_DEBUG": "0"}):
            result, report = programs.report(program, **setting)
            self.assertEqual(result.stdout, "0001112233\n0001112233\n")
            self.assertEqual(report["loops"]["computed"], 0)
        result, report = programs.report(program, "KMP_SCHEDULE=static,greedy")
        self.assertEqual(result.stdout, "0001112233\n0001112223\n")
        self.assertEqual(report["loops"]["computed"], 80)
        self.assertEqual(report["loops"]["passed_on"], 80)

    def test_tool_sees_all_loops(self) -> None:
        program = programs.build(TOOL)
        for preload in (False, True):
            self.assertEqual(programs.run(program, preload=preload).stdout, "40 loops\n")

    def test_a_call_that_is_passed_on_leaves_no_frame(self) -> None:
        names = [f"__kmpc_{kind}for_static_init_{size}" for kind in ("", "dist_") for size in ("4", "4u", "8", "8u")]
        arguments = "void *a, int b, int c, int *d, void *e, void *f, void *g, long h, long i, long j"
        given = "0, 0, 0, 0, 0, 0, 0, 0, 0, 7"
        needed = "".join(
            f"void {name}({arguments}) {{ asked(__builtin_return_address(0), __builtin_frame_address(0), j); }}\n"
            for name in names
        )
        # What Muster needs to replace a runtime's barriers.
        others = ("__kmpc_fork_call", "__kmpc_barrier", "GOMP_barrier", "omp_get_num_threads", "omp_get_thread_num")
        fake_runtimes.library(
            "loops",
            "#include <stdio.h>\nvoid *expected_frame;\n"
            "static void asked(void *caller, void *frame, long last) { printf(\"%d %d %ld\\n\","
            " (char *)frame < (char *)expected_frame && (char *)expected_frame - (char *)frame < 400,"
            " caller != 0, last); }\n"
            + needed
            + fake_runtimes.answering(0, *others, "omp_get_cancellation"),
        )
        calls = "".join(f"expected_frame = __builtin_frame_address(0); {name}({given});\n" for name in names)
        declared = ", ".join(f"{name}()" for name in names)
        source = f"extern void *expected_frame;\nvoid {declared};\nint main(void) {{ {calls} }}"
        program = fake_runtimes.program("call_loops", source, "loops")
        stock = programs.run(program, preload=False)
        self.assertEqual(programs.run(program).stdout, stock.stdout)
        self.assertEqual(len(stock.stdout.splitlines()), 8)


if __name__ == "__main__":
    unittest.main()
