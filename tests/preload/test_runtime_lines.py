"""Several runtimes in one process: each has its line in the report, with its file, package and arrivals."""

from __future__ import annotations

import csv
import os
import pathlib
import subprocess
import tempfile
import unittest

import programs

from lab.reports import parsed

TEAM = r"""
void team(int threads, int barriers) {
  #pragma omp parallel num_threads(threads)
  for (int i = 0; i < barriers; ++i) {
    #pragma omp barrier
  }
}
"""

# OBJECT THREADS BARRIERS ...: opens each object locally, once, and has it run such a team.
OPENER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments) {
  for (int i = 1; i + 2 < count; i += 3) {
    void *object = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) return puts(dlerror()), 1;
    void (*team)(int, int) = (void (*)(int, int))dlsym(object, "team");
    team(atoi(arguments[i + 1]), atoi(arguments[i + 2]));
  }
  puts("done");
  return 0;
}
"""


class Environment:
    """A folder like a Python environment's, with objects that are linked to copies of runtimes in it."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.packages = root / "lib" / "python3.11" / "site-packages"
        self.runtimes: dict[str, pathlib.Path] = {}

    def add(self, name: str, compiler: str, original: pathlib.Path, place: str, soname: str, now: str) -> pathlib.Path:
        """An object that needs a copy of `original` at `place`, whose soname is made another of the same length."""
        assert len(soname) == len(now)
        copy = self.packages / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(original.read_bytes().replace(b"\0" + soname.encode() + b"\0", b"\0" + now.encode() + b"\0"))
        link = copy.parent / now
        if not link.exists():
            link.symlink_to(copy.name)
        source = self.root / "team.c"
        source.write_text(TEAM)
        compiled = self.root / f"{name}.o"
        subprocess.run([compiler, "-O2", "-fopenmp", "-fPIC", "-c", source, "-o", compiled], check=True)
        output = self.root / f"{name}.so"
        # As wheels' objects lead to their libraries: by a way up and down again.
        run_path = self.packages / "other" / "deep" / ".." / ".." / copy.parent.relative_to(self.packages)
        (self.packages / "other" / "deep").mkdir(parents=True, exist_ok=True)
        command = ["gcc", "-shared", compiled, link, f"-Wl,-rpath,{run_path}", "-o", output]
        subprocess.run(command, check=True)
        self.runtimes[name] = link
        return output


class RuntimeLines(unittest.TestCase):
    folder: pathlib.Path
    opener: pathlib.Path
    objects: dict[str, pathlib.Path]
    environment: Environment

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-lines-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name).resolve()
        cls.opener = cls.folder / "opener"
        (cls.folder / "opener.c").write_text(OPENER)
        subprocess.run(["gcc", "-O2", cls.folder / "opener.c", "-o", cls.opener], check=True)
        cls.environment = Environment(cls.folder / "venv")
        libgomp = programs.system_runtime("gcc", "libgomp.so.1")
        libomp = programs.system_runtime("clang-19", "libomp.so.5")
        gnu = ("libgomp.so.1", "libgom1.so.1")
        gnu_again = ("libgomp.so.1", "libgom2.so.1")
        add = cls.environment.add
        cls.objects = {
            "learn": add("learn", "gcc", libgomp, "scikit_learn.libs/libgomp-a34b3233.so.1.0.0", *gnu),
            "torch": add("torch", "gcc", libgomp, "torch/lib/libgomp-24e2ab19.so.1", *gnu_again),
            "numpy": add("numpy", "clang-19", libomp, "numpy/.libs/libomp-1.so", "libomp.so.5", "libxmp.so.5"),
            "alone": add("alone", "clang-19", libomp, "libymp.so.5", "libomp.so.5", "libymp.so.5"),
        }

    def run_teams(self, *teams: tuple[str, int, int], ending: str = "json", **variables: str) -> str:
        """Each team is of an object, with so many threads and barriers."""
        path = self.folder / f"report.{ending}"
        path.unlink(missing_ok=True)
        words = [str(word) for name, threads, barriers in teams for word in (self.objects[name], threads, barriers)]
        # Two copies of libomp: it ends the process otherwise.
        variables["KMP_DUPLICATE_LIB_OK"] = "TRUE"
        result = programs.run(self.opener, *words, MUSTER_REPORT=str(path), **variables)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "done\n", ""))
        return path.read_text()

    ALL = (("learn", 2, 10), ("torch", 2, 20), ("numpy", 2, 30), ("alone", 2, 40))
    PACKAGES = ("scikit_learn", "torch", "numpy", "libymp")

    def test_four_copies(self) -> None:
        report = parsed(self.run_teams(*self.ALL))
        lines = report["runtimes"]
        self.assertEqual([line["package"] for line in lines], list(self.PACKAGES))
        self.assertEqual([line["kind"] for line in lines], ["libgomp", "libgomp", "libomp", "libomp"])
        self.assertEqual([line["path"] for line in lines], [str(self.environment.runtimes[name]) for name, *_ in self.ALL])
        self.assertEqual([(line["replaced"], line["reason"]) for line in lines], [(True, None)] * 4)
        self.assertEqual([line["arrivals_replaced"] for line in lines], [20, 40, 60, 80])
        self.assertEqual(report["barriers"]["replaced"], 200)

    def test_counts_stay_apart_when_teams_take_turns(self) -> None:
        """One thread's team serves one runtime after the other, in sizes of which it keeps four."""
        turns = [(name, threads, 3) for threads in (2, 3, 4, 5, 6, 2) for name in ("learn", "numpy")]
        turns += [("learn", 3, 7)]
        for fork_join in ("on", "off"):
            with self.subTest(MUSTER_FORKJOIN=fork_join):
                report = parsed(self.run_teams(*turns, MUSTER_FORKJOIN=fork_join))
                counts = {line["package"]: line["arrivals_replaced"] for line in report["runtimes"]}
                self.assertEqual(counts, {"scikit_learn": 3 * 22 + 21, "numpy": 3 * 22})
                self.assertEqual(sum(counts.values()), report["barriers"]["replaced"])

    def test_one_that_is_passed_through(self) -> None:
        report = parsed(self.run_teams(*self.ALL, MUSTER_BARRIER="native"))
        self.assertEqual([line["arrivals_replaced"] for line in report["runtimes"]], [0] * 4)
        tool = {"KMP_CONSISTENCY_CHECK": "all"}
        report = parsed(self.run_teams(*self.ALL, **tool))
        reasons = {line["package"]: line["reason"] for line in report["runtimes"]}
        self.assertEqual((reasons["numpy"], reasons["libymp"]), ("consistency check", "consistency check"))

    def test_text_and_csv_tell_the_same(self) -> None:
        text = self.run_teams(*self.ALL, ending="txt")
        rows = csv.DictReader(self.run_teams(*self.ALL, ending="csv").splitlines())
        found = {(row["section"], row["name"], row["detail"]): row["value"] for row in rows}
        for number, ((name, threads, barriers), package) in enumerate(zip(self.ALL, self.PACKAGES)):
            path = self.environment.runtimes[name]
            count = threads * barriers
            spins = "2000" if number < 2 else ""  # libgomp's, which Muster sets
            shown = f", {spins} spins before it sleeps" if spins else ""
            self.assertIn(f", {path} (package {package}): barriers replaced, {count} arrivals{shown}\n", text)
            self.assertEqual(found.get(("runtime", "spins", str(number)), ""), spins)
            self.assertEqual(found["runtime", "path", str(number)], str(path))
            self.assertEqual(found["runtime", "package", str(number)], package)
            self.assertEqual(found["runtime", "replaced", str(number)], "1")
            self.assertEqual(found["runtime", "arrivals_replaced", str(number)], str(count))

    def test_the_systems_own_has_no_package(self) -> None:
        _, report = programs.report(programs.build(programs.BARRIERS))
        (line,) = report["runtimes"]
        self.assertIsNone(line["package"])
        self.assertEqual(line["arrivals_replaced"], 200)

    def test_a_relative_path_is_reported_in_full(self) -> None:
        place = self.environment.runtimes["numpy"].parent
        program = self.folder / "linked"
        source = self.folder / "linked.c"
        source.write_text(TEAM + "int main(void) { team(2, 5); return 0; }")
        subprocess.run(["clang-19", "-fopenmp", source, "-o", program], check=True)
        (place / "libomp.so.5").symlink_to("libomp-1.so")
        self.addCleanup((place / "libomp.so.5").unlink)
        before = os.getcwd()
        os.chdir(place)
        try:
            _, report = programs.report(program, LD_LIBRARY_PATH=".")
        finally:
            os.chdir(before)
        (line,) = report["runtimes"]
        self.assertEqual((line["path"], line["package"]), (str(place / "libomp-1.so"), "numpy"))


if __name__ == "__main__":
    unittest.main()
