"""The `cluster` program: its output, and what it says of bad input."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["MUSTER_CLUSTER"]
RUNS = Path(os.environ["MUSTER_RUNS"])
BULK = RUNS / "bulk-synchronous.toml"
SHORT = ("--set", "jobs.dedicated_s=0.05")


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=300)


def rows(*words: str | Path) -> list[dict[str, str]]:
    done = run("--csv", *words)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


class ClusterTest(unittest.TestCase):
    def test_slowdown_and_its_parts(self) -> None:
        for file in sorted(RUNS.glob("*.toml")):
            (row,) = rows(file, *SHORT)
            slowdown = float(row["completion_s"]) / float(row["explicit_s"])
            self.assertAlmostEqual(float(row["slowdown"]), slowdown, places=3)
            self.assertGreater(float(row["explicit_s"]), 3 * 0.05)
            shares = [float(row[f"{name}_percent"]) for name in ("computing", "spinning", "switching", "idle")]
            self.assertAlmostEqual(sum(shares), 100, places=2)

    def test_seeds(self) -> None:
        got = rows(BULK, *SHORT, "--seeds", "3", "--alone")
        self.assertEqual([row["seed"] for row in got], ["1", "2", "3"])
        self.assertEqual({row["slowdown"] for row in got}, {""})
        self.assertEqual(len({row["completion_s"] for row in got}), 3)
        self.assertEqual(got[1], rows(BULK, *SHORT, "--alone", "--set", "seed=2")[0])
        self.assertEqual(run(BULK, *SHORT).stdout, run(BULK, *SHORT).stdout)
        self.assertIn("mean slowdown", run(BULK, *SHORT, "--seeds", "2").stdout)

    def test_explicit_coscheduling_is_its_own_reference(self) -> None:
        (row,) = rows(BULK, *SHORT, "--set", "scheduler.policy=explicit")
        self.assertEqual((row["slowdown"], row["switches"]), ("1.0000", "96"))
        self.assertEqual(row["completion_s"], rows(BULK, *SHORT)[0]["explicit_s"])

    def test_waiting_policies(self) -> None:
        """Each by one --set, whichever keys the file has for others."""
        took = {}
        for policy in ("spin", "block", "two-phase", "conditional"):
            (row,) = rows(RUNS / "continuous.toml", *SHORT, "--alone", "--set", f"waiting.policy={policy}")
            took[policy] = float(row["completion_s"])
            spun = float(row["reads_spinning_percent"])
            self.assertEqual(spun == 100, policy == "spin")
            self.assertEqual(spun == 0, policy == "block")
        self.assertEqual(len(set(took.values())), 4)
        self.assertGreater(took["block"], took["conditional"])

    def test_workstations_add_up(self) -> None:
        got = rows(BULK, *SHORT, "--workstations")
        self.assertEqual([row["workstation"] for row in got], [str(i) for i in range(32)])
        (whole,) = rows(BULK, *SHORT, "--alone")
        for row in got:
            parts = sum(float(row[f"{name}_s"]) for name in ("computing", "spinning", "switching", "idle"))
            self.assertAlmostEqual(parts, float(whole["completion_s"]), places=5)

    def test_trace(self) -> None:
        done = run(BULK, "--set", "jobs.dedicated_s=0.001", "--trace")
        events = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(sum(row["event"] == "end" for row in events), 96)
        times = [float(row["time_us"]) for row in events]
        self.assertEqual(times, sorted(times))
        self.assertEqual({row["priority"] for row in events[:32]}, {"29"})
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace.csv"
            self.assertEqual(run(BULK, "--set", "jobs.dedicated_s=0.001", "--trace", file).stdout, "")
            self.assertEqual(file.read_text(), done.stdout)
            self.assertIn("cannot be written", run(BULK, "--trace", Path(folder) / "no" / "file").stderr)
        self.assertIn("--trace is for one seed", run(BULK, "--trace", "--seeds", "2").stderr)

    def test_bad_settings(self) -> None:
        for setting, told in (
            ("machine.workstations=0", "[machine] workstations must be a whole number from 1 to"),
            ("machine.switch_us=-1", "[machine] switch_us must be a number from 0 to"),
            ("machine.latency_us=0", "[machine] latency_us must be a number from 0.001"),
            ("machine.latency_us=nan", "[machine] latency_us must be a number"),
            ("machine.speed=2", "[machine] unknown key speed; known here: latency_us, switch_us, workstations"),
            ("scheduler.policy=fair", '[scheduler] policy cannot be "fair"; allowed: solaris, round-robin, explicit'),
            ("scheduler.table=linux", '[scheduler] table cannot be "linux"; allowed: solaris, svr4'),
            ("scheduler.slice_ms=0", "[scheduler] slice_ms must be"),
            ("jobs.count=0", "[jobs] count must be"),
            ("jobs.processes=2.5", "[jobs] processes must be a whole number"),
            ("jobs.dedicated_s=-3", "[jobs] dedicated_s must be"),
            ("program.style=serial", '[program] style cannot be "serial"; allowed: bulk-synchronous, continuous'),
            ("program.barrier_every_us=0", "[program] barrier_every_us must be"),
            ("program.read_every_us=-8", "[program] read_every_us must be"),
            ("program.barrier=central", '[program] barrier cannot be "central"; allowed: root, tree, dissemination'),
            ("waiting.policy=sleep", 'cannot be "sleep"; allowed: spin, block, two-phase, conditional'),
            ("waiting.policy=conditional", "[waiting] conditional_us is missing"),
            ("waiting.read_spin_us=-1", "[waiting] read_spin_us must be"),
            ("waiting.conditional_us=-150", "[waiting] conditional_us must be"),
            ("waiting.spin_us=150", "[waiting] unknown key spin_us"),
            ("seed=-1", "seed must be a whole number from 0"),
        ):
            done = run(BULK, "--set", setting)
            self.assertEqual((done.returncode, done.stdout), (2, ""), setting)
            self.assertIn(told, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_bad_files(self) -> None:
        text = BULK.read_text()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.toml"
            for old, new, told in (
                ("switch_us = 200", "switch_us = -200", "switch_us must be"),
                ("policy = \"solaris\"", "policy = \"mach\"", 'policy cannot be "mach"'),
                ("count = 3", "count = 3\nkind = 1", "unknown key kind"),
                ("[waiting]", "[waiting", "run.toml:"),
            ):
                file.write_text(text.replace(old, new, 1))
                line = 1 + text[: text.index(old)].count("\n") + new.count("\n")
                done = run(file)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(told, done.stderr)
                if new != "[waiting":
                    self.assertIn(f"run.toml:{line}: ", done.stderr)
            self.assertIn("no such file", run(Path(folder) / "none.toml").stderr)
        self.assertNotEqual(run().returncode, 0)
        self.assertNotEqual(run(BULK, "--seeds", "0").returncode, 0)
        self.assertNotEqual(run(BULK, "--trace", "--workstations").returncode, 0)


if __name__ == "__main__":
    unittest.main()
