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

# One thread is late for each join by less than libgomp spins by default. The other tells how often it slept.
LATE = r"""
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}
int main(void) {
  static long first, last;
  for (int region = 0; region <= REGIONS; ++region) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    } else {
      last = sleeps();
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

    def __init__(self, program: pathlib.Path, runtime: pathlib.Path | None = None, **variables: str) -> None:
        environment = clean_environment() | variables
        if runtime is not None:
            environment["LD_LIBRARY_PATH"] = str(runtime)
        words = [*(loader_command(runtime) if runtime is not None else []), str(program)]
        self.done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=True)
        if "MUSTER_REPORT" not in variables:
            return
        (line,) = load(pathlib.Path(variables["MUSTER_REPORT"]))["runtimes"]
        assert line["kind"] == "libgomp", line
        self.spins = line["spins"]


def preloaded(program: pathlib.Path, runtime: pathlib.Path | None = None, **variables: str) -> Result:
    report = {"MUSTER_REPORT": str(FOLDER / "report.json")}
    return Result(program, runtime, **preload(pathlib.Path(LIBRARY)), **report, **variables)


class SpinCount(unittest.TestCase):
    def test_every_version_sleeps_soon(self) -> None:
        program = build("late", LATE)
        versions = sorted(RUNTIMES.glob("libgomp*"))
        self.assertGreaterEqual(len(versions), 3)
        for runtime in versions:
            with self.subTest(runtime.name):
                self.assertTrue((runtime / LIBGOMP).exists())
                result = preloaded(program, runtime, **NATIVE)
                self.assertEqual(result.spins, SHORT)
                self.assertGreater(int(result.done.stdout), REGIONS * 2 // 3)

    def test_what_the_user_chose_stays(self) -> None:
        program = build("late", LATE)
        for name, value in (("OMP_WAIT_POLICY", "active"), ("OMP_WAIT_POLICY", "passive"), ("GOMP_SPINCOUNT", "300000"),
                            ("GOMP_SPINCOUNT", "7"), ("MUSTER_YIELD", "native")):  # fmt: skip
            with self.subTest(name, value=value):
                result = preloaded(program, **NATIVE, **{name: value})
                self.assertIsNone(result.spins)
                if value == "active":  # it spins for minutes
                    self.assertLess(int(result.done.stdout), REGIONS // 3)

    def test_folded_regions(self) -> None:
        self.assertEqual(preloaded(build("late", LATE)).spins, SHORT)

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
