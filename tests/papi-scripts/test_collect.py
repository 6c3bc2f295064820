"""collect.py: what it records, of programs that do well and badly."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import scripts
from scripts import BUILD

EVENTS = [
    {"name": "A", "source": "hardware", "reason": None, "multiplexed": True, "waiting": 11, "rest": 0},
    {"name": "B", "source": "software", "reason": None, "multiplexed": False, "waiting": 0, "rest": 44},
    {
        "name": "C",
        "source": "unavailable",
        "reason": "no such event",
        "multiplexed": False,
        "waiting": None,
        "rest": None,
    },
]
COUNTERS = {"setting": "A,B,C", "library": "7.0.0.0", "unavailable": None, "threads": 2, "events": EVENTS}


# muster-test: full it measures, or draws for long
class Collect(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-collect-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.output = self.folder / "runs.csv"
        self.program = scripts.pretender(self.folder)

    def collect(
        self, *words: str | Path, program: list[str] | None = None, status: int = 0, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        command = ["--build", BUILD, "--output", self.output, *words, "--", *(program or [str(self.program)])]
        done = scripts.run("collect.py", *command, env=os.environ | environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def rows(self) -> list[dict[str, str]]:
        with self.output.open(newline="") as file:
            return list(csv.DictReader(file))

    def muster_row(self) -> dict[str, str]:
        return next(row for row in self.rows() if row["barrier"] != "stock")

    def test_an_openmp_program(self) -> None:
        """The real library in a real program."""
        program = [str(BUILD / "bin" / "barrier"), "--seconds", "0.02", "--threads", "{threads}"]
        words = ["--barriers", "fetch-add,tree", "--waits", "block,50us", "--threads", "2", "--repetitions", "1"]
        self.collect(
            *words, "--events", "context-switches,NO_SUCH", "--value", r"([\d.]+) iterations/s", program=program
        )
        rows = self.rows()
        self.assertEqual(len(rows), 5)
        for row in rows:
            self.assertEqual((row["status"], row["exit_status"], row["repetition"]), ("ok", "0", "1"))
            self.assertGreater(float(row["elapsed_s"]), 0.01)
            self.assertGreater(float(row["value"]), 0)
            self.assertEqual(row["runtime"], "libomp")
            self.assertIn("clang", row["compiler"])
            self.assertRegex(row["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertEqual(row["NO_SUCH.source"], "unavailable")
            self.assertNotEqual(row["NO_SUCH.reason"], "")
            self.assertEqual(row["NO_SUCH.waiting"] + row["NO_SUCH.rest"], "")
            preloaded = row["barrier"] != "stock"
            self.assertEqual(row["replaced"] != "", preloaded)
            if preloaded:
                self.assertGreater(int(row["replaced"]), 0)
                self.assertGreater(int(row["waited_ns"]), 0)
        self.assertEqual({row["wait"] for row in rows}, {"stock", "block", "50us"})

    def test_counters_of_every_source(self) -> None:
        done = self.collect(
            "--threads", "2", "--repetitions", "1", "--events", "A,B,C,D", COUNTERS=json.dumps(COUNTERS)
        )
        row = self.muster_row()
        parts = ("source", "reason", "multiplexed", "waiting", "rest")
        found = {event: [row[f"{event}.{part}"] for part in parts] for event in "ABCD"}
        self.assertEqual(found["A"], ["hardware", "", "yes", "11", "0"])
        self.assertEqual(found["B"], ["software", "", "no", "0", "44"], "0 where it was counted")
        self.assertEqual(found["C"], ["unavailable", "no such event", "", "", ""])
        self.assertEqual(found["D"], ["unavailable", "not in the report", "", "", ""])
        self.assertEqual((row["counters_library"], row["muster"]), ("7.0.0.0", "9.9"))
        own = {"retries": "25", "episodes": "100", "spins": "50", "successful_spins": "40", "blocks": "10"}
        own |= {"wakeups": "9", "yields": "7", "waited_ns": "400000"}
        self.assertEqual({name: row[name] for name in own}, own)
        self.assertIn("C is unavailable: no such event", done.stdout)
        stock = next(row for row in self.rows() if row["barrier"] == "stock")
        self.assertEqual((stock["A.source"], stock["A.waiting"], stock["retries"]), ("unavailable", "", ""))

    def test_no_counters_at_all(self) -> None:
        refused = COUNTERS | {"library": None, "unavailable": "libpapi.so.7.0 is not there", "events": []}
        alone = COUNTERS | {"unavailable": "none of the events is available", "events": [EVENTS[2] | {"name": "A"}]}
        for counters, reason in (
            (json.dumps(alone), "no such event"),
            (json.dumps(refused), "libpapi.so.7.0 is not there"),
            ("null", "this build"),
            ("", "this build"),
        ):
            with self.subTest(counters):
                words = ["--threads", "2", "--repetitions", "1", "--events", "A", "--restart", "--no-stock"]
                self.collect(*words, COUNTERS=counters)
                row = self.muster_row()
                self.assertEqual((row["A.source"], row["A.waiting"]), ("unavailable", ""))
                self.assertIn(reason, row["A.reason"])

    def test_programs_that_do_badly(self) -> None:
        words = ["--threads", "2", "--repetitions", "1", "--no-stock", "--restart"]
        missing = "no report: it uses no OpenMP"
        cases = (
            ({"PRETEND": "ls /no/such/file"}, [str(self.program)], "exit status 2: ls: cannot access"),
            ({"PRETEND": "kill -SEGV $$"}, ["sh", "-c", "kill -SEGV $$"], "ended by SIGSEGV"),
            ({"PRETEND": "sleep 50"}, [str(self.program)], "no end after 0.3 s"),
            ({}, ["true"], missing),
            ({"REPLACED": "0"}, [str(self.program)], "no barrier was replaced: tasks"),
        )
        for environment, program, status in cases:
            with self.subTest(status):
                limit = "0.3" if status.startswith("no end") else "30"  # what ends may take long on a busy machine
                done = self.collect(*words, "--timeout", limit, program=program, status=1, **environment)
                row = self.muster_row()
                self.assertTrue(row["status"].startswith(status), row["status"])
                self.assertIn(f"1 of auto/auto with 2 threads: {status}", done.stdout)

    def test_a_value_that_is_not_printed(self) -> None:
        words = ["--threads", "2", "--repetitions", "1", "--no-stock", "--restart", "--value", r"time (\S+)"]
        for says, status in (
            ("echo nothing", "printed nothing that matches"),
            ("echo time long", "'long', which matches"),
        ):
            self.collect(*words, status=1, PRETEND=says)
            self.assertIn(status, self.muster_row()["status"])
            self.assertEqual(self.muster_row()["value"], "")
        self.collect(*words, PRETEND="echo time 1.5e-3")
        self.assertEqual(self.muster_row()["value"], "1.5e-3")

    def test_bad_input_is_one_line(self) -> None:
        for words, mentions in (
            (["--barriers", "auto,hedge"], "hedge"),
            (["--barriers", "auto,auto"], "twice"),
            (["--waits", "patiently"], "patiently"),
            (["--threads", "0"], "--threads"),
            (["--threads", "2,2"], "each once"),
            (["--repetitions", "none"], "--repetitions"),
            (["--value", "("], "--value"),
            (["--build", self.folder], "libmuster.so is missing"),
            (["--timeout", "-1"], "--timeout"),
        ):
            with self.subTest(words):
                done = self.collect(*words, status=2)
                self.assertRegex(done.stderr, r"(?m)^collect(\.py)?: (error: )?[^\n]+\n\Z")
                self.assertIn(mentions, done.stderr)
        done = self.collect(program=["/no/such/program"], status=2)
        self.assertIn("/no/such/program", done.stderr)
        self.assertFalse(self.output.exists())
        self.output = Path("/dev/full")
        self.assertIn("/dev/full: no file", self.collect(status=1).stderr)

    def test_a_program_without_reading_rights(self) -> None:
        self.output = self.folder / "no" / "such" / "folder.csv"
        self.assertRegex(self.collect(status=1).stderr, r"\Acollect: [^\n]*folder.csv: No such file[^\n]*\n\Z")

    def test_the_library_of_the_user_stays_preloaded(self) -> None:
        listing = ["sh", "-c", "echo $LD_PRELOAD >>" + str(self.folder / "seen")]
        self.collect("--threads", "2", "--repetitions", "1", program=listing, status=1, LD_PRELOAD="libm.so.6")
        seen = sorted((self.folder / "seen").read_text().split("\n"))
        self.assertEqual(seen, ["", f"{BUILD}/lib/libmuster.so libm.so.6", "libm.so.6"])

    def test_a_report_that_could_not_be_written(self) -> None:
        program = ["sh", "-c", "echo 'muster: MUSTER_REPORT: cannot write x: No space left on device' >&2"]
        self.collect("--threads", "2", "--repetitions", "1", "--no-stock", program=program, status=1)
        self.assertIn("no report: muster: MUSTER_REPORT: cannot write x", self.muster_row()["status"])

    def test_progress_on_a_terminal(self) -> None:
        python = scripts.python_with("rich")
        if python is None:
            self.skipTest("no Python has rich")
        terminal, end = pty.openpty()
        words = ["--build", BUILD, "--output", self.output, "--threads", "2", "--repetitions", "4"]
        command = [python, "-B", scripts.SCRIPTS / "collect.py", *words, "--", self.program]
        environment = os.environ | {"PRETEND": "sleep 0.1", "TERM": "xterm", "COLUMNS": "120"}
        subprocess.run(command, stderr=end, stdout=subprocess.DEVNULL, env=environment, check=True, timeout=60)
        shown = os.read(terminal, 100_000).decode()
        os.close(end)
        os.close(terminal)
        plain = re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", shown)
        self.assertRegex(plain, r" \d+% +\d+ s left round [1-4]: auto/auto, 2 threads")
        self.assertTrue(shown.endswith("\033[2K"), "gone at the end")

    def test_help(self) -> None:
        done = subprocess.run([scripts.SCRIPTS / "collect.py", "--help"], capture_output=True, text=True, check=True)
        self.assertIn("{threads}", done.stdout)


if __name__ == "__main__":
    unittest.main()
