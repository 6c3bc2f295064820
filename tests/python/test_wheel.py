"""The wheel `muster-omp`, from `pip wheel` to reports of what Python programs did. See README.md here."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

import environment
from environment import Environment

SKIPPED = 77
BARRIERS = 100

# The barriers of this are known by number.
TEAM = """
int team(int barriers) {
  int arrived = 0;
#pragma omp parallel num_threads(2) reduction(+ : arrived)
  {
    arrived += 1;
    for (int i = 0; i < barriers; ++i) {
#pragma omp barrier
    }
  }
  return arrived;
}
"""

PROGRAM = f"""
import ctypes, os, sys
for path in sys.argv[1:]:
    library = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
    print(library.team({BARRIERS}))
"""

# Calls one object until a request to stop, and shows when it has begun; opens another one in the end.
LONG_PROGRAM = """
import ctypes, os, sys, pathlib
begun, stop, early, late = sys.argv[1:]
library = ctypes.CDLL(early, mode=os.RTLD_LOCAL)
print(library.team(10))
pathlib.Path(begun).touch()
while not os.path.exists(stop):
    library.team(10)
print(ctypes.CDLL(late, mode=os.RTLD_LOCAL).team(10))
"""

WORKER = """
import ctypes, multiprocessing, os, sys
def work(path):
    return ctypes.CDLL(path, mode=os.RTLD_LOCAL).team(10)
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(work, [sys.argv[1]] * 4))
            pool.close()
            pool.join()
"""

made: Environment


class WheelTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-wheel-test-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.report_path = self.folder / "report.json"

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def extension(self, compiler: str) -> Path:
        """An OpenMP shared object, as a package's extension modules are."""
        output = self.folder / f"team-{compiler}.so"
        source = self.write("team.c", TEAM)
        subprocess.run([compiler, "-O2", "-fopenmp", "-shared", "-fPIC", source, "-o", output], check=True)
        return output

    def report(self, path: Path | None = None) -> dict:
        return json.loads((path or self.report_path).read_text())


# muster-test: full the wheel is built first
class Contents(WheelTest):
    def test_what_it_holds(self) -> None:
        version = re.search(r"project\(muster VERSION ([0-9.]+)", (environment.SOURCE / "CMakeLists.txt").read_text())
        assert version is not None
        with zipfile.ZipFile(made.wheel) as wheel:
            names = set(wheel.namelist())
        stem = f"muster_omp-{version[1]}"
        self.assertRegex(made.wheel.name, rf"^{re.escape(stem)}-py3-none-(many)?linux\w+\.whl$")
        self.assertLessEqual(
            {"muster_omp/__init__.py", "muster_omp/lib/libmuster.so", f"{stem}.data/scripts/muster"}, names
        )
        others = {name.split("/")[0] for name in names} - {"muster_omp", f"{stem}.data", f"{stem}.dist-info"}
        self.assertEqual(others, set(), "nothing else goes into site-packages")
        shown = environment.run([made.muster, "--version"]).stdout
        self.assertEqual(shown, f"muster {version[1]}\n")

    def test_the_command_is_no_python_script(self) -> None:
        self.assertEqual(made.muster.read_bytes()[:4], b"\x7fELF")

    def test_it_needs_nothing_but_the_c_library(self) -> None:
        for path in (made.muster, made.packages / "muster_omp/lib/libmuster.so"):
            shown = subprocess.check_output(["readelf", "--dynamic", path], text=True)
            needed = set(re.findall(r"NEEDED.*\[(.*)\]", shown))
            loader = {name for name in needed if name.startswith("ld-linux")}
            # Parts of the C library; the last two since glibc 2.34 by name only.
            self.assertLessEqual(needed - loader, {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"}, path)

    @unittest.skipUnless(platform.machine() == "x86_64", "cmake/portable.cmake knows the versions of x86-64 only")
    def test_it_runs_with_glibc_2_28(self) -> None:
        for path in (made.muster, made.packages / "muster_omp/lib/libmuster.so"):
            shown = subprocess.check_output(["readelf", "--version-info", "--wide", path], text=True)
            versions = {tuple(map(int, text.split("."))) for text in re.findall(r"\bGLIBC_([0-9.]+)", shown)}
            self.assertLessEqual(max(versions), (2, 28), path)

    def test_its_description_reads_anywhere(self) -> None:
        """The links of README.md lead into the repository; a package index shows python/description.md."""
        metadata = self.metadata()
        url = re.search(r"^Project-URL: Homepage, (\S+)$", metadata, re.MULTILINE)
        assert url is not None
        links = re.findall(r"\]\(([^)]*)\)", metadata)
        self.assertTrue(links)
        for link in links:
            self.assertTrue(link.startswith(url[1] + "/"), link)
            path = link.partition("/blob/main/")[2]
            self.assertTrue((environment.SOURCE / path).is_file(), link)

    def test_its_licences(self) -> None:
        metadata = self.metadata()
        self.assertIn("License-Expression: Apache-2.0\n", metadata)
        for name in ("LICENSE", "packaging/THIRD-PARTY-NOTICES"):
            self.assertIn(f"License-File: {name}\n", metadata)

    @unittest.skipUnless(shutil.which("dpkg-query") and sys.version_info >= (3, 11), "sbom.py needs Debian, Python 3.11")
    def test_its_sbom(self) -> None:
        """Where PEP 770 wants it, and of this build: a build id stays the same in a stripped file."""
        with zipfile.ZipFile(made.wheel) as wheel:
            (name,) = (name for name in wheel.namelist() if "/sboms/" in name)
            sbom = json.loads(wheel.read(name))
        self.assertRegex(name, r"\.dist-info/sboms/muster\.spdx\.json$")
        names = {package["name"] for package in sbom["packages"]}
        self.assertLessEqual({"muster", "CLI11", "fmt", "gcc", "glibc", "nlohmann-json"}, names)
        notes = subprocess.check_output(["readelf", "--notes", made.muster], text=True)
        build_id = re.search(r"Build ID: (\w+)", notes)
        assert build_id is not None
        self.assertIn(build_id[1], sbom["packages"][0]["comment"])

    def metadata(self) -> str:
        with zipfile.ZipFile(made.wheel) as wheel:
            (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
            return wheel.read(name).decode()


# muster-test: full the wheel is built first
class Use(WheelTest):
    def run_program(self, *command: str | Path) -> dict:
        program = self.write("prog.py", PROGRAM)
        libraries = [self.extension("clang-19"), self.extension("gcc")]
        flags = ["run", "--report", str(self.report_path), "--"]
        done = environment.run([*command, *flags, made.python, program, *libraries])
        self.assertEqual((done.stdout, done.stderr), ("2\n2\n", ""))
        return self.report()

    def check(self, report: dict) -> None:
        runtimes = {runtime["kind"]: runtime for runtime in report["runtimes"]}
        self.assertEqual(set(runtimes), {"libomp", "libgomp"})
        for runtime in runtimes.values():
            self.assertTrue(runtime["replaced"], runtime)
            self.assertGreaterEqual(runtime["arrivals_replaced"], 2 * BARRIERS)

    def test_muster_run(self) -> None:
        self.check(self.run_program(made.muster))

    def test_python_module(self) -> None:
        self.check(self.run_program(made.python, "-m", "muster_omp"))

    def test_library_path_is_enough(self) -> None:
        asked = "import muster_omp; print(muster_omp.library_path())"
        library = environment.run([made.python, "-c", asked]).stdout.strip()
        program = self.write("prog.py", PROGRAM)
        command = [made.python, program, self.extension("clang-19")]
        environment.run(command, LD_PRELOAD=library, MUSTER_REPORT=str(self.report_path))
        self.assertEqual(self.report()["barriers"]["by_entry"][0]["entry"], "__kmpc_barrier")

    def test_a_link_to_the_command(self) -> None:
        """As pipx and uv make them."""
        link = self.folder / "elsewhere" / "muster"
        link.parent.mkdir()
        link.symlink_to(made.muster)
        self.check(self.run_program(link))

    def test_installed_into_a_folder(self) -> None:
        target = self.folder / "target"
        command = [*environment.PIP, "--python", str(made.python), "install", "--quiet", "--no-deps", "--no-index"]
        environment.run([*command, "--target", str(target), str(made.wheel)])
        self.check(self.run_program(target / "bin" / "muster"))
        module = [made.python, "-m", "muster_omp", "run", "--dry-run", "--", "true"]
        shown = environment.run(module, PYTHONPATH=str(target)).stdout
        self.assertEqual(shown, f"LD_PRELOAD={target}/muster_omp/lib/libmuster.so true\n")

    def test_a_missing_library_is_said(self) -> None:
        alone = self.folder / "bin" / "muster"
        alone.parent.mkdir()
        alone.write_bytes(made.muster.read_bytes())
        alone.chmod(0o755)
        done = subprocess.run([alone, "run", "--", "true"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 125)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("libmuster.so was not found", done.stderr)

    def test_multiprocessing(self) -> None:
        program = self.write("worker.py", WORKER)
        reports = self.folder / "reports"
        reports.mkdir()
        flags = ["run", "--report", str(reports / "%p.json"), "--"]
        done = environment.run([made.muster, *flags, made.python, program, self.extension("clang-19")])
        expected = "".join(f"{method} [2, 2, 2, 2]\n" for method in ("fork", "spawn", "forkserver"))
        self.assertEqual((done.stdout, done.stderr), (expected, ""))
        # Workers that fork() made end by _exit, where no report is written; spawned ones end as programs do.
        worked = [report for report in map(self.report, reports.iterdir()) if report["regions"] > 0]
        self.assertTrue(worked)
        for report in worked:
            self.assertGreaterEqual(report["barriers"]["replaced"], 20)


# muster-test: full the wheel is built first
class Upgrade(WheelTest):
    """pip unlinks what it replaces: a process that has the old file keeps it, runtimes found later included."""

    def mapped(self, process: int) -> set[tuple[int, bool]]:
        """Of each mapped libmuster.so: its inode, and whether it is gone from its folder."""
        lines = Path(f"/proc/{process}/maps").read_text().splitlines()
        found = [line.split(maxsplit=5) for line in lines if "libmuster.so" in line]
        return {(int(fields[4]), fields[5].endswith("(deleted)")) for fields in found}

    def begin(self, name: str, stop: Path) -> subprocess.Popen[str]:
        begun = self.folder / f"begun-{name}"
        program = self.write("long.py", LONG_PROGRAM)
        flags = ["run", "--report", str(self.folder / f"{name}.json"), "--"]
        libraries = [self.extension("gcc"), self.extension("clang-19")]
        process = environment.start([made.muster, *flags, made.python, program, begun, stop, *libraries])
        self.addCleanup(process.kill)
        until = time.monotonic() + 60
        while not begun.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        self.assertTrue(begun.exists(), "it did not begin")
        return process

    def test_while_a_process_runs(self) -> None:
        stop = self.folder / "stop"
        library = made.packages / "muster_omp/lib/libmuster.so"
        old_inode = library.stat().st_ino
        old = self.begin("old", stop)
        self.assertEqual(self.mapped(old.pid), {(old_inode, False)})
        made.install("--force-reinstall")
        self.assertEqual(self.mapped(old.pid), {(old_inode, True)})
        new = self.begin("new", stop)
        self.assertEqual(self.mapped(new.pid), {(library.stat().st_ino, False)})
        stop.touch()
        for process, name in ((old, "old"), (new, "new")):
            stdout, stderr = process.communicate(timeout=60)
            self.assertEqual((process.returncode, stdout, stderr), (0, "2\n2\n", ""))
            report = self.report(self.folder / f"{name}.json")
            self.assertEqual([runtime["kind"] for runtime in report["runtimes"]], ["libgomp", "libomp"])
            for runtime in report["runtimes"]:
                self.assertGreaterEqual(runtime["arrivals_replaced"], 20, runtime)


def main() -> int:
    global made
    with tempfile.TemporaryDirectory(prefix="muster-wheel-") as place:
        try:
            made = environment.make(Path(place))
        except environment.NoBuildBackend as missing:
            print(f"skipped: {missing}")
            return SKIPPED
        program = unittest.main(exit=False, verbosity=2)
        return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
