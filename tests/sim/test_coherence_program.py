"""The `coherence` program: its output, its defaults, and what it says of bad input."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import unittest

PROGRAM = os.environ["MUSTER_COHERENCE"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=300)


def rows(*words: str) -> list[dict[str, str]]:
    done = run("--csv", *words)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


class CoherenceTest(unittest.TestCase):
    def test_a_line_for_each_run(self) -> None:
        got = rows("--threads", "1..3,8", "--barrier", "dist-sensor,tree", "--episodes", "10")
        self.assertEqual([row["threads"] for row in got], ["1", "1", "2", "2", "3", "3", "8", "8"])
        self.assertEqual({row["barrier"] for row in got}, {"dist-sensor", "tree"})
        self.assertEqual({row["machine"] for row in got}, {"power4-32"})
        self.assertTrue(all(float(row["overhead_us"]) > 0 for row in got if row["threads"] != "1"))

    def test_the_same_again(self) -> None:
        words = ("--machine", "zen4-2x96", "--threads", "24", "--barrier", "fetch-add", "--episodes", "20")
        self.assertEqual(run(*words).stdout, run(*words).stdout)
        self.assertNotEqual(run(*words).stdout, run(*words, "--seed", "2").stdout)

    def test_all_of_a_machine_by_default(self) -> None:
        self.assertEqual(rows("--machine", "power3-16", "--episodes", "5")[0]["threads"], "16")

    def test_names_the_machines(self) -> None:
        done = run("--list")
        self.assertEqual(
            done.stdout.split(), ["grace-72", "pair", "power3-16", "power4-32", "rule-N", "zen4-2x96"]
        )

    def test_bad_input(self) -> None:
        for words, told in (
            (("--machine", "cray"), "no machine cray"),
            (("--threads", "0"), "--threads 0"),
            (("--threads", "2..x"), "--threads 2..x"),
            (("--threads", "33"), "more threads than processors"),
        ):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout.count("overhead") <= 1), (2, True), words)
            self.assertIn(told, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertNotEqual(run("--barrier", "native").returncode, 0)


if __name__ == "__main__":
    unittest.main()
