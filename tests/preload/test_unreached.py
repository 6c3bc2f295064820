"""Runtimes that Muster cannot reach: the program runs as without, and the report says which and why."""

from __future__ import annotations

import csv
import json
import pathlib
import struct
import subprocess
import tempfile
import unittest

import programs

TEAM = r"""
int team(void) {
  int sum = 0;
  #pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    for (int i = 0; i < 10; ++i) {
      #pragma omp barrier
    }
    sum += 1;
  }
  return sum;
}
"""

LINKED = TEAM + r"""
#include <stdio.h>
int main(void) { printf("%d\n", team()); return 0; }
"""

AT_LOAD = r"""
#include <stdio.h>
__attribute__((constructor)) static void load(void) { printf("%d\n", team()); }
"""

# HOW OBJECT ...: opens each object in that way, and has it run its team. Unless it is "idle", or "at_load": then that is
# what its constructor has done.
OPENER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int count, char **arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    const char *how = arguments[i], *path = arguments[i + 1];
    const int now = RTLD_NOW | RTLD_LOCAL;
    void *object = strcmp(how, "namespace") == 0 ? dlmopen(LM_ID_NEWLM, path, now)
                   : dlopen(path, strcmp(how, "deep") == 0 || strcmp(how, "at_load") == 0 ? now | RTLD_DEEPBIND : now);
    if (object == NULL) return puts(dlerror()), 1;
    if (strcmp(how, "at_load") == 0) continue;
    int (*team)(void) = (int (*)(void))dlsym(object, "team");
    if (strcmp(how, "idle") != 0) printf("%d\n", team());
  }
  return 0;
}
"""

# What an object has of a runtime that is linked into it: libgomp.a of most systems cannot be linked into a shared object.
# It serves its regions by the calling thread.
INSIDE = r"""
#include <pthread.h>
SHOWN const char *const gomp_names[] = {"GOMP_SPINCOUNT", "GOMP_CPU_AFFINITY"};
SHOWN void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
  (void)threads, (void)flags;
  function(data);
}
SHOWN void GOMP_barrier(void) {}
SHOWN int gomp_start(pthread_t *thread, void *(*function)(void *)) {
  return pthread_create(thread, 0, function, 0);
}
"""

# HOW FILE ...: maps each file, "rx" or "x", two pages of it; "-" before that: a page that is only reserved follows the first.
MAPPER = TEAM + r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(int count, char **arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    const char *how = arguments[i];
    int file = open(arguments[i + 1], O_RDONLY);
    int allowed = (strchr(how, 'r') ? PROT_READ : 0) | PROT_EXEC;
    char *place = mmap(NULL, 0x2000, allowed, MAP_PRIVATE, file, strchr(how, '+') ? 0x1000 : 0);
    if (place == MAP_FAILED) return perror("mmap"), 1;
    if (*how == '-') mprotect(place + 0x1000, 0x1000, PROT_NONE);
  }
  printf("mapped, %d\n", team());
}
"""


def elf(kind: int, table: int, dynamic: int) -> bytes:
    """Two pages: a header, and at `table` a segment's header that says where a dynamic section is."""
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", kind, 62, 1, 0, table, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 2, 4, dynamic, dynamic, dynamic, 64, 64, 8)
    place = table if table <= 0x2000 - len(segment) else 64
    return (header.ljust(place, b"\0") + segment).ljust(0x2000, b"\0")


class Unreached(unittest.TestCase):
    folder: pathlib.Path
    opener: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-unreached-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name).resolve()
        cls.opener = cls.compile("opener", OPENER, "gcc")

    @classmethod
    def compile(cls, name: str, source: str, *command: str) -> pathlib.Path:
        """Once for each name."""
        output = cls.folder / name
        if not output.exists():
            file = cls.folder / f"{name}.c"
            file.write_text(source)
            subprocess.run([*command, "-O2", file, "-o", output], check=True, capture_output=True)
        return output

    def extension(self, compiler: str) -> pathlib.Path:
        return self.compile(f"team-{compiler}.so", TEAM, compiler, "-fopenmp", "-shared", "-fPIC")

    def at_load(self, compiler: str) -> pathlib.Path:
        return self.compile(f"at-load-{compiler}.so", TEAM + AT_LOAD, compiler, "-fopenmp", "-shared", "-fPIC")

    def report(self, *command: str | pathlib.Path, expected: str) -> dict:
        """Of a run that prints what it prints without Muster."""
        words = [str(word) for word in command]
        self.assertEqual(programs.run(words[0], *words[1:], preload=False).stdout, expected)
        result, report = programs.report(words[0], *words[1:])
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, expected, ""))
        return report

    def check_inactive(self, report: dict) -> None:
        self.assertEqual((report["active"], report["inactive_reason"]), (False, "no OpenMP call"))
        self.assertEqual((report["runtimes"], report["barriers"]["replaced"]), ([], 0))

    def test_deep_binding(self) -> None:
        """Its words are set when the program looks something up in it."""
        for compiler, kind in (("gcc", "libgomp"), ("clang-19", "libomp")):
            with self.subTest(compiler=compiler):
                report = self.report(self.opener, "deep", self.extension(compiler), expected="2\n")
                self.assertEqual([line["kind"] for line in report["runtimes"]], [kind])
                self.assertEqual((report["barriers"]["replaced"], report["unreached"]), (20, []))

    def test_deep_binding_before_a_look_up(self) -> None:
        for compiler, kind in (("gcc", "libgomp"), ("clang-19", "libomp")):
            with self.subTest(compiler=compiler):
                extension = self.at_load(compiler)
                report = self.report(self.opener, "at_load", extension, expected="2\n")
                self.check_inactive(report)
                (line,) = report["unreached"]
                self.assertEqual((line["kind"], line["why"]), (kind, "bound past Muster"))
                self.assertEqual(line["caller"], str(extension))
                self.assertIn(kind, line["path"])

    def test_a_namespace_of_its_own(self) -> None:
        for compiler, kind in (("gcc", "libgomp"), ("clang-19", "libomp")):
            with self.subTest(compiler=compiler):
                report = self.report(self.opener, "namespace", self.extension(compiler), expected="2\n")
                self.check_inactive(report)
                (line,) = report["unreached"]
                self.assertEqual((line["kind"], line["why"], line["caller"]), (kind, "another namespace", None))

    def test_files_that_are_no_objects(self) -> None:
        """Mapped to be executed all the same; nothing in them is believed."""
        mapper = self.compile("mapper", MAPPER, "gcc", "-fopenmp")
        files = {
            **{"text": b"no object\n" * 1000, "program": elf(2, 64, 0x100), "empty": elf(3, 64, 0x1800)},
            **{"far": elf(3, 64, 0x123456789), "long": elf(3, 0x1FF0, 0), "wraps": elf(3, 2**64 - 56, 0)},
            **{"second": elf(3, 0x1100, 0x100)},
        }
        words = []
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
            words += ["-rx" if name == "second" else "rx", self.folder / name]
        words += ["x", self.folder / "text", "rx+", self.folder / "empty"]
        report = self.report(mapper, *words, expected="mapped, 2\n")
        self.assertEqual(report["unreached"], [])

    def test_nothing_called(self) -> None:
        report = self.report(self.opener, "idle", self.extension("gcc"), expected="")
        self.check_inactive(report)
        self.assertEqual([line["why"] for line in report["unreached"]], ["not called"])

    def test_linked_into_the_program(self) -> None:
        library = subprocess.check_output(["gcc", "-print-file-name=libgomp.a"], text=True).strip()
        compiled = self.compile("linked.o", LINKED, "gcc", "-fopenmp", "-c")
        program = self.folder / "linked"
        for flags in ([], ["-s"], ["-rdynamic"], ["-no-pie"]):
            with self.subTest(flags=flags):
                subprocess.run(["gcc", *flags, compiled, library, "-pthread", "-ldl", "-o", program], check=True)
                report = self.report(program, expected="2\n")
                self.check_inactive(report)
                (line,) = report["unreached"]
                self.assertEqual((line["kind"], line["why"]), ("libgomp", "linked statically"))
                self.assertEqual(line["path"], str(program))

    def test_what_only_names_one_setting(self) -> None:
        """It is no runtime."""
        source = INSIDE.replace("SHOWN", "").replace(', "GOMP_CPU_AFFINITY"', "") + TEAM
        source = source.replace("void GOMP_", "static void GOMP_")
        inside = self.compile("names.so", source.replace(TEAM, "int team(void) { return 1; }"), "gcc", "-shared", "-fPIC")
        report = self.report(self.opener, "open", self.extension("gcc"), "open", inside, expected="2\n1\n")
        self.assertEqual(report["unreached"], [])

    def test_linked_into_an_object(self) -> None:
        for shown in ("", '__attribute__((visibility("hidden")))'):
            with self.subTest(shown=shown):
                source = INSIDE.replace("SHOWN", shown) + TEAM
                name = f"inside{len(shown)}.so"
                inside = self.compile(name, source, "gcc", "-fopenmp", "-shared", "-fPIC", "-nostartfiles", "-nodefaultlibs", "-lc")
                for how, why in (("idle", ("not called", "linked statically")), ("open", ("linked statically",))):
                    report = self.report(self.opener, how, inside, expected="" if how == "idle" else "1\n")
                    self.check_inactive(report)
                    (line,) = report["unreached"]
                    self.assertEqual((line["kind"], line["path"]), ("libgomp", str(inside)))
                    self.assertIn(line["why"], why)

    def test_beside_one_that_is_reached(self) -> None:
        inside = self.compile("beside.so", INSIDE.replace("SHOWN", "") + TEAM, "gcc", "-fopenmp", "-shared", "-fPIC", "-nodefaultlibs", "-lc")
        words = ["open", self.extension("clang-19"), "open", inside]
        report = self.report(self.opener, *words, expected="2\n1\n")
        self.assertTrue(report["active"])
        self.assertEqual([line["kind"] for line in report["runtimes"]], ["libomp"])
        self.assertGreaterEqual(report["runtimes"][0]["arrivals_replaced"], 20)
        self.assertEqual([line["why"] for line in report["unreached"]], ["linked statically"])

    def test_who_is_reached_is_not_listed(self) -> None:
        for compiler in ("gcc", "clang-19"):
            report = self.report(self.opener, "open", self.extension(compiler), expected="2\n")
            self.assertEqual((len(report["runtimes"]), report["unreached"]), (1, []))
        # gcc's entry points in libomp call clang's: through Muster and back.
        self.assertEqual(programs.report(programs.build(programs.BARRIERS, "gcc"))[1]["unreached"], [])

    def test_text_and_csv_tell_the_same(self) -> None:
        extension = self.at_load("gcc")
        for ending in ("txt", "csv"):
            path = self.folder / f"report.{ending}"
            programs.run(self.opener, "at_load", str(extension), MUSTER_REPORT=str(path))
            text = path.read_text()
            if ending == "txt":
                self.assertIn("runtime            no OpenMP call\n", text)
                self.assertRegex(text, rf"not reached +libgomp, \S+: {extension} calls it past Muster")
                continue
            rows = [row for row in csv.DictReader(text.splitlines()) if row["section"] == "unreached"]
            self.assertEqual([row["name"] for row in rows], ["bound past Muster"])

    def test_programs_without_openmp_stay_silent(self) -> None:
        path = self.folder / "none.json"
        for program in ("/bin/true", "/bin/ls"):
            result = programs.run(program, "/", MUSTER_REPORT=str(path))
            self.assertEqual((result.returncode, result.stderr, path.exists()), (0, "", False))


if __name__ == "__main__":
    unittest.main()
