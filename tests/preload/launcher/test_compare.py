"""`muster compare`: what it runs, what it keeps, and what it says of it.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

import contextlib
import csv
import json
import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from typing import Any

from test_launcher import LIBRARY, MUSTER, LauncherTest, muster

from lab.environment import clean_environment

FAST = ["--rounds", "2", "--warm-up", "0", "--no-passive"]


class CompareTest(LauncherTest):
    def setUp(self) -> None:
        self.folder = self.scratch / self.id().rpartition(".")[2]

    def compare(
        self, script: str, *flags: str, status: int = 0, **environment: str
    ) -> tuple[dict[str, Any], str]:
        """Compares a shell script; returns compare.json and what was printed."""
        done = muster("compare", *FAST, *flags, "--folder", self.folder, "--", "sh", "-c", script, **environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return self.kept(), done.stdout

    def kept(self) -> dict[str, Any]:
        return json.loads((self.folder / "compare.json").read_text())

    def output(self, run: Mapping[str, Any]) -> str:
        return (self.folder / "runs" / f"{run['file']}.out").read_text()

    def outputs(self, kept: dict[str, Any]) -> dict[tuple[str, str], set[str]]:
        """By case and variant."""
        found: dict[tuple[str, str], set[str]] = {}
        for run in kept["runs"]:
            key = kept["cases"][run["case"]]["name"], kept["variants"][run["variant"]]["name"]
            found.setdefault(key, set()).add(self.output(run))
        return found


class Runs(CompareTest):
    def test_an_openmp_program(self) -> None:
        flags = ["--rounds", "5", "--folder", str(self.folder)]
        done = muster("compare", *flags, "--", self.libomp_program())
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, r"Muster replaced [1-9]\d* arrivals")
        self.assertIn("standard output: the same in all runs", done.stdout)
        self.assertRegex(done.stdout.splitlines()[-3], r"^Muster: .*(stock|passive)\)?.*\.$")
        kept = self.kept()
        self.assertTrue(kept["complete"])
        self.assertEqual([variant["name"] for variant in kept["variants"]], ["stock", "passive", "Muster"])
        self.assertEqual(len(kept["runs"]), 15)
        for number in range(5):  # interleaved
            self.assertEqual({run["round"] for run in kept["runs"][3 * number : 3 * number + 3]}, {number})
        rows = list(csv.DictReader((self.folder / "compare.csv").read_text().splitlines()))
        self.assertEqual([row["variant"] for row in rows], [kept["variants"][run["variant"]]["name"] for run in kept["runs"]])
        self.assertNotIn("://", (self.folder / "compare.html").read_text())
        outputs = list((self.folder / "runs").glob("*.out"))
        self.assertEqual(len(outputs), 15)
        self.assertEqual(len({file.stat().st_ino for file in outputs}), 1, "equal outputs take their space once")

    def test_the_environment_of_each_variant(self) -> None:
        script = "echo $OMP_NUM_THREADS/$OMP_WAIT_POLICY/$MUSTER_WAIT/$A/$MUSTER_REPORT/${LD_PRELOAD##*/}"
        flags = ["--threads", "2,4", "--muster", "--wait block", "--stock", "A=b"]
        done = muster("compare", "--rounds", "1", *flags, "--folder", self.folder, "--", "sh", "-c", script,
                      LD_PRELOAD=str(LIBRARY), MUSTER_REPORT="x.json")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        expected = {"stock": "////", "passive": "/passive///", "stock A=b": "///b/", "Muster --wait block": "//block//"}
        for (case, variant), found in self.outputs(self.kept()).items():
            library = LIBRARY.name if variant.startswith("Muster") else ""
            self.assertEqual(found, {f"{case[0]}{expected[variant]}/{library}\n"}, (case, variant))

    def test_hogs_and_copies(self) -> None:
        # Its sisters, itself included.
        script = 'grep -l "^PPid:[[:space:]]*$PPID$" /proc/[0-9]*/status 2>/dev/null | wc -l; sleep 0.05'
        # Whether a copy sees the other one is chance, and so is whether outputs differ.
        muster("compare", *FAST, "--hogs", "0,2", "--copies", "1,2", "--folder", self.folder, "--", "sh", "-c", script)
        kept = self.kept()
        found = {case: {int(text) for text in texts} for (case, _), texts in self.outputs(kept).items()}
        self.assertEqual((found["idle"], found["2 hogs"]), ({1}, {3}))
        self.assertLessEqual(found["2 hogs, 2 copies"], {2, 3, 4})
        second = [self.folder / "runs" / f"{run['file']}.2.out" for run in kept["runs"] if run["case"] >= 2]
        self.assertTrue(second and all(file.exists() for file in second))

    def test_a_quota(self) -> None:
        done = muster("compare", *FAST, "--quota", "0.5", "--folder", self.folder, "--", "cat", "/proc/self/cgroup")
        if done.returncode == 125:
            self.assertRegex(done.stderr, r"^muster compare: --quota needs a control group \(.*\) or systemd-run .*\n$")
            self.skipTest("no quota can be set here")
        self.assertEqual(done.returncode, 0, done.stderr)
        for texts in self.outputs(self.kept()).values():
            self.assertTrue(all(re.search(r"muster-compare-\d+|run-.*\.scope", text) for text in texts), texts)

    def test_standard_input(self) -> None:
        text = self.scratch / "input"
        text.write_text("read\n")
        kept, _ = self.compare("cat", "--input", str(text))
        self.assertEqual(set().union(*self.outputs(kept).values()), {"read\n"})

    def test_a_run_that_takes_too_long(self) -> None:
        kept, printed = self.compare('test "$LD_PRELOAD" || exec sleep 100000', "--timeout", "2")
        self.assertEqual({run["timed_out"] for run in kept["runs"] if run["variant"] == 0}, {True})
        self.assertRegex(printed, r"2 of 4 runs ended after the limit of 2 s")
        self.assertRegex(printed, r"\nMuster: more than [\d.]+ times as fast as stock\.\n")


class Results(CompareTest):
    def test_a_rate_of_the_program(self) -> None:
        script = 'echo "rate: ${LD_PRELOAD:+2}00 per s"'
        flags = ["--rate", "rate: ", "--rounds", "6"]
        done = muster("compare", "--no-passive", *flags, "--folder", self.folder, "--", "sh", "-c", f"{script} >&2")
        self.assertEqual(done.returncode, 1, "another output")
        self.assertIn("standard error DIFFERS WITH MUSTER", done.stdout)

    def test_a_cost_of_the_program(self) -> None:
        script = 'test "$LD_PRELOAD" && echo "cost 1 us" || echo "cost 2 us"'
        _, printed = self.compare(script, "--cost", "cost", status=1)
        self.assertIn("\nMuster: 2.00 to 2.00 times as fast as stock.\n", printed)

    def test_outputs_that_differ_with_muster_only(self) -> None:
        kept, printed = self.compare("echo ${LD_PRELOAD:+other}", status=1)
        self.assertIn("standard output DIFFERS WITH MUSTER: runs/", printed)
        self.assertFalse(kept["findings"]["same_results"])

    def test_outputs_that_differ_anyway(self) -> None:
        _, printed = self.compare("echo $$")
        self.assertIn("standard output differs between stock runs, too, so it tells nothing (idle)", printed)

    def test_statuses(self) -> None:
        _, printed = self.compare('test "$LD_PRELOAD" && kill -SEGV $$; exit 3', status=1)
        self.assertIn("exit status DIFFERS WITH MUSTER: SIGSEGV; all 2 stock runs: 3", printed)

    def test_muster_s_own_lines_are_no_difference(self) -> None:
        _, printed = self.compare('test "$LD_PRELOAD" && echo "muster: hello" >&2; true')
        self.assertIn("standard error: the same in all runs", printed)

    def test_colour(self) -> None:
        for no_color, colored in (("", True), ("1", False)):
            with self.subTest(no_color=no_color):
                ours, theirs = pty.openpty()
                command = [MUSTER, "compare", *FAST, "--folder", self.folder / f"colour{no_color}", "--", "true"]
                environment = clean_environment() | {"NO_COLOR": no_color}
                subprocess.run(command, env=environment, stdout=theirs, stderr=theirs, check=True, timeout=60)
                os.close(theirs)
                text = b""
                with contextlib.suppress(OSError):
                    while part := os.read(ours, 4096):
                        text += part
                os.close(ours)
                self.assertEqual(b"\033[1m" in text, colored)
                self.assertIn(b"round 1/2", text, "the progress bar")


class Resumed(CompareTest):
    def test_ctrl_c_keeps_what_was_measured(self) -> None:
        flags = ["--rounds", "4", "--warm-up", "0", "--no-passive", "--folder", str(self.folder)]
        # From the fourth run on, until it may go on, it takes for ever.
        began, go = self.scratch / "began", self.scratch / "go"
        script = f"echo >>{began}; test $(wc -l <{began}) -lt 4 || test -e {go} || exec sleep 100000"
        command = [MUSTER, "compare", *flags, "--", "sh", "-c", script]
        with subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, text=True) as process:
            try:
                until = time.monotonic() + 60
                while not began.exists() or len(began.read_text()) < 4:
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.02)
                process.send_signal(signal.SIGINT)
                printed = process.communicate(timeout=60)[0]
            finally:
                process.kill()
        self.assertEqual(process.returncode, 130)
        self.assertRegex(printed, rf"3 of 8 runs; the rest by: muster compare --resume {self.folder}\n")
        before = self.kept()["runs"]
        self.assertEqual(len(before), 3)
        go.touch()
        done = muster("compare", "--resume", self.folder / "compare.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.kept()["runs"][: len(before)], before)
        self.assertTrue(self.kept()["complete"])

    def test_more_rounds_and_less_time(self) -> None:
        self.compare("true")
        done = muster("compare", "--resume", self.folder, "--rounds", "4", "--seconds", "0.001")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(len(self.kept()["runs"]), 8)
        muster("compare", "--resume", self.folder)
        self.assertEqual(len(self.kept()["runs"]), 8)


class Usage(CompareTest):
    def test_what_cannot_be_run(self) -> None:
        for status, command in ((127, "/no/such/program"), (126, "/etc/passwd")):
            done = muster("compare", "--folder", self.folder, "--", command)
            self.assertEqual(done.returncode, status)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_bad_usage(self) -> None:
        self.compare("true")
        for flags, said in (
            (["--hogs", "1,x"], "--hogs 1,x"),
            (["--threads", "0"], "--threads 0"),
            (["--copies", "1.5"], "--copies 1.5"),
            (["--muster", "--wait blok"], "allowed: "),
            (["--muster", "--wiat block"], "--wiat"),
            (["--stock", "A"], "NAME=VALUE"),
            (["--rate", "("], "regular expression"),
            (["--round", "3"], "--rounds"),
            (["--resume", str(self.folder)], "another command"),
            (["--folder", str(self.folder)], "--resume"),
        ):
            with self.subTest(flags=flags):
                done = muster("compare", *flags, "--", "true")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(said, done.stderr)
        self.assertEqual(muster("compare").returncode, 2)

    def test_a_folder_is_named_after_the_command(self) -> None:
        self.folder.mkdir()
        for name in ("muster-compare-true", "muster-compare-true-2"):
            command = [MUSTER, "compare", *FAST, "--", "true"]
            done = subprocess.run(command, cwd=self.folder, env=clean_environment(), capture_output=True, text=True, check=True)
            self.assertIn(f"\n{name}: compare.html", done.stdout)
            self.assertTrue((self.folder / name / "compare.json").exists())


if __name__ == "__main__":
    import unittest

    unittest.main()
