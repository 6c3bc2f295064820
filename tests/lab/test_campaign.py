"""lab.campaign: each run once, again where something changed, continued after an interrupt, alike for any --jobs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from lab import campaign, scripts  # noqa: E402
from lab.campaign import Campaign, CampaignError, Run  # noqa: E402

COMMAND = (sys.executable, "-B", "-m", "lab.campaign")

# Writes a line each time that it runs; a run file has one line with what it does.
PROGRAM = r"""#!/bin/sh
echo "$*" >>"$(dirname "$0")/../made"
while read -r word value; do
  case $word in
    fail) echo "first line" >&2; echo "bad key: $value" >&2; exit 3 ;;
    sleep) sleep "$value" & echo $! >>"$(dirname "$0")/../sleepers"; wait ;;
    say) echo "n,said"; echo "$2,$value" ;;
  esac
done <"$1"
"""


def is_running(process: int) -> bool:
    """Not one that has ended and was not yet waited for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class CampaignTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-campaign-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.build = self.folder / "release"
        self.program = self.build / "bin" / "sim"
        self.program.parent.mkdir(parents=True)
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.made_file = self.build / "made"
        self.input = self.file("run.toml", "say yes")

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text + "\n")
        return path

    def campaign(self, jobs: int = 2) -> Campaign:
        return Campaign(self.build, jobs)

    def runs(self, *numbers: int) -> list[Run]:
        return [Run("sim", (self.input, str(n)), weight=n) for n in numbers]

    def made(self) -> int:
        return len(self.made_file.read_text().splitlines()) if self.made_file.exists() else 0

    def test_each_run_once(self) -> None:
        one = self.campaign()
        self.assertEqual(one.run(self.runs(1, 2, 1)), ["n,said\n1,yes\n", "n,said\n2,yes\n", "n,said\n1,yes\n"])
        self.assertEqual(self.made(), 2)
        one.run(self.runs(2, 1))
        another = self.campaign()
        self.assertEqual(another.rows(self.runs(2)), [[{"n": "2", "said": "yes"}]])
        self.assertEqual((self.made(), another.made), (2, 0))

    def test_what_changed_is_run_anew(self) -> None:
        runs = self.runs(1, 2)
        self.campaign().run(runs)
        self.file("run.toml", "say no")
        self.assertEqual(self.campaign().run(runs), ["n,said\n1,no\n", "n,said\n2,no\n"])
        self.assertEqual(self.made(), 4)
        self.program.write_text(PROGRAM.replace("n,said", "number,said"))
        self.assertEqual(self.campaign().run(runs)[0], "number,said\n1,no\n")
        self.assertEqual(self.made(), 6)
        beside = self.folder / "machines"
        beside.mkdir()
        for text, made in (("a", 7), ("a", 7), ("b", 8)):
            (beside / "one").write_text(text)
            self.campaign().run([Run("sim", (self.input, "1"), (beside,))])
            self.assertEqual(self.made(), made)

    def test_the_place_of_a_file_does_not_count(self) -> None:
        self.campaign().run(self.runs(1))
        moved = self.file("moved.toml", "say yes")
        self.campaign().run([Run("sim", (moved, "1"))])
        self.assertEqual(self.made(), 1)
        self.campaign().run([Run("sim", (str(moved), "1"))])
        self.assertEqual(self.made(), 2, "a word is a word")

    def test_what_is_kept_is_whole(self) -> None:
        one = self.campaign()
        one.run(self.runs(1))
        (kept,) = one.folder.iterdir()
        self.assertEqual(json.loads(kept.read_text())["output"], "n,said\n1,yes\n")
        for damaged in ("", kept.read_text()[:-5], "[]", '{"command": "sim"}'):
            kept.write_text(damaged)
            self.assertEqual(self.campaign().run(self.runs(1)), ["n,said\n1,yes\n"])
        self.assertEqual(self.made(), 5)
        self.assertEqual(list(one.folder.iterdir()), [kept])

    def test_jobs_do_not_matter(self) -> None:
        numbers = [3, 1, 4, 5, 9, 2, 6, 8]
        one = self.campaign(jobs=1).run(self.runs(*numbers))
        self.file("run.toml", "say yes\n")  # runs all anew
        self.assertEqual(self.campaign(jobs=4).run(self.runs(*numbers)), one)
        self.assertEqual(self.made(), 16)

    def test_a_failing_run_says_which_and_why(self) -> None:
        bad = self.file("bad run.toml", "fail threads")
        with self.assertRaises(CampaignError) as raised:
            self.campaign(jobs=1).run([*self.runs(2), Run("sim", (bad, "1"))])
        said = str(raised.exception)
        self.assertEqual(said, f"sim '{bad}' 1: exit status 3:\n    first line\n    bad key: threads")
        made = self.made()
        self.campaign().run(self.runs(2))
        self.assertEqual(self.made(), made, "the other one is kept")
        with self.assertRaisesRegex(CampaignError, "exit status 3"):
            self.campaign().run([Run("sim", (bad, "1"))])
        with self.assertRaisesRegex(CampaignError, "bin/other is missing; run ./bootstrap build first"):
            self.campaign().run([Run("other")])
        with self.assertRaisesRegex(CampaignError, "none.toml is missing"):
            self.campaign().run([Run("sim", (self.folder / "none.toml",))])
        self.program.write_text("#!/bin/sh\nkill -9 $$\n")
        with self.assertRaisesRegex(CampaignError, "killed by SIGKILL: nothing on stderr"):
            self.campaign().run(self.runs(1))

    def commands(self, *lines: str) -> Path:
        return self.file("commands", "\n".join(lines))

    def test_interrupted_it_ends_its_runs_and_goes_on_there(self) -> None:
        slow = self.file("slow.toml", "sleep 100000")
        # The quick ones go first: all weigh the same.
        lines = [f"sim {self.input} 1", f"sim {self.input} 2", f"sim {slow} 3  # a comment", "", f"sim {slow} 4"]
        words = ["--build", self.build, "--jobs", "2", self.commands(*lines)]
        process = subprocess.Popen(
            [*COMMAND, *words], cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        sleepers = self.build / "sleepers"
        until = time.monotonic() + 60
        while not sleepers.exists() or len(sleepers.read_text().splitlines()) < 2:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""))
        for sleeper in map(int, sleepers.read_text().split()):
            self.assertFalse(is_running(sleeper))
        self.assertRegex(errors, r"\Acampaign: interrupted; 2 of 4 runs are kept in \S+, 2 remain: [^\n]*\n\Z")
        made = self.made()
        self.file("slow.toml", "say now")
        done = subprocess.run(
            [*COMMAND, *words, "--csv"], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
        )
        self.assertEqual((done.returncode, done.stdout), (0, "n,said\n1,yes\n2,yes\n3,now\n4,now\n"))
        self.assertEqual(self.made(), made + 2)

    def test_bad_commands_are_one_line(self) -> None:
        for path, mentions in (
            (self.file("open", "sim 'x"), "open:1: No closing quotation"),
            (self.folder / "none", "none: No such file"),
            (self.file("nobody", "nobody 1"), "nobody is missing"),
        ):
            done = scripts.run_here(campaign.main, "--build", self.build, path)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Acampaign: [^\n]*\n\Z")
            self.assertIn(mentions, done.stderr)


if __name__ == "__main__":
    unittest.main()
