"""libgomp's spins before a sleep, which Muster shortens: on each version, unless the user has chosen."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from lab.environment import clean_environment, preload  # noqa: E402
from lab.reports import load  # noqa: E402
from lab.runtimes import LIBGOMP, loader_command  # noqa: E402

LIBRARY = os.environ["MUSTER_LIBRARY"]
RUNTIMES = pathlib.Path(os.environ["MUSTER_RUNTIMES"])
_folder = tempfile.TemporaryDirectory(prefix="muster-spins-")
FOLDER = pathlib.Path(_folder.name)
SHORT = 2000
REGIONS = 30

# At each join one thread waits until the other sleeps, which then tells how much CPU time the joins took: that of its
# spins. With an argument it does not wait.
LATE = r"""
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static long cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}
static int main_thread_sleeps(void) {
  char text[512] = {0};
  FILE *stat = fopen("/proc/self/stat", "r");
  if (stat == NULL || fread(text, 1, sizeof text - 1, stat) == 0) return 1;
  fclose(stat);
  return strrchr(text, ')')[2] == 'S';
}
int main(int count, char **arguments) {
  (void)arguments;
  static long first, last;
  for (int region = 0; region <= REGIONS; ++region) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
      while (count == 1 && !main_thread_sleeps()) usleep(50);
    } else {
      last = cpu_us();
      if (region == 0) first = last;
    }
  }
  printf("%ld\n", last - first);
  return 0;
}
""".replace("REGIONS", str(REGIONS))

# What it shows must be libgomp's own, before and after regions.
DISPLAYS = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num();
    if (i % 5 == 0) omp_display_env(1);
  }
  printf("%d\n", sum);
  return 0;
}
"""

# The regions are the runtime's, and so is each wait.
NATIVE = {"MUSTER_FORKJOIN": "off", "MUSTER_BARRIER": "native"}


def build(name: str, source: str) -> pathlib.Path:
    program = FOLDER / name
    if not program.exists():
        (FOLDER / f"{name}.c").write_text(source)
        subprocess.run(["gcc", "-O2", "-fopenmp", FOLDER / f"{name}.c", "-o", program], check=True)
    return program


class Result:
    """A run's output, and what the report says of libgomp's spins."""

    def __init__(self, program: pathlib.Path, *words: str, runtime: pathlib.Path | None = None, **variables: str) -> None:
        environment = clean_environment() | variables
        if runtime is not None:
            environment["LD_LIBRARY_PATH"] = str(runtime)
        command = [*(loader_command(runtime) if runtime is not None else []), str(program), *words]
        self.done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
        if "MUSTER_REPORT" not in variables:
            return
        (line,) = load(pathlib.Path(variables["MUSTER_REPORT"]))["runtimes"]
        assert line["kind"] == "libgomp", line
        self.spins = line["spins"]


def preloaded(program: pathlib.Path, *words: str, runtime: pathlib.Path | None = None, **variables: str) -> Result:
    report = {"MUSTER_REPORT": str(FOLDER / "report.json")}
    return Result(program, *words, runtime=runtime, **preload(pathlib.Path(LIBRARY)), **report, **variables)


class SpinCount(unittest.TestCase):
    def check_sleeps_soon(self, runtime: pathlib.Path | None = None) -> None:
        program = build("late", LATE)
        soon = preloaded(program, runtime=runtime, **NATIVE)
        self.assertEqual(soon.spins, SHORT)
        late = preloaded(program, runtime=runtime, **NATIVE, GOMP_SPINCOUNT=str(150 * SHORT))
        self.assertIsNone(late.spins)
        self.assertGreater(int(late.done.stdout), 3 * int(soon.done.stdout), "CPU time of 150 times as many spins")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one CPU: libgomp hardly spins")
    def test_it_sleeps_soon(self) -> None:
        self.check_sleeps_soon()

    # muster-test: full every fetched runtime
    def test_every_version_sleeps_soon(self) -> None:
        versions = sorted(RUNTIMES.glob("libgomp*"))
        self.assertGreaterEqual(len(versions), 3)
        for runtime in versions:
            with self.subTest(runtime.name):
                self.assertTrue((runtime / LIBGOMP).exists())
                self.check_sleeps_soon(runtime)

    def test_what_the_user_chose_stays(self) -> None:
        program = build("late", LATE)
        for name, value in (("OMP_WAIT_POLICY", "active"), ("OMP_WAIT_POLICY", "passive"), ("GOMP_SPINCOUNT", "300000"),
                            ("GOMP_SPINCOUNT", "7"), ("MUSTER_YIELD", "native")):  # fmt: skip
            with self.subTest(name, value=value):
                self.assertIsNone(preloaded(program, "in a hurry", **NATIVE, **{name: value}).spins)

    def test_folded_regions(self) -> None:
        self.assertEqual(preloaded(build("late", LATE), "in a hurry").spins, SHORT)

    def test_what_is_displayed_is_libgomps(self) -> None:
        program = build("displays", DISPLAYS)
        stock = Result(program)
        self.assertEqual(stock.done.stderr.count("GOMP_SPINCOUNT = '300000'"), 4)
        for settings in ({}, NATIVE):
            with self.subTest(settings):
                plain = Result(program, **preload(pathlib.Path(LIBRARY)), **settings)
                self.assertEqual((plain.done.stdout, plain.done.stderr), (stock.done.stdout, stock.done.stderr))
                self.assertIsNone(preloaded(program, **settings).spins, "it has its own again")


if __name__ == "__main__":
    unittest.main()
