"""The campaign of several programs on one simulated machine: shares of the bound, verdicts, and that it continues."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns")]

import turns  # noqa: E402

from lab import results  # noqa: E402
from lab.scripts import run_here  # noqa: E402

# In place of bin/smp: each thread of a team alone passes 1,000 barriers; beside others as many as the setting allows.
# The second team has a tenth less.
PRETENDED = r"""#!/bin/sh
folder=$(dirname "$0")
for word; do
  case $word in
    wait.policy=*) policy=${word#*=} ;;
    wait.turns=true) policy=turns ;;
    job.0.count=*) teams=${word#*=} ;;
    job.0.size=*) size=${word#*=} ;;
    job.3.size=*) hogs=${word#*=} ;;
  esac
done
echo "$policy $teams $size $hogs" >>"$folder/log"
case $policy in
  turns) each=400 ;;
  libomp-passive) each=160 ;;
  *) each=100 ;;
esac
[ "$teams" = 1 ] && each=1000
echo job,synchronizing,threads,barriers,ran,time
for i in $(seq "$teams"); do
  [ "$i" = 2 ] && each=$((each * 9 / 10))
  echo "$i,1,$size,$((size * each)),1,1000000"
done
[ "$hogs" = 0 ] || echo "0,0,$hogs,0,$((hogs * 500000)),1000000"
"""


class Turns(unittest.TestCase):
    folder: Path

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-turns-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        program = self.folder / "bin" / "smp"
        program.write_text(PRETENDED)
        program.chmod(0o755)

    def turns(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        where = ["--build", self.folder, "--campaigns", self.folder / "campaigns", "--jobs", "2"]
        return run_here(turns.main, *words, *where)

    def test_shares_of_the_bound(self) -> None:
        left = self.folder / "left.json"
        done = self.turns("--shapes", "machine", "--granularities", "fine", "--json", left)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        verdicts, table = results.read(left).tables
        self.assertEqual([row[1] for row in table.rows], [1, 2, 4])
        alone, two, four = (row[5:] for row in table.rows)
        self.assertEqual(alone[:5], [1, 1, 1, 1, 1])
        # Two teams, of which each could pass 500: the mean of 400 and 360 over it.
        self.assertEqual(two[:6], [0.304, 0.19, 0.19, 0.76, 2.5, 0.9])
        self.assertEqual(four[5], 0.9)
        found = {row[0]: row[-1] for row in verdicts.rows}
        self.assertEqual(found["turns over the best stock setting, least"], "met")
        self.assertEqual(found["the same, loads 1.5 to 4, mean"], "met")
        self.assertNotIn("hogs' share, least", found)

    def test_hogs_and_the_same_again(self) -> None:
        words = ("--shapes", "hogs", "--granularities", "coarse", "--seeds", "2")
        done = self.turns(*words)
        self.assertEqual(done.returncode, 0)
        # 32 threads and 8 hogs: 0.8 of a processor for each, of which the hogs have 0.5.
        self.assertIn("| hogs' share, least | 0.97 | 0.62 |", done.stdout)
        log = self.folder / "bin" / "log"
        made = log.read_text()
        self.assertEqual(made.count("turns 4 16 32"), 2)
        self.assertEqual(self.turns(*words).stdout, done.stdout)
        self.assertEqual(log.read_text(), made)

    def test_mixed_teams_only_where_the_largest_fits(self) -> None:
        self.assertEqual(turns.cells_of("mixed", 32, "fine"), [])
        loads = [round(cell.load, 2) for cell in turns.cells_of("mixed", 128, "fine")]
        self.assertEqual(loads, [0.66, 1.31, 1.97, 3.94])

    def test_one_team_in_a_crowd_on_small_machines_too(self) -> None:
        self.assertEqual(turns.cells_of("teams", 16, "fine"), [])
        cells = turns.cells_of("crowd", 16, "fine")
        self.assertEqual([(cell.sizes, cell.hogs) for cell in cells[:4]], [((8,), hogs) for hogs in (4, 8, 16, 32)])
        self.assertEqual({cell.sizes for cell in cells[4:]}, {(16,)})

    def test_some_loads_only(self) -> None:
        for shape, count in (("teams", 1), ("machine", 1), ("mixed", 1), ("hogs", 2), ("crowd", 0)):
            with self.subTest(shape):
                cells = turns.cells_of(shape, 128, "fine", [2.0])
                self.assertEqual([round(cell.load) for cell in cells], [2] * count)

    def test_a_choice_without_a_cell_is_an_error(self) -> None:
        for words in (("--shapes", "machine", "--loads", "1.5"), ("--processors", "16", "--shapes", "teams")):
            with self.subTest(words):
                done = self.turns(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn("none of these shapes", done.stderr)


if __name__ == "__main__":
    unittest.main()
