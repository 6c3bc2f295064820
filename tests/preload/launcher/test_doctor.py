"""`muster doctor`: programs of every kind, and the packages of Python interpreters. Folders: test_survey.py.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_launcher import LIBRARY, OPENMP_PROGRAM, LauncherTest, muster


class Doctor(LauncherTest):
    def check(self, program: str | Path, status: int, *expected: str, **environment: str) -> None:
        done = muster("doctor", program, **environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        for text in expected:
            self.assertIn(text, done.stdout)

    def test_libomp(self) -> None:
        entries = ["__kmpc_barrier", "__kmpc_fork_call"]
        self.check(self.libomp_program(), 0, "libomp LLVM 19", *entries, "load      ", "allowed", "verdict   works")

    def test_found_in_path(self) -> None:
        program = self.libomp_program()
        self.check(program.name, 0, str(program), PATH=f"{program.parent}:{os.environ['PATH']}")

    def test_an_openmp_library_is_enough(self) -> None:
        library = self.compile(
            "libparallel.so",
            "clang-19",
            "-fopenmp",
            "-shared",
            "-fPIC",
            source=OPENMP_PROGRAM.replace("int main", "int in_library"),
        )
        program = self.compile(
            "uses-library",
            "gcc",
            f"-L{self.scratch}",
            f"-Wl,-rpath,{self.scratch}",
            "-Wl,--no-as-needed",
            "-lparallel",
            source="int in_library(void); int main(void) { return in_library(); }",
        )
        self.check(program, 0, f"imports   {library}", "verdict   works")
        moved = library.rename(library.with_suffix(".gone"))
        self.addCleanup(moved.rename, library)
        self.check(program, 1, "will not work", "libparallel.so is not found")

    def test_libgomp(self) -> None:
        program = self.compile("on-libgomp", "gcc", "-fopenmp")
        self.check(program, 0, "libgomp GOMP_", "GOMP_parallel", "verdict   works")

    def test_regions_without_a_barrier(self) -> None:
        source = "int main(void) {\n#pragma omp parallel\n  { __asm__(\"\"); }\n  return 0;\n}"
        for compiler in ("gcc", "clang-19"):
            program = self.compile("no-barrier", compiler, "-fopenmp", source=source)
            self.check(program, 0, "no linked object calls a barrier", "muster compare")

    def test_libomp_answers_for_a_preloaded_gcc_program(self) -> None:
        program = self.compile("on-libgomp", "gcc", "-fopenmp")
        libomp = subprocess.check_output(["clang-19", "-print-file-name=libomp.so.5"], text=True).strip()
        self.check(program, 0, f"preload   {libomp}", "verdict   works", LD_PRELOAD=libomp)

    def test_it_reads_as_run_does(self) -> None:
        program = self.libomp_program()
        for words in (["--", program], [program, "--its", "-x"], ["--", program, "--json", "--"], [program, "and", "more"]):
            done = muster("doctor", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("verdict   works", done.stdout)

    def test_json(self) -> None:
        found = json.loads(muster("doctor", "--json", "--", self.libomp_program()).stdout)
        self.assertTrue(found["works"])
        self.assertEqual(found["openmp"][0]["runtime"], "libomp")
        self.assertIn("__kmpc_fork_call", found["imports"][0]["entries"])
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        shutil.copy(LIBRARY, folder)
        found = json.loads(muster("doctor", "--json", folder).stdout)
        self.assertEqual((found["works"], found["openmp"]), (False, []))

    def venv(self) -> tuple[Path, Path]:
        """A virtual environment as `python -m venv` makes it: its interpreter and its packages."""
        home = Path(tempfile.mkdtemp(dir=self.scratch))
        packages = home / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
        packages.mkdir(parents=True)
        (home / "bin").mkdir()
        (home / "bin" / "python").symlink_to(Path(sys.executable).resolve())
        (home / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
        return home / "bin" / "python", packages

    def test_packages_of_a_virtual_environment(self) -> None:
        python, packages = self.venv()
        (packages / "some.libs").mkdir()
        libgomp = subprocess.check_output(["gcc", "-print-file-name=libgomp.so.1"], text=True).strip()
        shutil.copy(libgomp, packages / "some.libs" / "libgomp-1234.so.1")
        script = self.script("console-script", f"#!{python}\n")
        for words in ([python, "train.py", "--epochs", "3"], ["--", python, "-m", "train"], [script]):
            done = muster("doctor", *words)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(f"packages  {packages.resolve()}\n", done.stdout)
            self.assertRegex(done.stdout, r"openmp    libgomp GOMP_.*libgomp-1234.so.1, package some\): replaced")
            self.assertIn("verdict   works, where Python loads one of these: Muster reaches 1 OpenMP", done.stdout)

    OPENBLAS = """
    #include <pthread.h>
    int openblas_get_parallel(void) { return 1; }
    int start(pthread_t *thread, void *(*function)(void *)) { return pthread_create(thread, 0, function, 0); }
    """

    def test_openblas_with_pthreads_is_named(self) -> None:
        library = self.compile("libopenblas.so", "gcc", "-shared", "-fPIC", source=self.OPENBLAS)
        program = self.compile(
            "uses-blas", "gcc", f"-L{self.scratch}", f"-Wl,-rpath,{self.scratch}", "-Wl,--no-as-needed", "-lopenblas",
            source="int main(void) { return 0; }",
        )  # fmt: skip
        self.check(program, 1, f"blas      {library}: OpenBLAS with pthreads, not OpenMP", "OpenBLAS is built for pthreads")
        report = muster("run", "--report", "stderr", "--", program).stderr
        self.assertIn(f"openblas           {library}: with pthreads, waits in loops of its own\n", report)
        python, packages = self.venv()
        (packages / "numpy.libs").mkdir()
        shutil.copy(library, packages / "numpy.libs" / "libscipy_openblas64_.so")
        self.check(python, 1, "package numpy: OpenBLAS with pthreads", "nothing to replace", "OpenBLAS is built for pthreads")

    def test_openblas_of_the_system_is_named(self) -> None:
        library = self.compile("libopenblas.so", "gcc", "-shared", "-fPIC", source=self.OPENBLAS)
        python, packages = self.venv()
        (packages / "numpy").mkdir()
        module = self.compile(
            "linked.so", "gcc", "-shared", f"-L{self.scratch}", f"-Wl,-rpath,{self.scratch}", "-Wl,--no-as-needed",
            "-lopenblas", source="",
        )  # fmt: skip
        shutil.copy(module, packages / "numpy" / "linked.so")
        self.check(python, 1, f"{library}, package numpy: OpenBLAS with pthreads", "OpenBLAS is built for pthreads")

    def test_options_that_are_not_taken_are_named(self) -> None:
        done = muster("doctor", "true", MUSTER_WIAT="block", MUSTER_SLICE="7x")
        self.assertIn("note      MUSTER_WIAT: not an option of Muster; the nearest name is MUSTER_WAIT\n", done.stdout)
        self.assertIn("note      MUSTER_SLICE: bad value '7x' (", done.stdout)

    def test_without_openmp(self) -> None:
        self.check("true", 1, "none linked", "nothing to replace", "dlopen")

    def test_python_may_load_one(self) -> None:
        python = shutil.which("python3", path="/usr/bin:/bin")
        if python is None:
            self.skipTest("no python3 from a package")
        real = Path(python).resolve()
        done = muster("doctor", real)  # its packages are the machine's
        said = "Python loads one" if done.returncode == 1 else "works, where Python loads one of these"
        self.assertIn(said, done.stdout)

    def test_static(self) -> None:
        program = self.compile("static", "gcc", "-fopenmp", "-static")
        self.check(program, 1, "linked statically", "libgomp is linked into it statically")
        stripped = self.scratch / "static-stripped"
        subprocess.run(["strip", "-o", stripped, program], check=True)
        self.check(stripped, 1, "libgomp is linked into it statically")

    def test_static_runtime_in_a_dynamic_program(self) -> None:
        libgomp = subprocess.check_output(["gcc", "-print-file-name=libgomp.a"], text=True).strip()
        compiled = self.compile("static-runtime.o", "gcc", "-fopenmp", "-c")
        program = self.scratch / "static-runtime"
        subprocess.run(["gcc", compiled, libgomp, "-pthread", "-ldl", "-o", program], check=True)
        self.check(program, 1, ", dynamic)", "libgomp is linked into it statically")

    def test_setuid(self) -> None:
        program = self.scratch / "setuid"
        shutil.copy(self.libomp_program(), program)
        program.chmod(0o4755)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            self.skipTest("the scratch folder is mounted nosuid")
        self.check(program, 0, "note", "setuid: kept for its owner")
        if os.getuid() != 0:
            self.skipTest("only root can give a file away")
        os.chown(program, 65534, -1)
        program.chmod(0o4755)
        self.check(program, 1, "will not work: it is setuid to another user")

    def test_scripts_are_followed(self) -> None:
        program = self.libomp_program()
        for number, line in enumerate((f"#!{program}", f"#! {program} -x", f"#!/usr/bin/env -S A=1 {program}")):
            script = self.script(f"script-{number}", f"{line}\n")
            self.check(script, 0, f"script    {script}", f"program   {program}", "verdict   works")
        self.check(self.script("no-magic", "true\n"), 1, "program   /bin/sh")
        missing = self.script("missing", "#!/nowhere/to/be/found\n")
        self.check(missing, 1, "will not work: /nowhere/to/be/found")
        loop = self.script("loop", f"#!{self.scratch}/loop\n")
        self.check(loop, 1, "will not work")

    def test_not_a_program(self) -> None:
        garbage = self.script("garbage", "\x7fELF and then nothing that makes sense")
        self.check("no-such-command-anywhere", 1, "not found")
        self.check("/etc/passwd", 1, "not found, or not executable")
        self.check(garbage, 1, "will not work")
        self.check(LIBRARY, 1, "looked at 1 object", "nothing to replace")

    def test_another_architecture(self) -> None:
        program = self.scratch / "foreign"
        image = bytearray(self.libomp_program().read_bytes())
        image[18:20] = (243).to_bytes(2, "little")  # e_machine: RISC-V
        program.write_bytes(image)
        program.chmod(0o755)
        self.check(program, 1, "will not work: it is for RISC-V")

    def test_truncated_files_do_no_harm(self) -> None:
        image = self.libomp_program().read_bytes()
        program = self.scratch / "truncated"
        for length in (0, 1, 16, 63, 64, 100, 600, len(image) // 2, len(image) - 1):
            with self.subTest(length=length):
                program.write_bytes(image[:length])
                program.chmod(0o755)
                done = muster("doctor", program)
                self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_switched_off(self) -> None:
        self.check(self.libomp_program(), 1, "MUSTER=off", MUSTER="off")

    def test_regions_that_are_not_folded_are_mentioned(self) -> None:
        self.check(self.libomp_program(), 0, "note      MUSTER_FORKJOIN=off: the runtime", MUSTER_FORKJOIN="off")
        for value in ("on", "auto"):
            done = muster("doctor", self.libomp_program(), MUSTER_FORKJOIN=value)
            self.assertNotIn("MUSTER_FORKJOIN", done.stdout)

    def test_openmp_tools_are_mentioned(self) -> None:
        self.check(self.libomp_program(), 0, "OMP_TOOL_LIBRARIES", OMP_TOOL_LIBRARIES="/tool.so")


if __name__ == "__main__":
    unittest.main()
