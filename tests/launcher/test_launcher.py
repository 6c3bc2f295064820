"""Runs the built `muster` command over programs of every kind.

Environment: MUSTER_BUILD_DIR, the build folder; CMAKE_COMMAND, for the test of an installed tree.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab.environment import clean_environment  # noqa: E402

BUILD = Path(os.environ["MUSTER_BUILD_DIR"])
CMAKE = os.environ.get("CMAKE_COMMAND", "cmake")
MUSTER = BUILD / "bin" / "muster"
LIBRARY = BUILD / "lib" / "libmuster.so"

OPENMP_PROGRAM = """
#include <stdio.h>
int main(void) {
  int arrived = 0;
#pragma omp parallel num_threads(2) reduction(+ : arrived)
  {
    arrived += 1;
#pragma omp barrier
  }
  printf("arrived %d\\n", arrived > 0);
  return 0;
}
"""


def muster(*arguments: str | Path, command: Path = MUSTER, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command, *arguments],
        env=clean_environment(keep=("LD_LIBRARY_PATH",)) | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class LauncherTest(unittest.TestCase):
    """Gives each class a scratch folder and compilers of programs."""

    scratch: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-launcher-")
        cls.addClassCleanup(folder.cleanup)
        cls.scratch = Path(folder.name)

    @classmethod
    def compile(cls, name: str, *command: str, source: str = OPENMP_PROGRAM) -> Path:
        """Compiles `source` by `command`, once for the class."""
        program = cls.scratch / name
        if not program.exists():
            file = cls.scratch / f"{name}.c"
            file.write_text(source)
            subprocess.run([*command, file, "-o", program], check=True, capture_output=True)
        return program

    @classmethod
    def libomp_program(cls) -> Path:
        return cls.compile("on-libomp", "clang-19", "-fopenmp")

    @classmethod
    def script(cls, name: str, text: str) -> Path:
        file = cls.scratch / name
        file.write_text(text)
        file.chmod(0o755)
        return file


class Run(LauncherTest):
    def test_sets_the_environment_and_keeps_the_process(self) -> None:
        report = "sh=$$ run=$MUSTER_RUN_PID barrier=$MUSTER_BARRIER wait=$MUSTER_WAIT fork=$MUSTER_FORKJOIN preload=$LD_PRELOAD"
        flags = ["--barrier", "dist-sensor", "--wait", "50us", "--forkjoin", "on", "--verbose"]
        done = muster("run", *flags, "--", "sh", "-c", f'echo "{report} verbose=$MUSTER_VERBOSE"')
        self.assertEqual(done.returncode, 0, done.stderr)
        values = dict(word.split("=", 1) for word in done.stdout.split())
        self.assertEqual(values["sh"], values["run"])
        self.assertEqual(values["barrier"], "dist-sensor")
        self.assertEqual(values["wait"], "50us")
        self.assertEqual(values["fork"], "on")
        self.assertEqual(values["verbose"], "1")
        self.assertEqual(values["preload"], str(LIBRARY))

    def test_leaves_alone_what_was_not_asked_for(self) -> None:
        done = muster("run", "--", "sh", "-c", "echo $MUSTER_WAIT/$MUSTER_BARRIER", MUSTER_WAIT="block")
        self.assertEqual(done.stdout, "block/\n")

    def test_keeps_an_existing_preload(self) -> None:
        other = self.compile("other.so", "gcc", "-shared", "-fPIC", source="int unused_here;")
        for given in (str(other), f"{LIBRARY}:{other}", f" {other}  "):
            done = muster("run", "--", "sh", "-c", "echo $LD_PRELOAD", LD_PRELOAD=given)
            self.assertEqual(done.stdout, f"{LIBRARY}:{other}\n", done.stderr)

    def test_runs_an_openmp_program(self) -> None:
        done = muster("run", "--", self.libomp_program())
        self.assertEqual((done.returncode, done.stdout), (0, "arrived 1\n"), done.stderr)

    def test_exit_statuses(self) -> None:
        missing_interpreter = self.script("missing-interpreter", "#!/nowhere/to/be/found\n")
        for status, command in (
            (42, ["sh", "-c", "exit 42"]),
            (127, ["no-such-command-anywhere"]),
            (127, ["/no/such/file"]),
            (127, [""]),
            (126, ["/"]),
            (126, ["/etc/passwd"]),
            (126, [missing_interpreter]),
        ):
            with self.subTest(command=command):
                done = muster("run", "--", *command)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 0 if status == 42 else 1, done.stderr)

    def test_a_signal_is_the_programs_own(self) -> None:
        self.assertEqual(muster("run", "--", "sh", "-c", "kill -TERM $$").returncode, -15)

    def test_bad_values(self) -> None:
        for flag, value in (
            ("--barrier", "nonsense"),
            ("--barrier", ""),
            ("--barrier", "tree "),
            ("--wait", "-5us"),
            ("--wait", "99999999999999999999us"),
            ("--wait", "50"),
            ("--wait", "<n>us"),
            ("--forkjoin", ""),
            ("--forkjoin", "On"),
            ("--report", ""),
            ("--report", "a%d"),
            ("--report", "x" * 5000),
        ):
            with self.subTest(flag=flag, value=value[:30]):
                done = muster("run", flag, value, "--", "echo", "ran")
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "", "the program must not run")
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(flag, done.stderr)
                self.assertIn(value, done.stderr)
                self.assertIn("allowed: ", done.stderr)

    def test_bad_usage(self) -> None:
        for arguments in (
            [],
            ["nonsense"],
            ["run"],
            ["run", "--"],
            ["run", "--nonsense", "--", "true"],
            ["run", "--wait"],
            ["run", "--verbose=maybe", "--", "true"],
            ["run", "--barrier", "tree", "--barrier", "native", "--", "true"],
            ["doctor"],
            ["doctor", "a", "b"],
            ["options", "--nonsense"],
        ):
            with self.subTest(arguments=arguments):
                done = muster(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertNotEqual(done.stderr, "")

    def test_arguments_reach_the_program_whole(self) -> None:
        words = ["a b", "", "--wait", "--", "-x", "*", "it's"]
        for separator in (["--"], []):
            with self.subTest(separator=separator):
                done = muster("run", *separator, "printf", "[%s]\\n", *words)
                self.assertEqual(done.stdout.splitlines(), [f"[{word}]" for word in words], done.stderr)


class DryRun(LauncherTest):
    def test_prints_and_does_not_run(self) -> None:
        mark = self.scratch / "ran"
        done = muster("run", "--wait", "cs", "--dry-run", "--", "touch", mark)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, f"LD_PRELOAD={LIBRARY} MUSTER_WAIT=cs touch {mark}\n")
        self.assertFalse(mark.exists())

    def test_a_shell_reads_it_back(self) -> None:
        words = ["a b", "$HOME", "it's", '"', "A=b"]
        shown = muster("run", "--report", "a b'%p.txt", "--dry-run", "--", "printf", "%s\\n", *words)
        script = f'printf() {{ echo "$MUSTER_REPORT"; command printf "$@"; }}; {shown.stdout}'
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.splitlines(), ["a b'%p.txt", *words])

    def test_checks_values(self) -> None:
        self.assertEqual(muster("run", "--wait", "x", "--dry-run", "--", "true").returncode, 2)


class Help(LauncherTest):
    def test_version_and_help(self) -> None:
        self.assertRegex(muster("--version").stdout, r"^muster \d+\.\d+\.\d+\n$")
        for arguments in (["--help"], ["run", "--help"], ["doctor", "--help"]):
            self.assertEqual(muster(*arguments).returncode, 0)


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

    def test_libomp_answers_for_a_preloaded_gcc_program(self) -> None:
        program = self.compile("on-libgomp", "gcc", "-fopenmp")
        libomp = subprocess.check_output(["clang-19", "-print-file-name=libomp.so.5"], text=True).strip()
        self.check(program, 0, f"preload   {libomp}", "verdict   works", LD_PRELOAD=libomp)

    def test_without_openmp(self) -> None:
        self.check("true", 1, "none linked", "nothing to replace", "dlopen")

    def test_python_may_load_one(self) -> None:
        python = shutil.which("python3", path="/usr/bin:/bin")
        if python is None:
            self.skipTest("no python3 from a package")
        real = Path(python).resolve()
        self.check(real, 1, "nothing to replace", "Python loads one")

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


class Installed(LauncherTest):
    def test_an_installed_tree_can_be_moved(self) -> None:
        first, second = self.scratch / "first", self.scratch / "second"
        install = [CMAKE, "--install", BUILD, "--prefix", first]
        subprocess.run(install, check=True, capture_output=True)
        first.rename(second)
        command = next(second.rglob("bin/muster"))
        library = next(second.rglob("libmuster.so"))
        done = muster("run", "--", "sh", "-c", "echo $LD_PRELOAD", command=command)
        self.assertEqual(done.stdout, f"{library.resolve()}\n", done.stderr)
        done = muster("run", "--", self.libomp_program(), command=command)
        self.assertEqual((done.returncode, done.stdout), (0, "arrived 1\n"), done.stderr)

    def test_the_library_may_lie_in_other_places(self) -> None:
        for place in ("lib", f"lib/{os.uname().machine}-linux-gnu", "lib64", "bin"):
            with self.subTest(place=place):
                prefix = self.scratch / place.replace("/", "-")
                for folder in ("bin", place):
                    (prefix / folder).mkdir(parents=True, exist_ok=True)
                shutil.copy(MUSTER, prefix / "bin" / "muster")
                shutil.copy(LIBRARY, prefix / place / "libmuster.so")
                done = muster("run", "--dry-run", "--", "x", command=prefix / "bin" / "muster")
                self.assertEqual(done.stdout, f"LD_PRELOAD={prefix / place / 'libmuster.so'} x\n")

    def test_a_missing_library_is_said(self) -> None:
        alone = self.scratch / "alone" / "bin" / "muster"
        alone.parent.mkdir(parents=True)
        shutil.copy(MUSTER, alone)
        for arguments, status in ((["run", "--", "true"], 125), (["doctor", "true"], 1)):
            done = muster(*arguments, command=alone)
            self.assertEqual(done.returncode, status)
            self.assertIn("libmuster.so was not found; looked for", done.stdout + done.stderr)

    def test_a_path_the_loader_would_split(self) -> None:
        prefix = self.scratch / "with space"
        (prefix / "bin").mkdir(parents=True)
        shutil.copy(MUSTER, prefix / "bin" / "muster")
        shutil.copy(LIBRARY, prefix / "bin" / "libmuster.so")
        done = muster("run", "--", "true", command=prefix / "bin" / "muster")
        self.assertEqual(done.returncode, 125)
        self.assertIn("no spaces or colons", done.stderr)


if __name__ == "__main__":
    unittest.main()
