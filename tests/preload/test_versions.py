"""Symbol versions: a call goes to the function that the caller was linked with, although Muster shows no versions."""

from __future__ import annotations

import os
import pathlib
import platform
import subprocess
import unittest

import fake_runtimes
import programs

from lab.runtimes import loader_command

# A runtime with several functions of one name, and callers that were each linked with one of them.
def versioned(name: str, default: tuple[str, int], other: tuple[str, int]) -> pathlib.Path:
    source = ""
    for at, (version, number) in (("@@", default), ("@", other)):
        for function in VERSIONED:
            source += fake_runtimes.answering(number, f"{version}_{function}")
            source += f'__asm__(".symver {version}_{function}, {function}{at}{version}");\n'
    return fake_runtimes.versioned_library(name, source, f"{default[0]} {{}}; {other[0]} {{}};")


VERSIONED = "omp_get_max_threads", "omp_set_num_threads", "__kmpc_single"
ASKS = r"""
int omp_get_max_threads(void), omp_set_num_threads(void), __kmpc_single(void);
int asks_%s(void) { return omp_get_max_threads() + 100 * omp_set_num_threads() + 10000 * __kmpc_single(); }
"""
ASKS_ALL = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int asks_old(void), asks_new(void), asks_any(void);
int main(void) {
  for (int i = 0; i < 2; ++i) {
    int (*found)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    printf("%d %d %d %d\n", asks_old(), asks_new(), asks_any(), found());
  }
}
"""

# Arguments: what to open, "global:PATH" or "local:PATH", and "FUNCTION:PATH" to ask a caller.
ASKS_LATE = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
  for (int i = 1; i < count; ++i) {
    char *path = strchr(words[i], ':');
    *path++ = 0;
    int global = strcmp(words[i], "global") == 0;
    void *handle = dlopen(path, RTLD_LAZY | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (handle == NULL) return puts(dlerror());
    int (*ask)(void) = (int (*)(void))dlsym(handle, words[i]);
    if (ask != NULL) printf("%d ", ask());
  }
  puts("");
}
"""
# A function that chooses its own code, for which only the loader may ask.
CHOSEN = r"""
static int chosen(void) { return 44; }
static int (*choose(void))(void) { return chosen; }
int omp_get_max_threads(void) __attribute__((ifunc("choose")));
int omp_set_num_threads(void) { return 44; }
int __kmpc_single(void) { return 44; }
"""


class Versions(unittest.TestCase):
    """The loader passes over definitions of another version than the caller was linked with."""

    def test_each_caller_gets_its_version(self) -> None:
        second = versioned("second_versions", ("NEW", 22), ("OLD", 21))
        first = versioned("first_versions", ("OTHER", 10), ("OLD", 11))
        plain = fake_runtimes.library("plain_version", fake_runtimes.answering(33, *VERSIONED))
        older = "".join(f'__asm__(".symver {name}, {name}@OLD");\n' for name in VERSIONED)
        fake_runtimes.library("asks_old", older + ASKS % "old", "second_versions")
        fake_runtimes.library("asks_new", ASKS % "new", "second_versions")
        fake_runtimes.library("asks_any", ASKS % "any", "plain_version")
        program = fake_runtimes.program("asks_all", ASKS_ALL, "asks_old", "asks_new", "asks_any", "dl")
        for order, expected in (
            ((), (21, 22, 22, 22)),
            ((first,), (11, 22, 10, 10)),  # only the second has NEW
            ((plain, first), (33, 33, 33, 33)),  # without a version, it serves all
            ((second, first), (21, 22, 22, 22)),
        ):
            with self.subTest(order=[path.name for path in order]):
                old, new, unversioned, found = (str(number) for number in expected)
                line = f"{3 * old} {3 * new} {3 * unversioned} {found}\n"
                for ours in ([], [programs.LIBRARY]):
                    preloaded = ":".join([*ours, *map(str, order)])
                    result = programs.run(program, preload=False, LD_PRELOAD=preloaded)
                    self.assertEqual((result.returncode, result.stdout, result.stderr), (0, 2 * line, ""))

    def test_of_what_is_opened_later(self) -> None:
        """Several that define one name: which is first only the loader knows."""
        second = versioned("second_versions", ("NEW", 22), ("OLD", 21))
        first = versioned("first_versions", ("OTHER", 10), ("OLD", 11))
        plain = fake_runtimes.library("plain_version", fake_runtimes.answering(33, *VERSIONED))
        chosen = fake_runtimes.library("chosen_version", CHOSEN)
        source = "".join(
            fake_runtimes.answering(66, f"old_{name}") + f'__asm__(".symver old_{name}, {name}@OLD");\n' for name in VERSIONED
        )
        outdated = fake_runtimes.versioned_library("outdated_version", source, "OLD {};")
        older = "".join(f'__asm__(".symver {name}, {name}@OLD");\n' for name in VERSIONED)
        old = fake_runtimes.library("asks_old", older + ASKS % "old", "second_versions")
        new = fake_runtimes.library("asks_new", ASKS % "new", "second_versions")
        any_version = fake_runtimes.library("asks_any", ASKS % "any", "plain_version")
        program = fake_runtimes.program("asks_late", ASKS_LATE, "-ldl")
        ask = [f"asks_old:{old}", f"asks_new:{new}", f"asks_any:{any_version}"]
        alone = fake_runtimes.library("asks_alone", ASKS % "alone")
        words = [f"global:{chosen}", f"asks_alone:{alone}"]
        self.assertEqual(programs.run(program, *words).stdout, "444444 \n")
        words = [f"global:{outdated}", f"global:{plain}", f"asks_old:{old}"]
        self.assertEqual(programs.run(program, *words).stdout, "666666 \n")
        stubs = fake_runtimes.library("stubs", fake_runtimes.answering(55, *VERSIONED, "omp_get_wtick"))
        words = [f"global:{stubs}", f"asks_alone:{alone}"]
        self.assertEqual(programs.run(program, *words).stdout, "555555 \n")
        for how in ("global", "local"):
            for order in ((), (first,), (plain, first), (second, first), (chosen,), (chosen, plain)):
                with self.subTest(how=how, order=[path.name for path in order]):
                    words = [*(f"{how}:{path}" for path in order), *ask]
                    stock = programs.run(program, *words, preload=False)
                    ours = programs.run(program, *words)
                    self.assertEqual((ours.stdout, ours.stderr), (stock.stdout, stock.stderr))


# glibc's posix_spawn had the shell run files that are no programs, until 2.15; programs of that time still get that.
SPAWNS = r"""
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
%s
extern char **environ;
typedef int Spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                  char *const[], char *const[]);
static void try(Spawn *spawn, const char *path) {
  char *words[] = {"script", NULL};
  pid_t child = -1;
  int status = -1;
  int error = spawn(&child, path, NULL, NULL, words, environ);
  if (error == 0) waitpid(child, &status, 0);
  printf("%%s, status %%d\n", error != 0 ? strerror(error) : "started", status);
}
int main(int count, char **words) {
  try(posix_spawn, words[1]);
  try(posix_spawnp, words[1]);
  return 0;
}
"""


@unittest.skipUnless(platform.machine() == "x86_64", "later machines never had the old version")
class VersionsOfTheCLibrary(unittest.TestCase):
    def test_posix_spawn(self) -> None:
        script = fake_runtimes.FOLDER / "script"
        script.write_text("exit 7\n")
        script.chmod(0o755)
        old = "".join(f'__asm__(".symver {name}, {name}@GLIBC_2.2.5");\n' for name in ("posix_spawn", "posix_spawnp"))
        for name, versions, expected in (
            ("spawns_old", old, "started, status 1792\n"),
            ("spawns", "", "Exec format error, status -1\n"),
        ):
            program = fake_runtimes.program(name, SPAWNS % versions)
            for preload in (False, True):
                with self.subTest(program=name, preload=preload):
                    result = programs.run(program, str(script), preload=preload)
                    self.assertEqual((result.stdout, result.stderr), (2 * expected, ""))


class Definitions(unittest.TestCase):
    """What Muster reads from an object's own tables, without the loader's locks, is what the loader finds there."""

    PROBE = os.environ["MUSTER_DEFINITIONS_PROBE"]

    def compare(self, library: pathlib.Path) -> None:
        listed = subprocess.run(
            ["nm", "-D", "--with-symbol-versions", library], capture_output=True, text=True, check=True
        ).stdout
        symbols = [line.split()[-1].partition("@") for line in listed.splitlines()]
        names = sorted({name for name, _, _ in symbols} | {"no_such_name", "GOMP_", "omp_get_num_thread"})
        versions = sorted({version.strip("@") for _, _, version in symbols if version} | {"NO_SUCH_VERSION"})
        result = subprocess.run(
            [*loader_command(library.parent), self.PROBE, library, *versions], input="\n".join(names), capture_output=True, text=True
        )
        compared = len(names) * (len(versions) + 1)
        self.assertGreater(compared, 1000)
        self.assertEqual(result.stdout, f"{compared} compared, 0 different\n", result.stderr)

    # muster-test: full every fetched runtime
    def test_each_runtime(self) -> None:
        found = pathlib.Path(os.environ["MUSTER_RUNTIMES"]).glob("lib*/lib*omp*.so*")
        runtimes = sorted({path.resolve() for path in found})
        self.assertGreaterEqual(len(runtimes), 5)
        for library in runtimes:
            with self.subTest(library=library):
                self.compare(library)

    def test_the_systems(self) -> None:
        for compiler, name in (("clang-19", "libomp.so"), ("gcc", "libgomp.so.1")):
            with self.subTest(name):
                self.compare(programs.system_runtime(compiler, name))


if __name__ == "__main__":
    unittest.main()
