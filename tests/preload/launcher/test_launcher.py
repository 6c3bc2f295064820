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

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

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
            ("--report", "a.xyz"),
            ("--report", "stdout"),
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
            ["doctor", "--"],
            ["doctor", "--nonsense", "--", "true"],
            ["doctor", "/usr/lib", "true"],
            ["options", "--nonsense"],
        ):
            with self.subTest(arguments=arguments):
                done = muster(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertNotEqual(done.stderr, "")

    def test_a_bad_report_is_refused_by_name(self) -> None:
        for value, said in (
            ("a%q.json", "no such % pattern"),
            ("stdout", "standard output is the program's"),
            ("out.v1/a.html", "no such format"),
        ):
            done = muster("run", "--report", value, "--", "true")
            self.assertIn(f"{said}; allowed: stderr|FILE.txt|", done.stderr)
            done = muster("run", "--", self.libomp_program(), MUSTER_REPORT=value)
            self.assertEqual((done.returncode, done.stdout), (0, "arrived 1\n"))
            self.assertIn(f"muster: MUSTER_REPORT: bad value '{value}' ({said}; may be stderr|", done.stderr)

    def test_the_nearest_name(self) -> None:
        for arguments, said in (
            (["rnu", "--", "true"], "muster: rnu: no such command; did you mean run?"),
            (["docter"], "did you mean doctor?"),
            (["nonsense"], "see muster --help"),
            (["run", "--wiat", "block", "--", "true"], "did you mean --wait?"),
            (["doctor", "--jsn", "true"], "did you mean --json?"),
        ):
            done = muster(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_report_of_a_program_that_closes_stderr(self) -> None:
        for command in (["ls", "/dev/null"], [sys.executable, "-c", "import os; os.close(2)"]):
            done = muster("run", "--report", "stderr", "--", *command)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"(?m)^  barriers ", command)

    def test_stderr_is_kept_for_a_report_only_and_not_by_children(self) -> None:
        show = 'for f in /proc/self/fd/*; do echo "%s ${f##*/}"; done'
        command = ["sh", "-c", f"{show % 'parent'}; ({show % 'child'}); true"]
        counts = []
        for flags in ([], ["--report", "stderr"]):
            listed = muster("run", *flags, "--", *command).stdout
            counts.append((listed.count("parent"), listed.count("child")))
        self.assertEqual(counts[1], (counts[0][0] + 1, counts[0][1]), counts)

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
