"""`muster doctor FOLDER`: the runtimes in a tree of files, and which of them Muster reaches.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["MUSTER_BUILD_DIR"])
MUSTER = BUILD / "bin" / "muster"

TEAM = r"""
int team(void) {
  int sum = 0;
  #pragma omp parallel reduction(+ : sum)
  sum += 1;
  return sum;
}
"""
MAIN = TEAM + "int main(void) { return team() == 0; }\n"

# What an object has of a runtime that is linked into it (tests/preload/test_unreached.py).
INSIDE = r"""
#include <pthread.h>
SHOWN const char *const gomp_names[] = {"GOMP_SPINCOUNT", "GOMP_CPU_AFFINITY"};
SHOWN void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
  (void)threads, (void)flags;
  function(data);
}
SHOWN int gomp_start(pthread_t *thread, void *(*function)(void *)) {
  return pthread_create(thread, 0, function, 0);
}
int one(void) { return 1; } int two(void) { return 2; } int three(void) { return 3; }
"""
HIDDEN = '__attribute__((visibility("hidden")))'


def doctor(*paths: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MUSTER, "doctor", *paths], capture_output=True, text=True, timeout=60, check=False)


class Survey(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-survey-")
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name).resolve()
        self.packages = self.root / "lib" / "python3.11" / "site-packages"
        self.packages.mkdir(parents=True)

    def compile(self, place: str, source: str, *command: str | Path) -> Path:
        output = self.packages / place
        output.parent.mkdir(parents=True, exist_ok=True)
        file = self.root / "source.c"
        file.write_text(source)
        subprocess.run([command[0], "-O2", file, *command[1:], "-o", output], check=True, capture_output=True)
        return output

    def shared(self, place: str, source: str = TEAM, *more: str | Path) -> Path:
        return self.compile(place, source, "gcc", "-shared", "-fPIC", "-fopenmp", *more)

    def copy_of_libgomp(self, place: str) -> Path:
        shown = subprocess.check_output(["gcc", "-print-file-name=libgomp.so.1"], text=True)
        copy = self.packages / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(shown.strip()).resolve(), copy)
        return copy

    def check(self, status: int, *expected: str, paths: tuple[Path, ...] = ()) -> str:
        done = doctor(*(paths or (self.root,)))
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        for text in expected:
            self.assertIn(text, done.stdout)
        return done.stdout

    def test_a_copy_in_a_wheel(self) -> None:
        copy = self.copy_of_libgomp("scikit_learn.libs/libgomp.so.1")
        self.shared("sklearn/_trees.so")
        self.shared("sklearn/_neighbours.so")
        self.shared("sklearn/_plain.so", "int plain(void) { return 1; }")
        self.check(
            0,
            "looked at 4 objects",
            f"({copy}, package scikit_learn): replaced, called by 2 objects here",
            "verdict   works: Muster reaches 1 of 1 OpenMP runtimes here",
        )

    def test_copies_of_one_name(self) -> None:
        """As wheels have them that were repaired on systems with the same libgomp."""
        copies = [self.copy_of_libgomp(f"{name}.libs/libgomp.so.1") for name in ("one", "two")]
        self.shared("one/a.so", TEAM, "-Wl,-rpath,$ORIGIN/../one.libs")
        self.shared("two/b.so", TEAM, "-Wl,-rpath,/nowhere:${ORIGIN}/../two.libs")
        self.shared("two/c.so", TEAM, "-Wl,-rpath,${ORIGIN}/../two.libs")
        for name, copy in zip(("one", "two"), copies):
            info = self.packages / f"{name}-1.{len(name)}.dist-info"
            info.mkdir()
            (info / "RECORD").write_text(f"{name}/x.py,,\n{name}.libs/libgomp.so.1,sha256=x,1\n")
        self.check(
            0,
            f"package one 1.3 ({copies[0]}, package one): replaced, called by 1 object here",
            f"package two 1.3 ({copies[1]}, package two): replaced, called by 2 objects here",
        )

    def test_a_runtime_elsewhere(self) -> None:
        self.shared("one/a.so")
        self.compile("two/b.so", TEAM, "clang-19", "-shared", "-fPIC", "-fopenmp")
        self.check(0, "elsewhere libgomp.so.1: called by 1 object here", "elsewhere libomp.so.5", "lie elsewhere")

    def test_linked_statically(self) -> None:
        hidden = self.shared("hidden/a.so", INSIDE.replace("SHOWN", HIDDEN) + TEAM, "-nostartfiles", "-nodefaultlibs")
        shown = self.shared("shown/b.so", INSIDE.replace("SHOWN", "") + TEAM, "-nostartfiles", "-nodefaultlibs")
        library = subprocess.check_output(["gcc", "-print-file-name=libgomp.a"], text=True).strip()
        compiled = self.compile("main.o", MAIN, "gcc", "-fopenmp", "-c")
        program = self.packages / "bin" / "program"
        program.parent.mkdir()
        subprocess.run(["gcc", compiled, library, "-pthread", "-ldl", "-o", program], check=True)
        compiled.unlink()
        for stripped in (False, True):
            with self.subTest(stripped=stripped):
                if stripped:
                    for path in (hidden, shown, program):
                        subprocess.run(["strip", path], check=True)
                self.check(
                    1,
                    f"static    {hidden}, package hidden: libgomp is linked into it: untouched",
                    f"static    {shown}, package shown: libgomp is linked into it: untouched",
                    f"static    {program}, package bin: libgomp is linked into it: untouched",
                    "will not work: Muster reaches none",
                )
        self.copy_of_libgomp("torch/lib/libgomp-1.so.1")
        self.check(0, "works: Muster reaches 1 of 4 OpenMP runtimes here")

    def test_shared_objects_by_name(self) -> None:
        first, second = self.shared("one/a.so"), self.shared("two/b.so")
        self.check(0, "called by 1 object here", paths=(first,))
        self.check(0, "called by 2 objects here", paths=(first, second))

    def test_a_library_of_ours_and_the_command_are_none(self) -> None:
        for path in (MUSTER, BUILD / "lib" / "libmuster.so"):
            shutil.copy(path, self.packages / path.name)
        subprocess.run(["strip", self.packages / "muster"], check=True)
        self.check(1, "looked at 2 objects", "nothing to replace: no OpenMP here")

    def test_odd_files(self) -> None:
        (self.packages / "empty.so").touch()
        (self.packages / "text.so").write_text("INPUT(-lgomp)\n")
        whole = self.shared("whole.so").read_bytes()
        (self.packages / "cut.so").write_bytes(whole[:1000])
        (self.packages / "loop").symlink_to(self.packages)
        (self.packages / "dangling.so").symlink_to("nowhere")
        (self.packages / "linked.so").symlink_to("whole.so")
        self.check(0, "elsewhere libgomp.so.1: called by 1 object here")

    def test_an_empty_folder(self) -> None:
        self.check(1, "looked at 0 objects", "nothing to replace: no OpenMP here")

    def test_a_program_is_not_examined_with_folders(self) -> None:
        for paths in ((self.root, "true"), (self.root, self.root / "nothing")):
            done = doctor(*paths)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
