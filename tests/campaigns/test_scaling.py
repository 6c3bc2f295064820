"""The scaling campaign, and that of pairs: the table of medians, the CSV, bad input, and that it continues."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns")]

import pairs  # noqa: E402
import scaling  # noqa: E402

from lab import results  # noqa: E402
from lab.scripts import run_here  # noqa: E402

# In place of bin/smp: each thread passes so many barriers in a limit that depend on the policy and the seed alone. A
# file FAIL has it fail for that policy.
PRETENDED = r"""#!/bin/sh
folder=$(dirname "$0")
for word; do
  case $word in
    wait.policy=*) policy=${word#*=} ;;
    seed=*) seed=${word#*=} ;;
    limit=*) limit=${word#*=} ;;
    job.0.count=*) teams=${word#*=} ;;  # of pairs.py: 1
    machine.processors=*) processors=${word#*=} ;;
  esac
done
echo "$policy $seed $teams $processors" >>"$folder/log"
if [ -f "$folder/FAIL" ] && [ "$(cat "$folder/FAIL")" = "$policy" ]; then echo "no $policy" >&2; exit 1; fi
case $policy-$seed in
  block-*) each=${BLOCKED-100} ;;
  auto-1) each=900 ;;
  auto-2) each=150 ;;
  auto-3) each=300 ;;
  *) each=50 ;;
esac
echo group,all_threads,barriers,elapsed
echo all,$((16 * teams)),$((16 * teams * each)),$limit
"""


class Scaling(unittest.TestCase):
    folder: Path

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-scaling-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        self.pretend()

    def pretend(self, blocked: int = 100) -> None:
        program = self.folder / "bin" / "smp"
        program.write_text(PRETENDED.replace("${BLOCKED-100}", str(blocked)))
        program.chmod(0o755)

    def scaling(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        where = ["--build", self.folder, "--campaigns", self.folder / "campaigns", "--jobs", "2"]
        return run_here(scaling.main, *words, *where)

    def runs(self) -> list[str]:
        log = self.folder / "bin" / "log"
        return sorted(log.read_text().splitlines()) if log.exists() else []

    def test_medians_over_block(self) -> None:
        path = self.folder / "out.csv"
        few = ["--granularities", "coarse", "--loads", "2,0.5", "--policies", "auto,2cs+"]
        left = self.folder / "left.json"
        done = self.scaling("--seeds", "3", *few, "--csv", path, "--json", left)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # 100 barriers in 100 ms; 900, 150 and 300 of auto.
        lines = [
            "| 32 processors | load | block, 1/s | auto | 2cs+ |",
            "|---|---|---|---|---|",
            "| coarse | 2 | 1000 | 3.00 | 0.50 |",
            "| coarse | 0.5 | 1000 | 3.00 | 0.50 |",
        ]
        self.assertEqual(done.stdout, "\n".join([*lines, "", ""]))
        with path.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2 * 3)
        auto = rows[0]
        self.assertEqual(list(auto.values())[:5], ["32", "2.0", "coarse", "auto", "3"])
        self.assertEqual([float(auto[key]) for key in ("barriers_per_s", "least", "most")], [3000, 1500, 9000])
        self.assertEqual(float(auto["over_block"]), 3)
        (table,) = results.read(left).tables
        self.assertEqual(table.rows, [["coarse", 2, 1000, 3, 0.5], ["coarse", 0.5, 1000, 3, 0.5]])
        teams = {2.0: 4, 0.5: 1}
        wanted = [f"{p} {s} {n} 32" for p in ("auto", "2cs+", "block") for s in (1, 2, 3) for n in teams.values()]
        self.assertEqual(self.runs(), sorted(wanted))

    def test_one_seed_of_each_machine(self) -> None:
        done = self.scaling("--processors", "128,32", "--loads", "1.5", "--granularities", "fine", "--policies", "auto")
        tables = done.stdout.strip().split("\n\n")
        self.assertEqual([table.split("\n")[0][:8] for table in tables], ["| 128 pr", "| 32 pro"])
        # Over 30 ms, the others over 100.
        self.assertEqual(tables[0].split("\n")[2], "| fine | 1.5 | 3333 | 9.00 |")
        wanted = [f"{policy} 1 {teams}" for policy in ("auto", "block") for teams in ("12 128", "3 32")]
        self.assertEqual(self.runs(), sorted(wanted))

    def test_nothing_over_nothing(self) -> None:
        self.pretend(blocked=0)
        path = self.folder / "out.csv"
        done = self.scaling("--loads", "1", "--granularities", "fine", "--policies", "auto", "--csv", path)
        self.assertIn("| fine | 1 | 0 | - |\n", done.stdout)
        self.assertEqual(path.read_text().split("\n")[1], "32,1.0,fine,auto,1,9000.00,9000.00,9000.00,")

    def test_goes_on_where_it_was(self) -> None:
        few = ["--granularities", "fine,medium", "--loads", "1", "--policies", "auto,libomp"]
        fail = self.folder / "bin" / "FAIL"
        fail.write_text("libomp")
        broken = self.scaling(*few)
        self.assertEqual((broken.returncode, broken.stdout), (1, ""))
        self.assertRegex(broken.stderr, r"^scaling: smp .*wait\.policy=libomp.*: exit status 1: no libomp\n$")
        fail.unlink()
        self.assertEqual(self.scaling(*few).returncode, 0)
        made = self.runs()
        self.assertLess(len(made), 2 * 6)
        # All is known now, more seeds but for the first; the order in a list makes no other runs.
        self.assertEqual(self.scaling(*few).returncode, 0)
        self.assertEqual(self.runs(), made)
        few[1] = "medium,fine"
        self.assertEqual(self.scaling(*few, "--seeds", "2").returncode, 0)
        self.assertEqual(len(self.runs()), len(made) + 6)

    def test_refusals(self) -> None:
        for words, said in (
            (["--loads", "3"], "argument --loads: '3' is none of 0.5, 1, 1.5, 2, 4"),
            (["--policies", "auto,fast"], "argument --policies: 'fast' is none of auto, 2cs+,"),
            (["--processors", "64"], "argument --processors: '64' is none of 32, 128, 256, 1024"),
            (["--granularities", ""], "argument --granularities: '' is none of fine, medium, coarse"),
            (["--seeds", "0"], "argument --seeds: '0' is no number from 1"),
        ):
            done = self.scaling(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
        (self.folder / "bin" / "smp").unlink()
        done = self.scaling()
        self.assertEqual(done.returncode, 1)
        self.assertIn("smp is missing; run ./bootstrap build first\n", done.stderr)
        self.assertEqual(self.runs(), [])

    def test_pairs(self) -> None:
        where = ["--build", self.folder, "--campaigns", self.folder / "campaigns", "--jobs", "2"]
        with mock.patch.object(pairs, "COPIES", (3,)):
            done = run_here(pairs.main, "--seeds", "3", "--set", "limit=100000000", *where)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "| copies, work | 2cs+ | auto | block | libgomp-passive | libomp | libomp-passive |")
        # Of 16 threads pretended: 300 barriers each in 0.1 s are 12,000 iterations/s of pairs; 150 and 900 those of
        # auto.
        self.assertEqual(lines[2].split(" | ")[:3], ["| 3, 0 us", "2,000 [2,000-2,000]", "12,000 [6,000-36,000]"])
        self.assertEqual([line[:11] for line in lines[2:]], ["| 3, 0 us |", "| 3, 10 us ", "| 3, 100 us"])
        self.assertEqual(len(self.runs()), 3 * len(pairs.WORKS_US) * len(pairs.POLICIES))

    def test_csv_has_nowhere_to_go(self) -> None:
        few = ["--granularities", "fine", "--loads", "1", "--policies", "auto"]
        done = self.scaling(*few, "--csv", self.folder / "no" / "such.csv")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"scaling: {self.folder}/no/such.csv: No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
