"""Programs that ask for OpenMP where no runtime is: what they find, and what it does."""

from __future__ import annotations

import pathlib
import re
import subprocess
import unittest

import fake_runtimes
import programs

HERE = pathlib.Path(__file__).resolve().parent

# Names that Muster does not show, as they mean the same with a fold open: without a runtime they are the program's to have.
STUBS = r"""
int __kmpc_global_thread_num(void *where) { return 0; }
""" + "".join(
    f"void {name}(void) {{}}\n"
    for name in (
        *("__kmpc_critical", "__kmpc_end_critical", "GOMP_atomic_start", "GOMP_atomic_end", "GOMP_critical_start"),
        *("GOMP_critical_end", "GOMP_critical_name_start", "GOMP_critical_name_end"),
    )
)

ASKS = r"""
#include <stdio.h>
#define WEAK __attribute__((weak))
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned) WEAK;
void __kmpc_fork_call(void *, int, void (*)(int *, int *, ...), ...) WEAK;
void __kmpc_barrier(void *, int) WEAK, GOMP_barrier(void) WEAK;
int omp_get_max_threads(void) WEAK, omp_get_thread_num(void) WEAK;
void omp_set_num_threads(int) WEAK;
static int (*volatile table[])(void) = {omp_get_max_threads, omp_get_thread_num};
static void gomp(void *data) { ++*(int *)data; if (GOMP_barrier) GOMP_barrier(); }
static void kmpc(int *global, int *bound, ...) { printf("%d %d\n", *global, *bound); }
int asks(void);
int asks(void) {
  int runs = 0;
  printf("%d%d%d%d%d\n", GOMP_parallel != 0, __kmpc_fork_call != 0, omp_get_max_threads != 0, table[0] != 0,
         table[1] != 0);
  if (omp_set_num_threads) omp_set_num_threads(4);
  if (GOMP_parallel) GOMP_parallel(gomp, &runs, 4, 0); else gomp(&runs);
  int zero = 0;
  if (__kmpc_fork_call) __kmpc_fork_call(0, 0, kmpc); else kmpc(&zero, &zero);
  printf("%d runs, %d threads\n", runs, omp_get_max_threads ? omp_get_max_threads() : 1);
  return 5;
}
"""
OPENS = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
  void *library = dlopen(words[1], RTLD_NOW);
  return ((int (*)(void))dlsym(library, "asks"))();
}
"""

# The forms of gcc before 4.9, where the program calls the region's function itself; and what no compiler makes now.
BY_HAND = r"""
#include <stdio.h>
#include <stdbool.h>
typedef void (*region)(void *);
void GOMP_parallel_start(region, void *, unsigned), GOMP_parallel_end(void);
void GOMP_parallel_loop_static_start(region, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_runtime_start(region, void *, unsigned, long, long, long);
void GOMP_parallel_sections_start(region, void *, unsigned, unsigned);
void GOMP_parallel_loop_guided(region, void *, unsigned, long, long, long, long, unsigned);
bool GOMP_loop_static_next(long *, long *), GOMP_loop_runtime_next(long *, long *), GOMP_loop_guided_next(long *, long *);
void GOMP_loop_end_nowait(void), GOMP_sections_end_nowait(void);
unsigned GOMP_sections_next(void);
bool GOMP_loop_ull_doacross_dynamic_start(unsigned, unsigned long long *, unsigned long long, unsigned long long *,
                                          unsigned long long *);
int __kmpc_barrier_master(void *, int), __kmpc_barrier_master_nowait(void *, int), __kmpc_next_section(void *, int, int);
int __kmpc_masked(void *, int, int), __kmpc_sections_init(void *, int);
void *__kmpc_copyprivate_light(void *, int, void *);
void __kmpc_fork_call_if(void *, int, void *, int, void *);
void __kmpc_dist_for_static_init_4u(void *, int, int, int *, unsigned *, unsigned *, unsigned *, int *, int, int);
int omp_in_parallel(void), omp_get_level(void), omp_get_team_size(int), omp_get_max_threads(void);

static void iterations(bool (*next)(long *, long *)) {
  long begin, end;
  while (next(&begin, &end)) printf("%ld to %ld\n", begin, end);
  GOMP_loop_end_nowait();
}
static void inner(void *data) { iterations(GOMP_loop_guided_next); }
// Opens a region of its own before it asks for its share.
static void outer(void *data) {
  GOMP_parallel_loop_guided(inner, 0, 2, 5, 8, 1, 1, 0);
  iterations(GOMP_loop_static_next);
}
static void sections(void *data) {
  for (unsigned i; (i = GOMP_sections_next()) != 0;) printf("section %u\n", i);
  GOMP_sections_end_nowait();
}
static void branch(int *global, int *bound, long *argument) { printf("branch %ld\n", *argument); }
int main(void) {
  GOMP_parallel_start(sections, 0, 4);
  GOMP_parallel_end();
  GOMP_parallel_loop_static_start(outer, 0, 4, 1, 10, 2, 0);
  outer(0);
  GOMP_parallel_end();
  GOMP_parallel_loop_runtime_start(0, 0, 4, 9, -1, -3);
  iterations(GOMP_loop_runtime_next);
  GOMP_parallel_end();
  GOMP_parallel_sections_start(sections, 0, 4, 3);
  sections(0);
  GOMP_parallel_end();
  iterations(GOMP_loop_static_next);
  unsigned long long counts[] = {4, 5}, begin, end;
  if (GOMP_loop_ull_doacross_dynamic_start(2, counts, 1, &begin, &end)) printf("%llu to %llu\n", begin, end);
  long argument = 42;
  __kmpc_fork_call_if(0, 1, branch, 0, &argument);
  printf("%d%d%d%d\n", __kmpc_barrier_master(0, 0), __kmpc_barrier_master_nowait(0, 0), __kmpc_masked(0, 0, 0),
         __kmpc_masked(0, 0, 1));
  __kmpc_sections_init(0, 0);
  for (int i; (i = __kmpc_next_section(0, 0, 2)) < 2;) printf("section %d\n", i);
  printf("%d\n", __kmpc_copyprivate_light(0, 0, &argument) == &argument);
  unsigned lower = 3, upper = 10, whole = 0;
  int last = 0, stride = 0;
  __kmpc_dist_for_static_init_4u(0, 0, 34, &last, &lower, &upper, &whole, &stride, 1, 1);
  printf("%u to %u of %u, %d, %d\n", lower, upper, whole, last, stride);
  printf("%d %d %d %d\n", omp_in_parallel(), omp_get_level(), omp_get_team_size(0), omp_get_max_threads());
  return 0;
}
"""
BY_HAND_OUTPUT = """5 to 8
1 to 10
9 to -1
section 1
section 2
section 3
0 to 4
branch 42
1110
section 0
section 1
1
3 to 10 of 10, 1, 8
0 0 1 1
"""

# Threads of the program's own: an event that one fulfils and another waits for, and their threadprivate variables.
THREADS = r"""
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int own = 7;
#pragma omp threadprivate(own)
static int done;
static void *fulfills(void *event) {
  usleep(100000);
  done = own++;
  omp_fulfill_event((omp_event_handle_t)event);
  return 0;
}
int run(void);
int run(void) {
  pthread_t thread;
  omp_event_handle_t event;
  own = 20;
  #pragma omp task detach(event) shared(thread)
  pthread_create(&thread, 0, fulfills, (void *)event);
  #pragma omp taskwait
  printf("%d %d\n", done, own);
  pthread_join(thread, 0);
  return 0;
}
"""


def object_without_runtime(name: str, compiler: list[str], source: pathlib.Path) -> pathlib.Path:
    """A program whose OpenMP is in a library that was linked with no runtime."""
    library = fake_runtimes.FOLDER / f"lib{name}.so"
    stubs = fake_runtimes.library("stubs", STUBS)
    flags = ["-w", "-O1", "-fPIC", "-fopenmp", "-DNO_RUNTIME", "-c", source, "-o", library.with_suffix(".o")]
    subprocess.run([*compiler, *flags], check=True)
    rpath = f"-Wl,-rpath,{fake_runtimes.FOLDER}"
    links = ["-shared", library.with_suffix(".o"), stubs, "-o", library, "-lstdc++", rpath]
    subprocess.run(["gcc", *links], check=True)
    main = "int run(void);\nint main(void) { return run(); }\n"
    program = fake_runtimes.FOLDER / f"runs_{name}"
    (fake_runtimes.FOLDER / "runs.c").write_text(main)
    links = [f"-L{fake_runtimes.FOLDER}", f"-l{name}", rpath, "-Wl,--allow-shlib-undefined"]
    subprocess.run(["gcc", fake_runtimes.FOLDER / "runs.c", *links, "-o", program], check=True)
    return program


class Asking(unittest.TestCase):
    """Weak references, of a program and of an object that it opens."""

    def test_a_program_sees_nothing(self) -> None:
        source = ASKS + "int main(void) { return asks(); }\n"
        for name, links in (("asks", ()), ("asks_now", ("-Wl,-z,now",))):
            program = fake_runtimes.program(name, source, *links)
            stock = programs.run(program, preload=False)
            self.assertEqual((stock.returncode, stock.stdout), (5, "00000\n0 0\n1 runs, 1 threads\n"))
            for switch in ("on", "off"):
                ours = programs.run(program, MUSTER=switch)
                self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (5, stock.stdout, ""))

    def test_an_object_that_is_opened_runs_serially(self) -> None:
        library = fake_runtimes.library("asks", ASKS)
        program = fake_runtimes.program("opens", OPENS, "dl")
        for switch in ("on", "off"):
            ours = programs.run(program, str(library), MUSTER=switch)
            self.assertEqual((ours.returncode, ours.stderr), (5, ""))
            self.assertEqual(ours.stdout, "11111\n0 0\n1 runs, 1 threads\n")
        told = programs.run(program, str(library), MUSTER_VERBOSE="1").stderr
        self.assertEqual(len(re.findall(r"^muster: no OpenMP runtime has GOMP_parallel: ", told, re.MULTILINE)), 1)


class Serial(unittest.TestCase):
    def test_every_construct(self) -> None:
        source = HERE / "every_construct.cpp"
        for name, compiler in (("clang", ["clang++-19", "-fopenmp-version=52"]), ("gnu", ["g++"])):
            with self.subTest(compiler=name):
                stock = fake_runtimes.FOLDER / f"every_{name}"
                subprocess.run([*compiler, "-w", "-O1", "-fopenmp", source, "-o", stock], check=True)
                expected = programs.run(stock, preload=False, OMP_NUM_THREADS="1", OMP_THREAD_LIMIT="1")
                self.assertEqual(expected.returncode, 0)
                self.assertGreater(len(expected.stdout.splitlines()), 80)
                program = object_without_runtime(f"every_{name}", compiler, source)
                self.assertEqual(programs.run(program, preload=False).returncode, 127)
                ours = programs.run(program)
                self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (0, expected.stdout, ""))

    def test_old_forms(self) -> None:
        library = fake_runtimes.library("by_hand", BY_HAND.replace("int main(void)", "int run(void)"))
        links = "by_hand", "-Wl,--allow-shlib-undefined"
        program = fake_runtimes.program("runs_by_hand", "int run(void);\nint main(void) { return run(); }", *links)
        self.assertTrue(library.is_file())
        ours = programs.run(program)
        self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (0, BY_HAND_OUTPUT, ""))

    def test_threads_of_the_program(self) -> None:
        source = fake_runtimes.FOLDER / "threads.c"
        source.write_text(THREADS)
        for name, compiler in (
            ("threads_clang", ["clang-19", "-fopenmp-version=51", "-fnoopenmp-use-tls"]),
            ("threads_gnu", ["gcc"]),
        ):
            with self.subTest(name=name):
                ours = programs.run(object_without_runtime(name, compiler, source))
                self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (0, "7 20\n", ""))


# A runtime that has nearly everything: the name that it lacks is wanted by one object, and may be missing for another.
NEARLY = "int omp_get_wtick(void) { return 0; }\nvoid __kmpc_fork_call(void) {}\nint __kmpc_single(void) { return 3; }\n"
LACKS = r"""
int __kmpc_single(void), __kmpc_master(void) %s;
void __kmpc_fork_call(void);
#include <stdio.h>
int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  __kmpc_fork_call();
  printf("%%d\n", __kmpc_single());
  printf("%%d\n", __kmpc_master());
  return 0;
}
"""


class Lacking(unittest.TestCase):
    def test_a_name_that_the_runtime_lacks(self) -> None:
        """A construct that a team would execute several times over is not: the loader's message, as stock."""
        fake_runtimes.library("nearly", NEARLY)
        fake_runtimes.library("lacks", (LACKS % "").replace("int main", "int run"), "nearly")
        main = "int run(void);\nint main(void) { return run(); }"
        program = fake_runtimes.program("lacks", main, "lacks", "-Wl,--allow-shlib-undefined")
        stock = programs.run(program, preload=False)
        self.assertEqual((stock.returncode, stock.stdout), (127, "3\n"))
        ours = programs.run(program)
        self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (127, stock.stdout, stock.stderr))


if __name__ == "__main__":
    unittest.main()
