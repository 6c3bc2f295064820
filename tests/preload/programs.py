"""Small OpenMP programs for the tests of this folder, compiled on first use."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from lab.environment import clean_environment  # noqa: E402
from lab.options import values_of  # noqa: E402
from lab.reports import load  # noqa: E402

LIBRARY = os.environ["MUSTER_LIBRARY"]
# QEMU and its options, separated by blanks, for programs of another processor.
EMULATOR = os.environ.get("MUSTER_EMULATOR", "").split()

# Prints a checksum; its barriers are known by number.
BARRIERS = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments) {
  int barriers = count > 1 ? atoi(arguments[1]) : 100;
  long sum = 0;
  #pragma omp parallel
  {
    long mine = 0;
    for (int i = 0; i < barriers; ++i) {
      mine += i;
      #pragma omp barrier
    }
    #pragma omp critical
    sum += mine;
  }
  printf("%ld\n", sum);
  return 3;
}
"""

# 100 reductions with a barrier at the end and 100 without, then 100 copyprivates. clang's code has
# an explicit barrier after each of the first 200.
REDUCTIONS = r"""
#include <stdio.h>
int main(void) {
  long sum = 0, other = 0, value = 0;
  #pragma omp parallel firstprivate(value)
  for (int round = 0; round < 100; ++round) {
    #pragma omp for reduction(+ : sum)
    for (int i = 0; i < 4; ++i) sum += i;
    #pragma omp for reduction(+ : other) nowait
    for (int i = 0; i < 4; ++i) other += i;
    #pragma omp barrier
    #pragma omp single copyprivate(value)
    value = round;
  }
  printf("%ld %ld\n", sum, other);
  return 0;
}
"""

LOOPS = r"""
#include <stdio.h>
int main(void) {
  long sum = 0, part[8] = {0};
  #pragma omp parallel
  {
    for (int i = 0; i < 50; ++i) {
      #pragma omp for schedule(dynamic)
      for (int k = 0; k < 8; ++k) part[k] += k;
      #pragma omp sections
      {
        #pragma omp section
        part[0] += 1;
        #pragma omp section
        part[1] += 1;
      }
    }
  }
  for (int k = 0; k < 8; ++k) sum += part[k];
  printf("%ld\n", sum);
  return 0;
}
"""

# A team of two, then one of four, with 20 barriers each.
TWO_SIZES = r"""
#include <omp.h>
int main(void) {
  for (int threads = 2; threads <= 4; threads += 2) {
    #pragma omp parallel num_threads(threads)
    for (int i = 0; i < 20; ++i) {
      #pragma omp barrier
    }
  }
  return 0;
}
"""

# Regions one after the other; from the serial part, a setting every so often (never: 0).
REGIONS = r"""
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments) {
  int regions = atoi(arguments[1]), every = atoi(arguments[2]), sum = 0;
  for (int i = 1; i <= regions; ++i) {
    #pragma omp parallel reduction(+ : sum)
    sum += omp_get_num_threads();
    if (every > 0 && i % every == 0) omp_set_num_threads(2);
  }
  printf("%d\n", sum);
  return 0;
}
"""

# A tool that need not be loaded, defined in the program itself. It declines to observe.
TOOL = r"""
#include <stddef.h>
#include <omp-tools.h>
#include <stdio.h>
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version; (void)runtime;
  return NULL;
}
int main(void) {
  #pragma omp parallel
  {
    #pragma omp barrier
  }
  puts("ok");
  return 0;
}
"""

COMPILERS = {
    "clang": ["clang-19", "-O2", "-fopenmp"],
    "gcc": ["gcc", "-O2", "-fopenmp"],
    "libgomp": ["gcc", "-O2", "-fopenmp"],
}


@functools.cache
def values(variable: str) -> list[str]:
    """The values that this build's option has; 50us stands for any time."""
    listed = values_of(pathlib.Path(LIBRARY).parents[1] / "bin" / "muster")[variable]
    return [value.replace("<n>", "50") for value in listed]


def system_runtime(compiler: str, name: str) -> pathlib.Path:
    """The shared object that the compiler links."""
    shown = subprocess.check_output([compiler, f"-print-file-name={name}"], text=True)
    return pathlib.Path(shown.strip()).resolve()


_folder = tempfile.TemporaryDirectory(prefix="muster-preload-")
_built: dict[tuple[str, str], pathlib.Path] = {}


def build(source: str, compiler: str = "clang", name: str = "program") -> pathlib.Path:
    """The compiled program. gcc's are linked to libomp, whose GOMP entry points they then call, or to libgomp."""
    key = (source, compiler)
    if key in _built:
        return _built[key]
    place = pathlib.Path(_folder.name) / f"{name}-{compiler}-{len(_built)}"
    source_file = place.with_suffix(".c")
    source_file.write_text(source)
    command = COMPILERS[compiler]
    if compiler == "gcc":
        object_file = place.with_suffix(".o")
        subprocess.run([*command, "-c", source_file, "-o", object_file], check=True)
        subprocess.run(
            ["gcc", object_file, "-o", place, "-L/usr/lib/llvm-19/lib", "-lomp"], check=True
        )
    else:
        subprocess.run([*command, "-Wl,--export-dynamic", source_file, "-o", place], check=True)
    _built[key] = place
    return place


def run(
    program: pathlib.Path | str, *arguments: str, preload: bool = True, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs it with these environment variables and no other MUSTER or OpenMP ones."""
    environment = clean_environment(keep=("LD_LIBRARY_PATH",)) | {"OMP_NUM_THREADS": "2"} | variables
    if preload:
        environment["LD_PRELOAD"] = LIBRARY
    emulator = EMULATOR
    if emulator and "LD_PRELOAD" in environment:  # for the program, not for the emulator
        emulator = [*EMULATOR, "-E", f"LD_PRELOAD={environment.pop('LD_PRELOAD')}"]
    return subprocess.run(
        [*emulator, str(program), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def report(
    program: pathlib.Path | str, *arguments: str, **variables: str
) -> tuple[subprocess.CompletedProcess[str], dict]:
    """The run and its JSON report."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        result = run(program, *arguments, MUSTER_REPORT=str(path), **variables)
        return result, load(path)
