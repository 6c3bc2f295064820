"""MUSTER_YIELD under the real preload: it applies to the runtime's yields and to no others."""

from __future__ import annotations

import csv
import os
import pathlib
import tempfile
import unittest

import programs

from lab.hogs import hogs
from lab.machine import cpus

# Every yield that reaches the kernel is denied with an errno of the test's own: so a call that comes
# back with it has reached the kernel, and nothing else has.
OWN_YIELDS = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif
enum { kMine = 77 };
int main(int count, char** arguments) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_yield, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | kMine),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof(rules) / sizeof(rules[0]), rules};
  if (count == 1) {  // executed again: a filter that comes later ends the report
    if (sched_yield() != 0) return 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 77;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 77;
    execl("/proc/self/exe", arguments[0], "again", (char*)NULL);
    return 78;
  }
  int reached = 0;
  #pragma omp parallel num_threads(1)
  for (int i = 0; i < 1000; ++i) {
    errno = 0;
    if (sched_yield() == -1 && errno == kMine) ++reached;
  }
  printf("%d reached\n", reached);
  return 0;
}
"""

# More threads than CPUs, so that the runtime yields at fork and join.
CROWDED = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** arguments) {
  int sum = 0;
  const int regions = count > 1 ? atoi(arguments[1]) : 50;
  for (int region = 0; region < regions; ++region) {
    #pragma omp parallel reduction(+ : sum)
    sum += omp_get_thread_num();
  }
  printf("%d\n", sum);
  return 0;
}
"""

# Threads look for tasks of unequal length, created by one of them, beside competitors.
TASKS = r"""
#include <stdio.h>
#include <time.h>
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void) {
  int done = 0;
  #pragma omp parallel
  #pragma omp single
  for (double end = seconds() + 1.0; seconds() < end;) {
    for (int i = 0; i < 3; ++i) {
      #pragma omp task shared(done)
      {
        for (double until = seconds() + 1e-4 * (i + 1); seconds() < until;) {
        }
        #pragma omp atomic
        ++done;
      }
    }
    #pragma omp taskwait
  }
  puts(done > 0 ? "done" : "nothing done");
  return 0;
}
"""

# The region's function ends in a call that an optimising compiler makes a jump; the address it
# returns to is then libgomp's. libgomp itself never yields.
ENDS_IN_A_YIELD = r"""
#include <sched.h>
#include <stdio.h>
int main(void) {
  for (int i = 0; i < 100; ++i) {
    #pragma omp parallel
    sched_yield();
  }
  puts("done");
  return 0;
}
"""

# Stands for OpenBLAS built for pthreads: a constructor that starts a thread, which yields until the program
# stops it, and a function that yields. MARK is the symbol by which Muster knows it.
BLAS = r"""
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int stopped;
static pthread_t server;
static void *serve(void *data) {
  while (!atomic_load(&stopped)) sched_yield();
  return data;
}
__attribute__((constructor)) static void start(void) { pthread_create(&server, NULL, serve, NULL); }
const char *MARK(void) { return "not OpenBLAS"; }
void stop_server(void) {
  atomic_store(&stopped, 1);
  pthread_join(server, NULL);
}
int yields(int count) {
  int failed = 0;
  for (int i = 0; i < count; ++i) failed += sched_yield() != 0;
  return failed;
}
"""

# The environment changes while the library's thread yields: Muster must not read it there.
USES_BLAS = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
void stop_server(void);
int yields(int);
int main(int count, char **arguments) {
  char name[32];
  for (int i = 0; i < 2000; ++i) {
    snprintf(name, sizeof(name), "NAME_%d", i);
    setenv(name, "value", 1);
  }
  int threads = 0;
  if (count > 1) {
    #pragma omp parallel reduction(+ : threads)
    threads += omp_get_num_threads();
  }
  int failed = yields(count > 1 ? atoi(arguments[1]) : 1000);
  stop_server();
  printf("%d %d\n", threads, failed);
  return 0;
}
"""


class Yields(unittest.TestCase):
    def crowd(self) -> str:
        return str(4 * cpus())

    def crowded(self) -> dict[str, str]:
        """The runtime forks and joins all regions, so that it has to yield."""
        return {"OMP_NUM_THREADS": self.crowd(), "MUSTER_FORKJOIN": "off"}

    def test_the_programs_own_are_left_alone(self) -> None:
        program = programs.build(OWN_YIELDS, name="own-yields")
        stock = programs.run(program, preload=False)
        if stock.returncode == 77:
            self.skipTest("no seccomp filters here")
        self.assertEqual((stock.returncode, stock.stdout), (0, "1000 reached\n"))
        for value in programs.values("MUSTER_YIELD"):
            with self.subTest(value):
                result, report = programs.report(program, MUSTER_YIELD=value)
                self.assertEqual((result.stdout, result.stderr), (stock.stdout, ""))
                self.assertEqual(report["settings"]["MUSTER_YIELD"], value)
                # If its own were taken for the runtime's, all of them would be.
                self.assertLess(report["runtime_yields"]["seen"], 1000)

    def test_the_runtimes_obey(self) -> None:
        program = programs.build(CROWDED, name="crowded")
        stock = programs.run(program, preload=False, OMP_NUM_THREADS=self.crowd())
        for value in programs.values("MUSTER_YIELD"):
            with self.subTest(value):
                result, report = programs.report(program, MUSTER_YIELD=value, **self.crowded())
                self.assertEqual((result.stdout, result.returncode), (stock.stdout, 0))
                self.assertEqual(result.stderr, "")
                yields = report["runtime_yields"]
                self.assertGreater(yields["seen"], 0)
                self.assertEqual(yields["seen"], yields["passed"] + yields["skipped"] + yields["naps"])
                self.assertGreater(yields["passed"], 0, "no thread starves")
                if value == "native":
                    self.assertEqual(yields["passed"], yields["seen"])
                    self.assertEqual((yields["naps"], yields["long_yields"]), (0, 0))

    def test_a_runtime_that_is_not_replaced_obeys_too(self) -> None:
        program = programs.build(CROWDED, name="crowded")
        extra = {"OMP_NUM_THREADS": self.crowd(), "MUSTER_YIELD": "adaptive"}
        _, report = programs.report(program, KMP_CONSISTENCY_CHECK="all", **extra)  # nothing is folded
        self.assertFalse(report["active"])
        self.assertGreater(report["runtime_yields"]["seen"], 0)

    # muster-test: full whether a yield meets a competitor is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_threads_that_look_for_tasks_nap_beside_others(self) -> None:
        program = programs.build(TASKS, name="tasks")
        for threads in (cpus(), 2 * cpus()):
            with self.subTest(threads=threads), hogs(cpus()):
                result, report = programs.report(program, OMP_NUM_THREADS=str(threads))
                self.assertEqual((result.stdout, result.stderr), ("done\n", ""))
                self.assertGreater(report["runtime_yields"]["naps"], 0)

    # muster-test: full whether a yield meets a competitor is up to the scheduler
    # muster-test: alone it starts CPU hogs
    def test_threads_in_forks_of_the_runtime_nap_beside_others(self) -> None:
        program = programs.build(CROWDED, name="crowded")
        extra = {"OMP_NUM_THREADS": str(2 * cpus()), "MUSTER_FORKJOIN": "off", "MUSTER_BARRIER": "native"}
        with hogs(2 * cpus()):
            _, report = programs.report(program, "500", **extra)
        self.assertGreater(report["runtime_yields"]["naps"], 0)

    def test_a_region_that_ends_in_a_yield(self) -> None:
        if os.uname().machine not in ("x86_64", "aarch64", "ppc64le"):
            self.skipTest("not told apart on this CPU")
        gcc = os.environ.get("MUSTER_GCC", "gcc")  # of another processor, under programs.EMULATOR
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "p.c"
            source.write_text(ENDS_IN_A_YIELD)
            program = pathlib.Path(folder) / "p"
            programs.subprocess.run([gcc, "-O2", "-fopenmp", source, "-o", program], check=True)
            result, report = programs.report(program, MUSTER_YIELD="adaptive")
        self.assertEqual(result.stdout, "done\n")
        self.assertEqual(report["runtimes"][0]["kind"], "libgomp")
        self.assertEqual(report["runtime_yields"]["seen"], 0)

    def test_without_openmp(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "p.c").write_text(OWN_YIELDS)
            command = ["clang-19", "-Wno-unknown-pragmas", place / "p.c", "-o", place / "p"]
            programs.subprocess.run(command, check=True)
            stock = programs.run(place / "p", preload=False)
            report = place / "report.json"
            for value in (*programs.values("MUSTER_YIELD"), "bad"):
                result = programs.run(place / "p", MUSTER_YIELD=value, MUSTER_REPORT=str(report))
                self.assertEqual(result.returncode, stock.returncode)
                self.assertEqual((result.stdout, result.stderr), (stock.stdout, stock.stderr))
                self.assertFalse(report.exists())

    def test_switched_off(self) -> None:
        program = programs.build(CROWDED, name="crowded")
        extra = {"OMP_NUM_THREADS": self.crowd(), "MUSTER_YIELD": "adaptive", "MUSTER": "off"}
        result = programs.run(program, **extra)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_text_and_csv(self) -> None:
        program = programs.build(CROWDED, name="crowded")
        extra = self.crowded() | {"MUSTER_YIELD": "native"}
        text = programs.run(program, MUSTER_REPORT="stderr", **extra).stderr
        self.assertRegex(text, r"runtime's yields +(\d+) seen \(native\): \1 passed, 0 skipped, 0 naps, 0 long\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.csv"
            programs.run(program, MUSTER_REPORT=str(path), **extra)
            with path.open() as lines:
                found = {(r["section"], r["name"]): r["value"] for r in csv.DictReader(lines)}
        self.assertEqual(found["process", "MUSTER_YIELD"], "native")
        self.assertGreater(int(found["runtime_yields", "passed"]), 0)


class OpenBlas(unittest.TestCase):
    def blas(self, folder: pathlib.Path, mark: str) -> pathlib.Path:
        """A program linked with a library of its own that defines `mark`."""
        (folder / "blas.c").write_text(BLAS.replace("MARK", mark))
        (folder / "p.c").write_text(USES_BLAS)
        gcc = ["gcc", "-O2", "-fopenmp"]
        programs.subprocess.run(
            [*gcc, "-shared", "-fPIC", folder / "blas.c", "-o", folder / "libown.so"], check=True
        )
        command = [*gcc, folder / "p.c", "-o", folder / "p", "-L", folder, "-lown", "-Wl,-rpath", folder]
        programs.subprocess.run([str(word) for word in command], check=True)
        return folder / "p"

    def test_openblas_obeys(self) -> None:
        marks = ["openblas_get_config", "openblas_get_config64_"]
        marks += ["scipy_openblas_get_config", "scipy_openblas_get_config64_"]
        for mark in [*marks, "another_blas"]:
            with self.subTest(mark), tempfile.TemporaryDirectory() as folder:
                program = self.blas(pathlib.Path(folder), mark)
                stock = programs.run(program, "5000", preload=False)
                result, report = programs.report(program, "5000", MUSTER_YIELD="adaptive")
                self.assertEqual((result.stdout, result.stderr), (stock.stdout, ""))
                yields = report["runtime_yields"]
                if mark in marks:
                    self.assertGreaterEqual(yields["seen"], 5000)
                else:
                    self.assertEqual(yields["seen"], 0)

    def test_openblas_naps_beside_others(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = self.blas(pathlib.Path(folder), "openblas_get_config")
            with hogs(2 * cpus()):
                _, report = programs.report(program, "200000")
        self.assertGreater(report["runtime_yields"]["naps"], 0)

    def test_openblas_before_any_region(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = self.blas(pathlib.Path(folder), "openblas_get_config")
            for _ in range(20):
                result, report = programs.report(program, MUSTER_YIELD="adaptive")
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "0 0\n", ""))
                self.assertEqual(report["runtime_yields"]["seen"], 0, "Muster began in a thread of the library")


if __name__ == "__main__":
    unittest.main()
