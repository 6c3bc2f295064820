"""The thunks of the runtimes' entry points: each calls the right function with all arguments."""

from __future__ import annotations

import os
import pathlib
import subprocess
import unittest

import fake_runtimes
import programs
from fake_runtimes import answering

from lab.runtimes import loader_command

RUNTIMES = pathlib.Path(os.environ["MUSTER_RUNTIMES"])

# Integers and doubles beyond the registers, a large result, variadic doubles, a wide stack argument.
SIGNATURES = r"""
struct large { long part[5]; };
long omp_control_tool(long, double, int, float, short, double, char, double, void *, double, unsigned,
                      double, long, double, long, double, double, long, double, long double);
struct large __kmpc_doacross_init(long, struct large, double);
double __kmpc_dispatch_init_8u(int count, ...);
"""
SIGNATURES_RUNTIME = (
    "#include <stdarg.h>\n#include <errno.h>\n"
    + SIGNATURES
    + r"""
long omp_control_tool(long a, double b, int c, float d, short e, double f, char g, double h, void *i,
                      double j, unsigned k, double l, long m, double n, long o, double p, double q, long r,
                      double s, long double t) {
  return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g + 19 * h + 23 * (long)i + 29 * j + 31 * k +
         37 * l + 41 * m + 43 * n + 47 * o + 53 * p + 59 * q + 61 * r + 67 * s + 71 * t;
}
struct large __kmpc_doacross_init(long a, struct large b, double c) {
  for (int i = 0; i < 5; ++i) b.part[i] = b.part[i] * a + (long)c;
  return b;
}
double __kmpc_dispatch_init_8u(int count, ...) {
  volatile char apart[1024];  // from where the thunk has kept the registers just before
  apart[count] = 0;
  va_list list;
  va_start(list, count);
  double sum = errno;
  for (int i = 0; i < count; ++i) sum = sum * 2 + va_arg(list, double) + va_arg(list, int);
  va_end(list);
  return sum;
}
"""
)
SIGNATURES_PROGRAM = (
    "#include <stdio.h>\n#include <errno.h>\n"
    + SIGNATURES
    + r"""
int main(void) {
  for (int i = 1; i <= 3; ++i) {
    printf("%ld\n", omp_control_tool(i, 2, 3, 4, 5, 6, 7, 8, (void *)9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                     19, 20));
    struct large given = {{1, 2, 3, 4, i}};
    struct large got = __kmpc_doacross_init(10, given, 7);
    for (int k = 0; k < 5; ++k) printf("%ld ", got.part[k]);
    errno = 1000;
    printf("%.1f\n", __kmpc_dispatch_init_8u(10, 1., 1, 2., 2, 3., 3, 4., 4, 5., 5, 6., 6, 7., 7, 8., 8, 9., 9,
                                             10., i));
    printf("errno %d\n", errno);
  }
  return 0;
}
"""
)

# Which runtime a caller is bound to, for a name that both fakes have and for one that the second has.
BOUND = r"""
int omp_get_max_threads(void), __kmpc_single(void), GOMP_single_start(void), kmp_get_affinity(void);
int bound_%(name)s(void) {
  return omp_get_max_threads() + 10 * __kmpc_single() + 100 * GOMP_single_start() + 1000 * kmp_get_affinity();
}
"""
NAMES_OF_BOUND = ("omp_get_max_threads", "__kmpc_single", "GOMP_single_start", "kmp_get_affinity")


class Thunks(unittest.TestCase):
    def assert_as_stock(self, program: pathlib.Path, *arguments: str, **variables: str) -> str:
        """Same output and status with Muster and without, and with Muster switched off."""
        stock = programs.run(program, *arguments, preload=False, **variables)
        for more in ({}, {"MUSTER": "off"}):
            ours = programs.run(program, *arguments, **(variables | more))
            self.assertEqual((ours.returncode, ours.stdout), (stock.returncode, stock.stdout))
            self.assertEqual(ours.stderr, stock.stderr)
        return stock.stdout

    def test_every_name_reaches_its_function(self) -> None:
        names = fake_runtimes.thunked(own=True)
        self.assertGreater(len(names), 300)
        body = "(long a, double b) { return a * 1000 + b + "
        made = "".join(f"long {name}{body}{i}; }}\n" for i, name in enumerate(names))
        fake_runtimes.library("every", made)
        calls = "".join(
            f'if ({name}(k, 1000000.) != k * 1000 + 1000000 + {i}) puts("{name}");\n' for i, name in enumerate(names)
        )
        declared = "".join(f"long {name}(long, double);\n" for name in names)
        main = f'int main(void) {{ for (long k = 1; k < 4; ++k) {{ {calls} }} puts("called"); }}'
        source = f"#include <stdio.h>\n{declared}{main}"
        self.assertEqual(self.assert_as_stock(fake_runtimes.program("call_every", source, "every")), "called\n")

    def test_arguments_and_results(self) -> None:
        fake_runtimes.library("signatures", SIGNATURES_RUNTIME)
        output = self.assert_as_stock(fake_runtimes.program("call_signatures", SIGNATURES_PROGRAM, "signatures"))
        self.assertEqual(output.count("errno 1000"), 3)

    def test_two_runtimes_in_one_scope(self) -> None:
        fake_runtimes.library("first", answering(1, *NAMES_OF_BOUND[:-1]))
        fake_runtimes.library("second", answering(2, *NAMES_OF_BOUND))
        source = BOUND % {"name": "main"} + '#include <stdio.h>\nint main(void) { printf("%d\\n", bound_main()); }'
        for order, expected in ((("first", "second"), "2111\n"), (("second", "first"), "2222\n")):
            program = fake_runtimes.program(f"one_scope_{order[0]}", source, *order)
            self.assertEqual(self.assert_as_stock(program), expected)

    def test_two_runtimes_each_with_its_callers(self) -> None:
        for number, name in enumerate(("alpha", "beta", "gamma"), 1):
            fake_runtimes.library(name, answering(number, *NAMES_OF_BOUND))
            fake_runtimes.library(f"uses_{name}", BOUND % {"name": name}, name)
        source = r"""
            #include <dlfcn.h>
            #include <stdio.h>
            int main(int count, char **words) {
              int (*bound[8])(void);
              for (int i = 2; i < count; ++i) {  // each is opened after the ones before it were called
                char text[4096];
                snprintf(text, sizeof text, "%s/libuses_%s.so", words[1], words[i]);
                void *library = dlopen(text, RTLD_NOW | RTLD_LOCAL);
                snprintf(text, sizeof text, "bound_%s", words[i]);
                bound[i] = (int (*)(void))dlsym(library, text);
                for (int again = 0; again < 2; ++again)
                  for (int k = 2; k <= i; ++k) printf("%d\n", bound[k]());
              }
              return 0;
            }"""
        opener = fake_runtimes.program("opener", source, "dl")
        folder = str(fake_runtimes.FOLDER)
        for order, expected in ((("alpha", "beta", "gamma"), "1111 2222 3333"), (("gamma", "alpha"), "3333 1111")):
            output = self.assert_as_stock(opener, folder, *order)
            self.assertTrue(" ".join(output.split()).endswith(expected), output)

    def test_a_runtimes_own_call(self) -> None:
        own = answering(5, "__kmpc_single") + "int omp_get_max_threads(void) { return __kmpc_single() + 1; }\n"
        fake_runtimes.library("own", own)
        fake_runtimes.library("ahead", answering(9, "__kmpc_master"))
        source = '#include <stdio.h>\nint omp_get_max_threads(void);\n'
        source += 'int main(void) { printf("%d\\n", omp_get_max_threads()); }'
        self.assertEqual(self.assert_as_stock(fake_runtimes.program("calls_own", source, "ahead", "own")), "6\n")


# A region's function that ends with a call: it jumps, and leaves nothing of its own on the stack.
LAST_CALL = r"""
#include <omp.h>
#include <stdio.h>
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
static int in_region[4];
static void query(void *data) { ((void (*)(int))data)(omp_get_thread_num()); }
static void note(int number) { in_region[number] = omp_get_num_threads(); }
static void sets(void *data) { omp_set_num_threads(7); }
int main(void) {
  for (int i = 0; i < 3; ++i) {
    GOMP_parallel(query, (void *)note, 3, 0);
    GOMP_parallel(sets, 0, 2, 0);
    long sum = 0;
    #pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int k = 0; k < 100; ++k) sum += k;
    #pragma omp parallel num_threads(2)
    #pragma omp for nowait
    for (int k = 3; k < 4; ++k) in_region[k] = omp_get_num_threads();
    printf("%d %d %d %d %ld %d\n", in_region[0], in_region[1], in_region[2], in_region[3], sum,
           omp_get_max_threads());
  }
  return 0;
}
"""


class LastCalls(unittest.TestCase):
    def test_a_region_that_ends_with_a_call(self) -> None:
        program = programs.build(LAST_CALL, name="last_call")
        self.assertEqual(programs.run(program).stdout, "3 3 3 2 4950 2\n" * 3)


# What every query answers, where there is one.
QUERIES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
static void ask(const char *name, int first, int last, int by_reference) {
  void *found = dlsym(RTLD_DEFAULT, name);
  if (!found) { printf("%s is not there\n", name); return; }
  for (int i = first; i <= last; ++i)
    printf("%s %d: %d\n", name, i, by_reference ? ((int (*)(int *))found)(&i) : ((int (*)(int))found)(i));
}
#define PLAIN(name) ask(#name, 0, 0, 0); ask(#name "_", 0, 0, 0);
int main(void) {
  PLAIN(omp_get_num_threads) PLAIN(omp_get_thread_num) PLAIN(omp_in_parallel) PLAIN(omp_get_level)
  PLAIN(omp_get_active_level) PLAIN(omp_get_max_threads) PLAIN(omp_get_num_teams) PLAIN(omp_get_team_num)
  PLAIN(omp_get_proc_bind)
  ask("omp_get_ancestor_thread_num", -2, 3, 0);
  ask("omp_get_ancestor_thread_num_", -2, 3, 1);
  ask("ompc_get_ancestor_thread_num", -2, 3, 0);
  ask("omp_get_team_size", -2, 3, 0);
  ask("omp_get_team_size_", -2, 3, 1);
  ask("ompc_get_team_size", -2, 3, 0);
  return 0;
}
"""

# Looks for OpenMP as libraries do, by weak references.
WEAK = r"""
#include <stdio.h>
#define WEAK __attribute__((weak))
int omp_get_num_threads(void) WEAK, omp_get_max_threads(void) WEAK, omp_get_thread_num(void) WEAK;
void omp_set_num_threads(int) WEAK, omp_set_dynamic(int) WEAK, kmp_set_blocktime(int) WEAK;
int main(void) {
  int threads = 1;
  if (omp_set_num_threads) omp_set_num_threads(8);
  if (omp_set_dynamic) omp_set_dynamic(1);
  if (kmp_set_blocktime) kmp_set_blocktime(0);
  for (int i = 0; i < 3; ++i) {
    if (omp_get_max_threads) threads *= omp_get_max_threads();
    if (omp_get_num_threads) threads *= omp_get_num_threads();
    if (omp_get_thread_num) threads += omp_get_thread_num();
  }
  printf("%d\n", threads);
  return 0;
}
"""


class WithoutARuntime(unittest.TestCase):
    def test_weak_references(self) -> None:
        program = fake_runtimes.program("weak", WEAK)
        for switch in ("on", "off"):
            result = programs.run(program, MUSTER=switch)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "1\n", ""))

    def test_one_that_comes_later(self) -> None:
        late = fake_runtimes.library("late", answering(6, "omp_get_max_threads"))
        source = r"""
            #include <dlfcn.h>
            #include <stdio.h>
            int omp_get_max_threads(void) __attribute__((weak));
            int main(int count, char **words) {
              int before = omp_get_max_threads();
              dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
              printf("%d %d %d\n", before, omp_get_max_threads(), omp_get_max_threads());
              return 0;
            }"""
        result = programs.run(fake_runtimes.program("probes_late", source, "dl"), str(late))
        self.assertEqual((result.returncode, result.stdout), (0, "1 6 6\n"))

    def test_answers_are_those_of_a_serial_part(self) -> None:
        """Muster's answers where there is no runtime, which are those while a fold is open; and every runtime's own."""
        program = fake_runtimes.program("queries", QUERIES, "dl")
        ours = programs.run(program)
        self.assertEqual((ours.returncode, ours.stderr), (0, ""))
        self.assertNotIn("not there", ours.stdout)
        runtimes = sorted(RUNTIMES.glob("*/libomp.so"))
        for runtime in runtimes:
            with self.subTest(runtime=runtime.parent.name):
                for preloaded in (str(runtime), f"{programs.LIBRARY}:{runtime}"):
                    variables = {"LD_PRELOAD": preloaded, "OMP_NUM_THREADS": "1"}
                    result = programs.run(program, preload=False, **variables)
                    self.assertEqual(result.stdout, ours.stdout)
        if not runtimes:
            self.skipTest("no runtimes were fetched")


# What a thread's flags do to calls of every kind, from the program and from the runtime itself.
STATES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int omp_set_num_threads(int), __kmpc_push_proc_bind(int), __kmpc_single(int), omp_get_max_threads(void);
int omp_get_level(void), omp_get_level_(void), omp_get_team_size_(int *);
int omp_get_wtime(void), omp_get_schedule(void);
int main(void) {
  void (*set_state)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "muster_test_set_state");
  for (int flags = 0; flags < 16; flags = flags ? flags * 2 : 1) {
    printf("flags %d\n", flags);
    for (int again = 0; again < 2; ++again) {
      int level = 0;
      set_state(flags);
      int got = omp_set_num_threads(1) + __kmpc_push_proc_bind(1) + __kmpc_single(1);
      got += omp_get_wtime() + omp_get_schedule();
      int answers[] = {omp_get_max_threads(), omp_get_level(), omp_get_level_(), omp_get_team_size_(&level)};
      set_state(0);
      printf("%d; %d %d %d %d\n", got, answers[0], answers[1], answers[2], answers[3]);
    }
  }
  return 0;
}
"""
STATES_RUNTIME = r"""
int omp_set_num_threads(int), __kmpc_single(int);
int omp_set_num_threads(int n) { return n; }
int __kmpc_single(int n) { return n; }
int __kmpc_push_proc_bind(int n) { return omp_set_num_threads(n) + __kmpc_single(n); }
int omp_get_wtime(void) { return __kmpc_single(100); }  // harmless, as omp_get_schedule is
"""


class WithFoldState(unittest.TestCase):
    LIBRARY = os.environ["MUSTER_THUNKS_ALONE"]
    PUSHES = ["__kmpc_push_proc_bind pushes"]
    SETS = ["omp_set_num_threads sets", *PUSHES]
    CLOSES = ["__kmpc_single closes"]

    def run_with_state(self, program: pathlib.Path) -> list[str]:
        result = programs.run(program, preload=False, LD_PRELOAD=self.LIBRARY)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [line for line in result.stdout.splitlines() if line]

    def test_calls_in_each_state(self) -> None:
        names = "omp_get_max_threads", "omp_get_level", "omp_get_level_", "omp_get_team_size_", "omp_get_schedule"
        fake_runtimes.library("states", STATES_RUNTIME + answering(7, *names))
        expected = []
        for flags, told, answers in (
            (0, [], "7 7 7 7"),
            (1, self.SETS + self.CLOSES, "42 0 0 1"),
            (2, self.SETS + self.CLOSES, "42 1 1 1"),
            (4, self.SETS, "7 7 7 7"),
            (8, self.PUSHES, "7 7 7 7"),
        ):
            expected += [f"flags {flags}", *(2 * [*told, f"111; {answers}"])]
        self.assertEqual(self.run_with_state(fake_runtimes.program("call_in_states", STATES, "states", "dl")), expected)

    def test_arguments_outlive_it(self) -> None:
        fake_runtimes.library("signatures", SIGNATURES_RUNTIME)
        prologue = '#define _GNU_SOURCE\n#include <dlfcn.h>\n'
        begin = "int main(void) {\n"
        source = prologue + SIGNATURES_PROGRAM.replace(
            begin, begin + '  ((void (*)(int))dlsym(RTLD_DEFAULT, "muster_test_set_state"))(1);\n'
        )
        lines = self.run_with_state(fake_runtimes.program("state_signatures", source, "signatures", "dl"))
        told = [line for line in lines if line.endswith(" closes")]
        self.assertEqual(len(told), 9)
        stock = programs.run(fake_runtimes.program("call_signatures", SIGNATURES_PROGRAM, "signatures"), preload=False)
        others = " ".join(line for line in lines if line not in told)
        self.assertEqual(others.split(), stock.stdout.split())


class UnknownEntries(unittest.TestCase):
    PROBE = os.environ["MUSTER_UNKNOWN_ENTRIES_PROBE"]

    def probe(self, library: pathlib.Path) -> str:
        command = [*loader_command(library.parent), self.PROBE, library]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def test_every_runtime_is_known(self) -> None:
        for runtime in (*RUNTIMES.glob("*/libomp.so"), *RUNTIMES.glob("*/libgomp.so.1")):
            with self.subTest(runtime=runtime.parent.name):
                self.assertEqual(self.probe(runtime), "all known")

    def test_a_newer_one_is_not(self) -> None:
        known = "__kmpc_fork_call", "omp_get_level", "__kmpc_atomic_new_type", "__kmp_debugger_hook"
        hidden = '__attribute__((visibility("hidden"))) void omp_hidden(void) {}\nint omp_some_data;\n'
        older = fake_runtimes.library("older", hidden + answering(0, *known))
        self.assertEqual(self.probe(older), "all known")
        newer = fake_runtimes.library("newer", hidden + answering(0, *known, "omp_get_novelty"))
        self.assertEqual(self.probe(newer), "omp_get_novelty")


if __name__ == "__main__":
    unittest.main()
