"""The runner of applications, with a small program that does what an application may do: other bits in each run, wrong
results, crashes, hangs. The library is the built one."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import math
import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns" / "applications")]

import run as runner_program  # noqa: E402
from muster_report import summary  # noqa: E402
from recipe import Place, Recipe, Result, job_result  # noqa: E402
from recipes import RECIPES  # noqa: E402
from record import Record, RecordError  # noqa: E402
from running import AUTO_LOADS, LOADS, MUSTER, OK, REPORTED, SETTINGS, STOCK, Run, Runner, Setting  # noqa: E402
from setting_up import Unavailable, set_up  # noqa: E402
from verdict import Cell, bars, judge  # noqa: E402

from lab import results  # noqa: E402
from lab.runs import ends_within  # noqa: E402

BUILD = Path(os.environ.get("MUSTER_TEST_BUILD", "build/release")).resolve()
IDLE, HOGS, TWICE = LOADS[:3]
# PRELOADED is what is done differently under the preload.
# It has a runtime, and so it leaves a report.
PRETENDER = """
import ctypes, json, os, time
ctypes.CDLL("libgomp.so.1")
preloaded = "LD_PRELOAD" in os.environ
seconds, digest, number = 0.02, "a", 1.0
{code}
print("some words")
print(json.dumps({{"seconds": seconds, "digest": digest, "numbers": {{"number": number,
  "threads": int(os.environ["OMP_NUM_THREADS"])}}}}))
"""


def pretender(code: str = "", **more: object) -> Recipe:
    words = [sys.executable, "-S", "-c", PRETENDER.format(code=code)]
    recipe = Recipe("pretender", "no application", lambda _place: words, job_result, tolerances={"number": 0.01})
    return dataclasses.replace(recipe, **more)  # type: ignore[arg-type]


DEFAULT, PASSIVE = STOCK


def run_of(setting: Setting, seconds: float, digest: str = "a", status: str = OK, repetition: int = 0) -> Run:
    return Run(
        "pretender", "idle", setting.name, repetition, status, seconds, seconds, digest=digest, numbers={"number": 1.0}
    )


def judged(recipe: Recipe, runs: list[Run], load: str = "idle") -> Cell:
    return judge(recipe, load, {one.name: [run for run in runs if run.setting == one.name] for one in SETTINGS})


# muster-test: full long: it installs nothing, but runs many programs
class RunTest(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory(prefix="muster-applications-")
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        self.library = BUILD / "lib" / "libmuster.so"
        self.runner = Runner(self.folder, self.library, Path("/bin/cat"), None, 2, BUILD / "bin" / "muster")

    def run_one(self, recipe: Recipe, setting: Setting = DEFAULT, limit: float = 20.0) -> Run:
        return self.runner.run(recipe, IDLE, setting, 0, limit)

    def test_a_run_has_a_result_and_its_times(self) -> None:
        run = self.run_one(pretender())
        self.assertEqual((run.status, run.digest, run.seconds), (OK, "a", 0.02))
        self.assertEqual(run.numbers, {"number": 1.0, "threads": 2.0})
        self.assertGreater(run.wall_s, 0.0)
        self.assertGreater(run.user_s + run.system_s, 0.0)
        self.assertEqual(list((self.folder / "scratch").iterdir()), [])

    def test_the_program_gets_twice_the_threads(self) -> None:
        run = self.runner.run(pretender(), TWICE, DEFAULT, 0, 20.0)
        self.assertEqual((run.threads, run.numbers["threads"]), (4, 4.0))
        ranks = pretender(ranks=2)
        self.assertEqual([ranks.threads_of(cpus, times) for cpus in (2, 8) for times in (1, 2)], [2, 4, 4, 8])

    def test_the_launcher_chooses_the_threads(self) -> None:
        loaded = pretender("assert 'libmuster' in open('/proc/self/maps').read()")
        for load in AUTO_LOADS:
            stock = self.runner.run(pretender(), load, DEFAULT, 0, 20.0)
            ours = self.runner.run(loaded, load, MUSTER, 0, 20.0)
            self.assertEqual((stock.threads, stock.numbers["threads"]), (load.threads, load.threads))
            self.assertEqual((ours.status, ours.numbers["threads"]), (OK, ours.threads))
            self.assertLessEqual(ours.threads, len(os.sched_getaffinity(0)))
        self.assertEqual([load.threads for load in AUTO_LOADS], [2, 4, 8, 2, 4, 8])

    def test_the_library_is_there_when_preloaded_and_only_then(self) -> None:
        self.assertEqual(self.run_one(pretender("assert not preloaded")).status, OK)
        run = self.run_one(pretender("assert 'libmuster' in open('/proc/self/maps').read()"), MUSTER)
        self.assertEqual((run.status, run.muster), (OK, None))
        self.assertIsNotNone(self.run_one(pretender(), REPORTED).muster)
        self.runner.library = self.folder / "nothing.so"
        self.assertIn("there was no library", self.run_one(pretender(), REPORTED).status)

    def test_the_waiting_policy_is_the_settings(self) -> None:
        for setting, value in ((DEFAULT, None), (PASSIVE, "passive"), (MUSTER, None)):
            run = self.run_one(pretender(f"assert os.environ.get('OMP_WAIT_POLICY') == {value!r}"), setting)
            self.assertEqual((run.status, run.setting), (OK, setting.name))

    def test_a_crash_is_reported_and_its_output_kept(self) -> None:
        run = self.run_one(pretender("import sys; sys.stderr.write('why\\n'); sys.stderr.flush(); os.abort()"))
        self.assertEqual(run.status, "SIGABRT")
        kept = self.folder / "failures" / "pretender-idle-stock-0"
        self.assertIn("why", (kept / "errors.txt").read_text())
        self.assertEqual(self.run_one(pretender("raise SystemExit(3)")).status, "status 3")

    def test_what_does_not_end_is_ended_with_its_children(self) -> None:
        code = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True); time.sleep(60)"
        began = time.monotonic()
        before = sleepers()
        run = self.run_one(pretender(code), limit=0.7)
        self.assertEqual(run.status, "no end after 1 s")
        self.assertLess(time.monotonic() - began, 20)
        self.assertTrue((self.folder / "failures" / "pretender-idle-stock-0" / "backtraces.txt").is_file())
        self.assertEqual(sleepers() - before, set())

    def test_the_applications_own_check_is_heeded(self) -> None:
        recipe = pretender("number = 3.0", expected={"number": (1.0, 0.5)})
        self.assertEqual(self.run_one(recipe).status, "number is 3, not 1 within 0.5")
        recipe = pretender("number = float('nan')", expected={"number": (1.0, 0.5)})
        self.assertIn("number is nan", self.run_one(recipe).status)
        self.assertEqual(self.run_one(pretender("raise SystemExit", result=job_result)).status, "it reported no result")

    def test_waiting_ends_when_the_process_does(self) -> None:
        child = os.fork()
        if child == 0:
            os._exit(0)
        self.assertTrue(ends_within(child, 10.0))
        os.waitpid(child, 0)


def sleepers() -> set[str]:
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cmdline").read_bytes() == b"sleep\x0060\x00":
                found.add(folder.name)
    return found


class VerdictTest(unittest.TestCase):
    recipe = pretender()

    def test_bits_must_be_stocks_where_those_are_always_the_same(self) -> None:
        stock = [run_of(DEFAULT, 1.0, "a"), run_of(PASSIVE, 1.2, "a")]
        good = judged(self.recipe, [*stock, run_of(MUSTER, 1.0, "a")])
        self.assertEqual((good.problems, good.sameness), ([], "equal bits"))
        bad = judged(self.recipe, [*stock, run_of(MUSTER, 1.0, "b")])
        self.assertEqual(bad.sameness, "WRONG")
        self.assertIn("its bits differ from stock's", bad.problems[0])

    def test_equal_bits_by_chance_bind_nobody(self) -> None:
        stock = [run_of(DEFAULT, 1.0, "a"), run_of(DEFAULT, 1.2, "a", repetition=1)]
        for run in stock:
            run.threads = 4
        for most, sameness in ((2, "own check"), (4, "WRONG")):
            recipe = pretender(steady_threads=most)
            ours = dataclasses.replace(run_of(MUSTER, 1.0, "b"), threads=4)
            self.assertEqual(judged(recipe, [*stock, ours]).sameness, sameness)

    def test_other_numbers_of_threads_have_other_bits(self) -> None:
        stock = [run_of(DEFAULT, 1.0, "a"), run_of(DEFAULT, 1.2, "a", repetition=1)]
        ours = dataclasses.replace(run_of(MUSTER, 1.0, "b"), threads=4)
        self.assertEqual(judged(self.recipe, [*stock, ours]).sameness, "own check")

    def test_else_numbers_must_be_near_stocks(self) -> None:
        stock = [run_of(DEFAULT, 1.0, "a"), run_of(PASSIVE, 1.2, "b")]
        near, far = run_of(MUSTER, 1.0, "c"), run_of(MUSTER, 1.0, "d")
        near.numbers, far.numbers = {"number": 1.005}, {"number": 1.02}
        self.assertEqual(judged(self.recipe, [*stock, near]).problems, [])
        cell = judged(self.recipe, [*stock, near, far])
        self.assertIn("number is 1.02, stock's 1, beyond 0.01", cell.problems[0])
        far.numbers = {"number": float("nan")}
        self.assertEqual(judged(self.recipe, [*stock, far]).sameness, "WRONG")

    def test_medians_bounds_and_what_stock_was_too_slow_for(self) -> None:
        stock = [run_of(DEFAULT, seconds, repetition=i) for i, seconds in enumerate((2.0, 4.0, 3.0))]
        muster = [run_of(MUSTER, seconds, repetition=i) for i, seconds in enumerate((1.0, 1.0, 2.0))]
        cell = judged(self.recipe, [*stock, *muster])
        self.assertEqual((cell.faster, cell.bounds, cell.stopped(cell.better)), (3.0, (1.5, 4.0), False))
        stock.append(run_of(DEFAULT, 60.0, status="no end after 60 s", repetition=3))
        cell = judged(self.recipe, [*stock, *muster])
        self.assertEqual((cell.faster, cell.stopped(cell.better), cell.problems), (3.5, True, []))
        muster.append(run_of(MUSTER, 60.0, status="no end after 60 s", repetition=3))
        self.assertIn("muster, run 3: no end after 60 s", judged(self.recipe, [*stock, *muster]).problems[0])

    def test_the_rival_is_the_better_stock_setting(self) -> None:
        runs = [run_of(DEFAULT, 60.0, status="no end after 60 s"), run_of(PASSIVE, 3.0), run_of(MUSTER, 2.0)]
        cell = judged(self.recipe, runs)
        self.assertEqual((cell.better, cell.faster, cell.stopped(cell.better)), (PASSIVE.name, 1.5, False))
        self.assertEqual((cell.faster_than(DEFAULT.name), cell.stopped(DEFAULT.name)), (30.0, True))
        self.assertTrue(math.isnan(judged(self.recipe, [runs[0], runs[2]]).faster_than(PASSIVE.name)))

    def test_the_bars(self) -> None:
        def cell(load: str, *ratios: float) -> Cell:
            stock = [run_of(DEFAULT, faster, repetition=i) for i, faster in enumerate(ratios)]
            return judged(self.recipe, [*stock, *(run_of(MUSTER, 1.0, repetition=i) for i in range(len(ratios)))], load)

        lines = "\n".join(bars([cell("idle", 0.99), cell("hogs", 2.0), cell("twice", 2.0)]))
        self.assertIn("at least 0.98 x the better stock setting: reached", lines)
        self.assertIn("2.00 x, reached", lines)
        lines = "\n".join(bars([cell("idle", 0.97), cell("hogs", 0.9), cell("twice", 2.0)]))
        self.assertIn("at least 0.98 x the better stock setting: MISSED by pretender (idle 0.970 x)", lines)
        self.assertIn("1.34 x, MISSED", lines)
        self.assertIn("at least 0.95 x the better stock setting: MISSED by pretender (hogs 0.900 x)", lines)
        lines = "\n".join(bars([cell("idle", 0.9, 0.96, 0.97, 0.99, 1.0)]))
        self.assertIn("setting: undecided: pretender (idle 0.970 x)", lines)


# muster-test: full long
class ProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory(prefix="muster-applications-")
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.addCleanup(signal.signal, number, signal.getsignal(number))

    def call(self, recipe: Recipe, *words: str) -> tuple[int, str, str]:
        more = ["--output", str(self.folder / "out"), "--folder", str(self.folder / "made"), "--build", str(BUILD)]
        arguments = ["run.py", "--repetitions", "2", "--limit", "20", *more, *words]
        out, errors = io.StringIO(), io.StringIO()
        with (
            mock.patch.object(sys, "argv", arguments),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(errors),
            mock.patch("picture.draw", return_value=[]),
        ):
            code = runner_program.main([recipe])
        return code, out.getvalue(), errors.getvalue()

    def test_runs_are_continued_and_shown_again(self) -> None:
        code, out, _ = self.call(pretender(), "--loads", "idle")
        self.assertEqual(code, 0, out)
        self.assertRegex(out, r"pretender +idle +2( +0\.02){3}( +1\.00 x){3} +1\.00 to 1\.00 +2\+2\+2 +equal bits\n")
        lines = (self.folder / "out" / "runs.jsonl").read_text().splitlines()
        self.assertEqual(len(lines), 8)
        with (self.folder / "out" / "runs.jsonl").open("a") as file:
            file.write('{"cut off')
        code, out, errors = self.call(pretender(), "--loads", "idle", "hogs")
        self.assertEqual((code, errors.count("hogs, ")), (0, 7), errors)
        self.assertNotIn("idle, stock", errors)
        left = self.folder / "left.json"
        code, shown, _ = self.call(pretender(), "--tables", "--json", str(left))
        self.assertEqual((code, shown), (0, out))
        speed = results.read(left).tables[0]
        self.assertEqual(speed.rows[0][:6], ["pretender", "idle", 2, 0.02, 0.02, 0.02])

    def test_a_wrong_result_fails(self) -> None:
        code, out, errors = self.call(pretender("digest = 'b' if preloaded else 'a'"), "--loads", "idle")
        self.assertEqual(code, 1)
        self.assertIn("FAILED: pretender, idle, muster, run 0: WRONG RESULT", errors)
        self.assertIn("WRONG RESULT", out)

    def test_a_library_of_other_bytes_is_not_put_into_the_same_table(self) -> None:
        self.call(pretender(), "--loads", "idle")
        other = self.folder / "other.so"
        other.write_bytes((BUILD / "lib" / "libmuster.so").read_bytes() + b"\0")
        code, _, errors = self.call(pretender(), "--loads", "idle", "--library", str(other))
        self.assertEqual(code, 2)
        self.assertIn("has library", errors)
        self.assertIn("--fresh", errors)

    def test_what_is_missing_is_reported_and_no_failure(self) -> None:
        code, out, errors = self.call(pretender(programs=("no-such-program",)), "--loads", "idle")
        self.assertEqual(code, 0)
        self.assertIn("pretender is not available: there is no no-such-program", out)

    def test_single_cells_are_chosen(self) -> None:
        code, out, errors = self.call(pretender(), "--only", "pretender/twice")
        self.assertEqual((code, errors.count("twice, "), errors.count("idle, ")), (0, 7, 0), errors)
        with self.assertRaises(SystemExit):
            self.call(pretender(), "--only", "pretender/never")

    def test_time_may_be_over(self) -> None:
        code, _, errors = self.call(pretender(), "--loads", "idle", "--minutes", "0")
        self.assertEqual(code, 0)
        self.assertIn("0 minutes are over", errors)


class PartsTest(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory(prefix="muster-applications-")
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)

    def test_each_recipe_is_whole(self) -> None:
        self.assertEqual(len({recipe.name for recipe in RECIPES}), len(RECIPES))
        for recipe in RECIPES:
            with self.subTest(recipe.name):
                self.assertTrue(recipe.expected and recipe.tolerances and recipe.debian)
                self.assertRegex(recipe.version(), "^[0-9a-f]{12}$")  # all of its files are there
                place = Place(self.folder, self.folder, 2, self.folder)
                self.assertTrue(all(isinstance(word, str) for word in recipe.command(place)))

    def test_an_input_that_cannot_be_made_is_reported(self) -> None:
        def broken(_inputs: Path) -> None:
            raise OSError("no room")

        with self.assertRaisesRegex(Unavailable, "its inputs could not be made: no room"):
            set_up(pretender(prepare=broken), self.folder)

    def test_reports_of_all_ranks_are_added_up(self) -> None:
        waiting = {"waits": 5, "blocks": 1, "gatherings": 0, "moves": 0}
        for rank in range(2):
            report = {
                "runtimes": [{"path": "/x/libgomp.so.1", "package": "faiss", "reason": None}],
                "inactive_reason": None, "largest_team": 2,
                "barriers": {
                    "replaced": 10, "passed_through": 2, "instances_replaced": 5,
                    "by_reason": [{"reason": "tasks", "count": 2}],
                },
                "fork_join": {
                    "folded": 7, "unfolded": 1, "opened": 1,
                    "by_reason": [{"what": "closed", "reason": "end", "count": 1}],
                },
                "waiting": waiting, "threads": [{"waited_ns": 500_000_000}],
            }  # fmt: skip
            (self.folder / f"{rank}.json").write_text(json.dumps(report))
        (self.folder / "helper.json").write_text(json.dumps({"runtimes": []}))
        found = summary(self.folder)
        assert found is not None
        self.assertEqual((found["processes"], found["instances_replaced"], found["folded"]), (2, 10, 14))
        self.assertEqual((found["waited_s"], found["by_reason"]), (1.0, {"tasks": 4}))
        self.assertEqual(found["folding"], {"closed: end": 2})

    def test_a_file_of_something_else_is_refused(self) -> None:
        file = self.folder / "runs.jsonl"
        file.write_text("[1]\n{}\n")
        with self.assertRaisesRegex(RecordError, "is not a file of runs"):
            Record(file, None, {})
        with self.assertRaisesRegex(RecordError, "there are no runs yet"):
            Record(self.folder / "none.jsonl", None, {})

    def test_results_are_read_from_the_last_line(self) -> None:
        place = Place(self.folder, self.folder, 2, self.folder)
        output = 'words\n{"seconds": 2, "digest": "d", "numbers": {"n": 1}}\n'
        self.assertEqual(job_result(place, output), Result("d", {"n": 1.0}, 2.0))


if __name__ == "__main__":
    unittest.main()
