"""What is wrong with a command line is reported in one line, and nothing is started."""

from __future__ import annotations

import os
import subprocess
import unittest

from common import GANG, GangTest

MARK = "echo started"


class BadInput(GangTest):
    def refused(self, status: int, told: str, *words: str) -> None:
        done = subprocess.run([GANG, *words], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (status, "", 1), done)
        self.assertIn(told, done.stderr)
        self.assertTrue(done.stderr.startswith("gang: "), done.stderr)

    def test_options(self) -> None:
        mark = ("--", "sh", "-c", MARK, "::", "sh", "-c", MARK)
        for told, *options in (
            ("'0' is not a number from 0.1", "--slice", "0"),
            ("'-5' is not a number", "--slice", "-5"),
            ("'nan' is not a number", "--slice", "nan"),
            ("'soon' is not a number", "--slice", "soon"),
            ("--slice", "--slice"),
            ("3 weights for 2 programs", "--weights", "1,2,3"),
            ("1 weights for 2 programs", "--weights", "1"),
            ("'0' is not a number", "--weights", "0,1"),
            ("'-1' is not a number", "--weights", "-1,1"),
            ("'x' is not a number", "--weights", "1,x"),
            ("less than 0.1 ms", "--slice", "1", "--weights", "1,0.01"),
            ("no list of processors", "--cpus", "none"),
            ("no list of processors", "--cpus", ""),
            ("no list of processors", "--cpus", "0,"),
            ("no list of processors", "--cpus", "-1"),
            ("no list of processors", "--cpus", "0-"),
            ("goes backwards", "--cpus", "1-0"),
            ("may not use processor", "--cpus", "0-1023"),
            ("may not use processor", "--cpus", "99999999"),
            ("--by", "--by", "magic"),
            ("neither stderr, FILE.txt nor FILE.json", "--report", "report.xml"),
            ("neither stderr, FILE.txt nor FILE.json", "--report", ""),
            ("--bogus", "--bogus"),
            ("sleep", "sleep"),
        ):
            self.refused(2, told, *options, *mark)

    def test_programs(self) -> None:
        self.refused(2, "no programs")
        self.refused(2, "no programs", "--")
        self.refused(2, "program 1 of 2 is empty", "--", "::")
        self.refused(2, "program 2 of 2 is empty", "--", "sh", "-c", MARK, "::")
        self.refused(2, "program 1 of 2 is empty", "--", "::", "sh", "-c", MARK)
        self.refused(2, "program 2 of 3 is empty", "--", "true", "::", "::", "sh", "-c", MARK)
        self.refused(127, "no-such-command: command not found", "--", "sh", "-c", MARK, "::", "no-such-command")
        self.refused(127, "./no-such-file: No such file", "--", "sh", "-c", MARK, "::", "./no-such-file")
        self.refused(127, "'': command not found", "--", "")
        self.refused(126, "Is a directory", "--", "sh", "-c", MARK, "::", "/")
        plain = self.folder / "plain"
        plain.write_text("no program\n")
        self.refused(126, "Permission denied", "--", str(plain))
        self.refused(126, "Not a directory", "--", f"{plain}/x")

    def test_what_the_kernel_cannot_run(self) -> None:
        broken = self.folder / "broken"
        broken.write_text("#!/no/such/interpreter\n")
        broken.chmod(0o755)
        done = subprocess.run([GANG, "--", broken, "::", "sh", "-c", MARK], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (127, "started\n"), "the other one is not hurt")
        self.assertEqual(done.stderr, f"gang: {broken}: No such file or directory\n")

    def test_a_script_without_a_first_line_runs_as_in_a_shell(self) -> None:
        script = self.folder / "script"
        script.write_text("echo from a script\n")
        script.chmod(0o755)
        path = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        done = subprocess.run([GANG, "--", "script"], capture_output=True, text=True, env=path)
        self.assertEqual((done.returncode, done.stdout), (0, "from a script\n"))

    def test_a_report_that_cannot_be_written(self) -> None:
        self.refused(125, "no report: /no/such/folder/r.txt", "--report", "/no/such/folder/r.txt", "--", "true")

    def test_help(self) -> None:
        done = subprocess.run([GANG, "--help"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("--slice", "--weights", "--cpus", "--by", "--report", "::"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
