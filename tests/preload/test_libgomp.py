"""libgomps with defects: entry points missing or renamed, a barrier with an argument."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from lab.environment import clean_environment, preload  # noqa: E402
from lab.reports import load  # noqa: E402

LIBRARY = os.environ["MUSTER_LIBRARY"]
_folder = tempfile.TemporaryDirectory(prefix="muster-libgomp-")
FOLDER = pathlib.Path(_folder.name)
GCC = shutil.which("gcc-12") or "gcc"
_shown = subprocess.check_output([GCC, "-print-file-name=libgomp.so.1"], text=True)
LIBGOMP = pathlib.Path(_shown.strip())

# Calls no runtime functions: the program itself does not need a name that is removed.
PROGRAM = r"""
#include <stdio.h>
enum { kRounds = 40 };
static long item[100], parts[2], single, copied, members;
int main(void) {
  long wrong = 0, sum = 0;
  for (int round = 1; round <= kRounds; ++round) {
    members = 0;
#pragma omp parallel reduction(+ : wrong, sum)
    {
      long value = 0;
      __atomic_fetch_add(&members, 1, __ATOMIC_RELAXED);
#pragma omp barrier
      sum += members;
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; ++i) item[i] = round * 100L + i;
      for (int i = 0; i < 100; ++i) wrong += item[i] != round * 100L + i;
#pragma omp barrier
#pragma omp sections
      {
#pragma omp section
        parts[0] = round;
#pragma omp section
        parts[1] = -round;
      }
      wrong += parts[0] != round || parts[1] != -round;
#pragma omp single
      single = round;
      wrong += single != round;
#pragma omp single copyprivate(value)
      value = round * 7L;
      wrong += value != round * 7L;
#pragma omp barrier
#pragma omp single nowait
      for (int i = 0; i < 5; ++i) {
#pragma omp task
        __atomic_fetch_add(&copied, 1, __ATOMIC_RELAXED);
      }
#pragma omp barrier
      wrong += __atomic_load_n(&copied, __ATOMIC_RELAXED) != 5L * round;
#pragma omp barrier
    }
  }
  printf("%ld wrong, %ld, %ld\n", wrong, sum, copied);
  return 0;
}
"""

# A future runtime, whose barrier has an argument. Teams of two, with a new second thread in each region.
FUTURE = r"""
#include <pthread.h>
static __thread int me, inside;
static pthread_barrier_t meet;
static int arguments, arrivals;
struct region { void (*function)(void *); void *data; };
static void *work(void *region) {
  struct region *mine = region;
  me = inside = 1;
  mine->function(mine->data);
  return 0;
}
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
  struct region region = {function, data};
  pthread_t other;
  pthread_barrier_init(&meet, 0, 2);
  pthread_create(&other, 0, work, &region);
  inside = 1;
  function(data);
  inside = 0;
  pthread_join(other, 0);
  pthread_barrier_destroy(&meet);
}
void GOMP_barrier(int argument) {
  __atomic_fetch_add(&arguments, argument, __ATOMIC_RELAXED);
  __atomic_fetch_add(&arrivals, 1, __ATOMIC_RELAXED);
  if (inside) pthread_barrier_wait(&meet);
}
int omp_get_num_threads(void) { return inside ? 2 : 1; }
int omp_get_thread_num(void) { return me; }
int omp_get_max_threads(void) { return 2; }
int omp_get_level(void) { return inside; }
int omp_get_dynamic(void) { return 0; }
int future_arguments(void) { return arguments; }
int future_arrivals(void) { return arrivals; }
"""
FUTURE_PROGRAM = r"""
#include <stdio.h>
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void GOMP_barrier(int);
int omp_get_thread_num(void), future_arguments(void), future_arrivals(void);
static long cell[2], wrong;
static void region(void *data) {
  const int me = omp_get_thread_num();
  for (int round = 1; round <= 50; ++round) {
    cell[me] = round;
    GOMP_barrier(1000);
    __atomic_fetch_add(&wrong, cell[1 - me] != round, __ATOMIC_RELAXED);
    GOMP_barrier(1000);
  }
}
int main(void) {
  GOMP_barrier(7);  // outside of any team: the runtime's
  for (int i = 0; i < 3; ++i) GOMP_parallel(region, 0, 0, 0);
  GOMP_barrier(70);
  printf("%ld wrong\n", wrong);
  fprintf(stderr, "%d %d\n", future_arguments(), future_arrivals());
  return 0;
}
"""


def compile_c(name: str, source: str, *flags: str | pathlib.Path) -> pathlib.Path:
    file = FOLDER / f"{name}.c"
    file.write_text(source)
    subprocess.run([GCC, "-O2", "-w", file, "-o", FOLDER / name, *flags], check=True)
    return FOLDER / name


def run(program: pathlib.Path, runtime: pathlib.Path, report: str, **more: str) -> subprocess.CompletedProcess[str]:
    settings = {"LD_LIBRARY_PATH": str(runtime), "OMP_NUM_THREADS": "4", "OMP_DYNAMIC": "false"}
    environment = clean_environment() | settings
    if report:
        environment |= preload(LIBRARY) | {"MUSTER_REPORT": report, **more}
    return subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60, check=False)


class Renamed(unittest.TestCase):
    program: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.program = compile_c("renamed", PROGRAM, "-fopenmp")

    def report_without(self, *names: str, least: int = 1, **more: str) -> dict:
        """The same library, with another last letter of each name in its table of symbols."""
        folder = FOLDER / "-".join(["without", *names, *more.values()])
        folder.mkdir()
        data = LIBGOMP.read_bytes()
        for name in names:
            old = b"\0" + name.encode() + b"\0"
            self.assertEqual(data.count(old), 1, name)
            data = data.replace(old, old[:-2] + b"~\0")
        (folder / LIBGOMP.name).write_bytes(data)
        stock = run(self.program, folder, "")
        self.assertEqual((stock.returncode, stock.stdout.split()[0]), (0, "0"))
        file = folder / "report.json"
        ours = run(self.program, folder, str(file), **more)
        self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (0, stock.stdout, ""))
        report = load(file)
        self.assertGreaterEqual(report["barriers"]["replaced"], least)
        return report

    def unfolded(self, report: dict) -> dict[str, int]:
        return {row["reason"]: row["count"] for row in report["fork_join"]["by_reason"] if row["what"] == "unfolded"}

    def test_whole(self) -> None:
        report = self.report_without(least=1000, MUSTER_FORKJOIN="on")
        self.assertGreaterEqual(report["fork_join"]["folded"], 40)

    def test_no_parallel_start(self) -> None:
        report = self.report_without("GOMP_parallel_start", least=1000, MUSTER_FORKJOIN="on")
        self.assertEqual(report["fork_join"]["folded"], 0)
        self.assertEqual(sum(self.unfolded(report).values()), 40, report["fork_join"])

    def test_no_ends_without_barrier(self) -> None:
        for mode in ("on", "off"):
            report = self.report_without(
                "GOMP_loop_end_nowait", "GOMP_sections_end_nowait", least=500, MUSTER_FORKJOIN=mode
            )
            self.assertEqual(report["fork_join"]["folded"], 0)  # it has unknown names

    def test_no_cancellation(self) -> None:
        self.report_without("omp_get_cancellation", least=1000)

    def test_no_settings(self) -> None:
        for mode in ("on", "off"):
            names = "omp_get_level", "omp_get_dynamic", "omp_get_max_threads"
            self.report_without(*names, least=0, MUSTER_FORKJOIN=mode)

    def test_no_numbers(self) -> None:
        report = self.report_without("omp_get_thread_num", least=0)
        self.assertEqual(report["barriers"]["replaced"], 0)
        report = self.report_without("omp_get_num_threads", least=0)
        self.assertEqual(report["barriers"]["replaced"], 0)
        self.assertFalse(report["active"])


class Future(unittest.TestCase):
    def test_argument_of_the_barrier(self) -> None:
        folder = FOLDER / "future"
        folder.mkdir()
        compile_c("future/libgomp.so.1", FUTURE, "-shared", "-fPIC", "-pthread", "-Wl,-soname,libgomp.so.1")
        program = compile_c("future_program", FUTURE_PROGRAM, folder / "libgomp.so.1")
        stock = run(program, folder, "")
        self.assertEqual((stock.returncode, stock.stdout, stock.stderr), (0, "0 wrong\n", "600077 602\n"))
        for barrier, expected in (("native", "600077 602\n"), ("auto", "77 2\n")):
            with self.subTest(barrier):
                file = folder / f"{barrier}.json"
                ours = run(program, folder, str(file), MUSTER_BARRIER=barrier)
                self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (0, "0 wrong\n", expected))
                report = load(file)
                self.assertEqual(report["barriers"]["replaced"], 600 if barrier == "auto" else 0)
                self.assertEqual(report["fork_join"]["folded"], 0)  # it has no GOMP_parallel_start


if __name__ == "__main__":
    unittest.main()
