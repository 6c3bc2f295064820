"""Names of the C library that a program may define itself: Muster calls none, and needs none that musl lacks."""

from __future__ import annotations

import functools
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import programs

from lab.reports import load

LIBRARY = pathlib.Path(programs.LIBRARY)
MUSL = pathlib.Path("/lib/ld-musl-x86_64.so.1")
RUNTIMES = {"libgomp": "libgomp.so.1", "libomp": "libomp.so.5"}
# ISO C 7.1.3 and 7.31: of external names, these are the implementation's.
RESERVED = re.compile(r"_\w+|(str|mem|wcs|to|is|atomic_|mtx_|cnd_|thrd_|tss_)[a-z]\w*")
ISO_C = set(
    "abort abs atexit atof atoi atol atoll bsearch calloc clearerr clock ctime div exit fclose feof ferror fflush fgetc "
    "fgets fopen fprintf fputc fputs fread free freopen fscanf fseek ftell fwrite getc getchar getenv gmtime labs "
    "localtime longjmp malloc mktime perror printf putc putchar puts qsort raise rand realloc remove rename rewind "
    "scanf setbuf setlocale setvbuf signal snprintf sprintf srand sscanf system time tmpfile tmpnam ungetc va_arg "
    "vfprintf vprintf vsnprintf vsprintf difftime asctime aligned_alloc at_quick_exit quick_exit fgetpos fsetpos "
    "localeconv mblen mbtowc wctomb mbstowcs wcstombs lldiv llabs ldiv timespec_get call_once".split()
)


def symbols(path: pathlib.Path | str, which: str) -> dict[str, str]:
    """Name and nm's letter of what an object's dynamic table defines or needs."""
    lines = subprocess.check_output(["nm", "-D", f"--{which}-only", path], text=True).splitlines()
    return {line.split()[-1].split("@")[0]: line.split()[-2] for line in lines}


@functools.cache
def path_of(library: str) -> str:
    """As the loader finds it."""
    return subprocess.check_output(["gcc", f"-print-file-name={library}"], text=True).strip()


def of_program(name: str) -> bool:
    return not RESERVED.fullmatch(name) and name not in ISO_C


class Undefined(unittest.TestCase):
    def test_no_name_that_a_program_may_define(self) -> None:
        """Or else both runtimes import it, and would not work with the program's either."""
        of_all_runtimes = set.intersection(*({*symbols(path_of(name), "undefined")} for name in RUNTIMES.values()))
        needed = {*symbols(LIBRARY, "undefined")}
        relocations = subprocess.check_output(["readelf", "-rW", LIBRARY], text=True)
        own = {*symbols(LIBRARY, "defined")}  # by way of the loader, which may find another first
        bound = re.findall(r"(?:JUMP_SLO|GLOB_DAT)\w*\s+\w+\s+(\S+)", relocations)
        needed |= own & {name.split("@")[0] for name in bound}
        self.assertIn("dlsym", needed)
        self.assertEqual({name for name in needed - of_all_runtimes if of_program(name)}, set())

    def test_no_name_that_musl_lacks(self) -> None:
        if not MUSL.exists():
            self.skipTest("no musl (musl-tools)")
        of_musl = symbols(MUSL, "defined")
        strong = [name for name, kind in symbols(LIBRARY, "undefined").items() if kind == "U"]
        self.assertEqual([name for name in strong if name not in of_musl], [])


# Regions, barriers, tasks and what else makes Muster ask the system.
CONSTRUCTS = r"""
int printf(const char *, ...);
int omp_get_num_threads(void), omp_get_thread_num(void);
int main(void) {
  long sum = 0, wrong = 0;
  static long cell[8];
  for (int round = 0; round < 100; ++round) {
#pragma omp parallel num_threads(round % 50 == 7 ? 3 : 2) reduction(+ : wrong, sum)
    {
      const int me = omp_get_thread_num(), n = omp_get_num_threads();
      for (int i = 1; i <= 4; ++i) {
        cell[me] = round + i;
#pragma omp barrier
        for (int k = 0; k < n; ++k) wrong += cell[k] != round + i;
#pragma omp barrier
      }
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 20; ++i) sum += i;
    }
  }
  printf("%ld %ld\n", sum, wrong);
  return report_calls();
}
"""

REPORT_CALLS = r"""
static const char *const names[] = {%s};
int printf(const char *, ...);
int report_calls(void) {
  for (int i = 0; i < COUNT; ++i)
    if (calls[i]) printf("%%d calls of %%s\n", calls[i], names[i]);
  return 0;
}
"""


class Own(unittest.TestCase):
    """A program that defines each function of the C library that ISO C lets it, and its runtime does not import."""

    SETTINGS = (
        {},
        {"MUSTER": "off"},
        {"MUSTER_REPORT": "report.json", "MUSTER_SITES": "on", "MUSTER_TIMELINE": "timeline.json"},
        {"MUSTER_REPORT": "stderr", "MUSTER_VERBOSE": "1"},
        {"MUSTER_TURNS": "auto"},
        {"MUSTER_FORKJOIN": "on", "MUSTER_LIVE": "on"},
        {"MUSTER_WAIT": "block", "MUSTER_YIELD": "adaptive", "MUSTER_COUNTERS": "perf::PERF_COUNT_SW_CPU_MIGRATIONS"},
    )

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-names-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def definitions(self, runtime: str) -> str:
        libraries = ["libc.so.6", RUNTIMES[runtime], "ld-linux-x86-64.so.2", "libgcc_s.so.1"]
        imported = set().union(*(symbols(path_of(library), "undefined") for library in libraries))
        names = [name for name, kind in symbols(path_of("libc.so.6"), "defined").items() if kind in "TWi"]
        names = sorted({name for name in names if of_program(name)} - imported)
        self.assertIn("dl_iterate_phdr", names)
        functions = "".join(f"long {name}(void) {{ ++calls[{i}]; return 0; }}\n" for i, name in enumerate(names))
        texts = ", ".join(f'"{name}"' for name in names)
        return f"enum {{ COUNT = {len(names)} }};\nstatic int calls[COUNT];\n{functions}" + REPORT_CALLS % texts

    def built(self, runtime: str, in_library: bool) -> pathlib.Path:
        own, main = self.folder / "own.c", self.folder / "main.c"
        own.write_text(self.definitions(runtime))
        main.write_text("int report_calls(void);\n" + CONSTRUCTS)
        compiler = programs.COMPILERS["clang" if runtime == "libomp" else "libgomp"]
        command = [*compiler, "-w", "-std=c11", "-fno-builtin", "-Wl,--export-dynamic"]
        if in_library:
            subprocess.run([*command, "-shared", "-fPIC", own, "-o", self.folder / "libown.so"], check=True)
        parts = [main, f"-L{self.folder}", "-lown", f"-Wl,-rpath,{self.folder}"] if in_library else [main, own]
        output = self.folder / "program"
        subprocess.run([*command, *parts, "-o", output], check=True)
        return output

    def check(self, runtime: str, in_library: bool) -> None:
        program = self.built(runtime, in_library)
        stock = programs.run(program, preload=False)
        self.assertEqual(stock.returncode, 0)
        for settings in self.SETTINGS:
            with self.subTest(runtime=runtime, in_library=in_library, **settings):
                variables = {name: self.path(value) for name, value in settings.items()}
                ours = programs.run(program, **variables)
                self.assertEqual((ours.stdout, ours.returncode), (stock.stdout, 0))
        self.assertGreater(load(self.folder / "report.json")["barriers"]["replaced"], 1000)

    def path(self, value: str) -> str:
        return str(self.folder / value) if value.endswith(".json") else value

    def test_in_the_program(self) -> None:
        for runtime in RUNTIMES:
            self.check(runtime, in_library=False)

    def test_in_a_library(self) -> None:
        for runtime in RUNTIMES:
            self.check(runtime, in_library=True)


# What Muster interposes, and whether it leaves anything behind that the program can see.
MUSL_PROGRAM = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_key_t key;
static void *in_thread(void *data) { pthread_setspecific(key, data); pthread_exit(data); }
static void handler(int number) { printf("signal %d\n", number); }
static void at_end(void) { puts("end"); }
int main(void) {
  const char *error = dlerror();
  puts(error != NULL ? error : "no error");
  atexit(at_end);
  pthread_t thread;
  void *result = NULL;
  printf("%d", pthread_key_create(&key, NULL));
  printf(" %u %d", (unsigned)key, pthread_create(&thread, NULL, in_thread, &key));
  pthread_join(thread, &result);
  struct sigaction action = {.sa_handler = handler}, before;
  printf(" %d %d", result == &key, sigaction(SIGUSR1, &action, &before));
  printf(" %d %d\n", before.sa_handler == SIG_DFL, signal(SIGUSR2, handler) == SIG_DFL);
  raise(SIGUSR1), raise(SIGUSR2);
  cpu_set_t cpus;
  printf("%d %d", sched_yield(), sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
  void *self = dlopen(NULL, RTLD_NOW);
  printf(" %d %d", dlsym(self, "no_such_name") == NULL && dlerror() != NULL, dlclose(self));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) execl("/bin/sh", "sh", "-c", "echo from the shell; exit 3", (char *)NULL);
  int status = 0;
  waitpid(child, &status, 0);
  printf("%d %d\n", WEXITSTATUS(status), WEXITSTATUS(system("exit 4")));
  return 7;
}
"""

# Stands in for libgomp as a distribution with musl has it: the constructs that gcc makes of a region and a barrier.
MUSL_RUNTIME = r"""
#include <stdio.h>
double omp_get_wtick(void) { return 1; }
int omp_get_num_threads(void) { return 5; }
int omp_get_thread_num(void) { return 0; }
void GOMP_barrier(void) { puts("barrier"); }
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
  printf("parallel %u %u\n", threads, flags);
  body(data);
}
"""
MUSL_REGIONS = r"""
#include <stdio.h>
double omp_get_wtick(void);
int omp_get_num_threads(void);
void GOMP_barrier(void);
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
static void body(void *data) { printf("%s %d\n", (char *)data, omp_get_num_threads()); GOMP_barrier(); }
int main(void) {
  for (int i = 0; i < 3; ++i) GOMP_parallel(body, "body", 2, 0);
  printf("%g\n", omp_get_wtick());
  return 0;
}
"""


@unittest.skipUnless(shutil.which("musl-gcc"), "no musl-gcc (musl-tools)")
class Musl(unittest.TestCase):
    """Programs on musl that inherit LD_PRELOAD from one on glibc: Muster does nothing there."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-musl-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def built(self, name: str, source: str, *flags: str) -> pathlib.Path:
        file, output = self.folder / f"{name}.c", self.folder / name
        file.write_text(source)
        subprocess.run(["musl-gcc", "-O2", "-w", "-D_GNU_SOURCE", file, "-o", output, *flags], check=True)
        return output

    def check(self, program: pathlib.Path) -> str:
        """Started by a preloaded shell."""
        script = '"$0"; echo "status $?"'
        stock = programs.run("/bin/sh", "-c", script, str(program), preload=False)
        self.assertNotIn("status 127", stock.stdout)
        self.assertEqual(stock.stderr, "")
        report = self.folder / "report.json"
        for settings in ({}, {"MUSTER": "off"}, {"MUSTER_VERBOSE": "1", "MUSTER_REPORT": str(report)}):
            with self.subTest(program=program.name, **settings):
                ours = programs.run("/bin/sh", "-c", script, str(program), **settings)
                self.assertEqual((ours.stdout, ours.stderr), (stock.stdout, stock.stderr))
                self.assertFalse(report.exists())
        return stock.stdout

    def test_child(self) -> None:
        self.assertIn("no error\n0 0 0 1 0 1 1\n", self.check(self.built("child", MUSL_PROGRAM)))

    def test_regions(self) -> None:
        """Of a runtime on musl: every call goes to it."""
        self.built("libgomp.so.1", MUSL_RUNTIME, "-shared", "-fPIC", "-Wl,-soname,libgomp.so.1")
        flags = f"-L{self.folder}", "-l:libgomp.so.1", f"-Wl,-rpath,{self.folder}"
        self.assertEqual(self.check(self.built("regions", MUSL_REGIONS, *flags)).count("barrier"), 3)


if __name__ == "__main__":
    unittest.main()
