"""The load grid: its summary of recorded runs, how it continues a file, and one tiny real run.

EPCC_BIN is the folder of the programs, LOADGRID that of the packed modules. Nothing here depends on speed.
"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

BIN = Path(os.environ["EPCC_BIN"])
sys.path.insert(0, os.environ["LOADGRID"])

import curve  # noqa: E402
import loadgrid  # noqa: E402
from cells import BLINKS, COPY, LOAD_KINDS, QUOTA, Cell, loads, product, quick  # noqa: E402
from record import COLUMNS, COMMON, Record, RecordError, Run, read  # noqa: E402
from running import OK, Measured, Runner, start  # noqa: E402
from settings import AUTO, FIXED, NO_TRIALS, PART_OF_AUTO, STOCK  # noqa: E402
from settings import Setting, Unavailable, policies, preloaded  # noqa: E402
from summary import Summary, figure_of, hogs_due, share_of_alone  # noqa: E402
from tables import leave, text  # noqa: E402
from verdict import MISS, NOT_MEASURED, PASS, judge  # noqa: E402

from lab import results  # noqa: E402
from lab.quota import make_quota, quota_v1, quota_v2  # noqa: E402
from lab.statistics import geometric_mean  # noqa: E402

KINDS = {"auto": AUTO, "spin": FIXED, "block": FIXED, "libomp": STOCK, "libgomp": STOCK, NO_TRIALS: PART_OF_AUTO}
RECORDED = Path(__file__).parent / "loadgrid_runs.csv"


def one(cell: Cell, setting: str, rate: float, status: str = OK, hog_cpu: float = 0.0, cpus: int = 2) -> Run:
    return Run(cell, setting, KINDS[setting], 1, cpus, status, (rate,), 1.0, 1.0, hog_cpu)


def team(threads: int, load: str = "0", work: float = 0.0) -> Cell:
    return Cell("barrier", threads, load, work)


class Grid(unittest.TestCase):
    def test_full_grid_is_the_product(self) -> None:
        cells = product(["barrier", "parallel_for"], [2, 4, 8], loads(LOAD_KINDS, [0, 1, 2, 4]), [0, 10])
        self.assertEqual(len(cells), len(set(cells)))
        self.assertEqual(len({str(cell) for cell in cells}), len(cells))
        self.assertEqual(len(cells), 2 * 3 * 11 * 2)

    def test_quick_covers_each_program_size_and_load(self) -> None:
        cells = quick()
        self.assertEqual({cell.program for cell in cells}, {"barrier", "parallel_for"})
        self.assertEqual({cell.threads for cell in cells}, {2, 4, 8})
        self.assertEqual({cell.work_us for cell in cells}, {0, 10, 100})
        self.assertLessEqual({"0", "2", "4", COPY, QUOTA, "blink0.2"}, {cell.load for cell in cells})
        for cell in cells:  # else it has no bound
            if cell.load != QUOTA:
                self.assertIn(cell.alone(), cells)


class Fairness(unittest.TestCase):
    def test_every_thread_weighs_the_same_but_uses_one_cpu_at_most(self) -> None:
        self.assertEqual(hogs_due(team(2, "2"), 2), 1.0)
        self.assertAlmostEqual(hogs_due(team(4, "2"), 2), 2 / 3)
        self.assertAlmostEqual(hogs_due(team(8, "4"), 2), 2 / 3)
        self.assertEqual(hogs_due(team(2, "1"), 8), 1.0)
        self.assertEqual(hogs_due(team(2), 2), 0.0)
        # Of another session: half of the CPUs, and what the team cannot use.
        self.assertEqual(hogs_due(team(4, "session2"), 2), 1.0)
        self.assertEqual(hogs_due(team(4, "session1"), 2), 1.0)
        self.assertEqual(hogs_due(team(2, "session8"), 8), 6.0)

    def test_share_of_the_team(self) -> None:
        self.assertEqual(share_of_alone(team(4), 2), 1.0)
        self.assertEqual(share_of_alone(team(2, "2"), 2), 0.5)
        self.assertAlmostEqual(share_of_alone(team(4, "2"), 2), 2 / 3)
        self.assertEqual(share_of_alone(team(2, "4"), 8), 1.0)
        self.assertEqual(share_of_alone(team(4, QUOTA), 2), 0.5)
        self.assertEqual(share_of_alone(team(4, COPY), 2), 1.0)  # of both copies together
        self.assertEqual(share_of_alone(team(4, COPY), 8), 2.0)
        self.assertEqual(share_of_alone(team(4, "session1"), 2), 0.5)
        self.assertEqual(share_of_alone(team(2, "session2"), 8), 1.0)
        self.assertEqual(share_of_alone(team(2, "blink2"), 2), 0.75)  # half of the time all, then half

    def test_hogs_are_compared_with_their_due(self) -> None:
        cell = team(2, "2")
        runs = [one(cell, "auto", 1, hog_cpu=cpu) for cpu in (0.8, 0.9, 2.0)]
        self.assertAlmostEqual(figure_of(runs).hogs_got or 0, 0.9)


class Medians(unittest.TestCase):
    def test_a_failed_run_got_nothing_done(self) -> None:
        cell = team(2)
        figure = figure_of([one(cell, "auto", rate, status) for rate, status in ((5, OK), (9, OK), (99, "no end"))])
        self.assertEqual((figure.rate, figure.least, figure.most, figure.runs, figure.failed), (5, 0, 9, 3, 1))

    def test_copies_are_summed_and_compared(self) -> None:
        cell = team(2, COPY)
        runs = [
            Run(cell, "auto", AUTO, 1, 2, OK, rates, 1.0, 1.0, 0.0)
            for rates in ((10.0, 30.0), (25.0, 25.0), (8.0, 2.0))
        ]
        figure = figure_of(runs)
        self.assertEqual((figure.rate, figure.evenness), (40.0, 1 / 3))

    def test_geometric_mean(self) -> None:
        self.assertAlmostEqual(geometric_mean([1, 100]) or 0, 10)
        self.assertEqual(geometric_mean([0, 100]), 0)
        self.assertIsNone(geometric_mean([]))

    def test_bound_is_the_fair_share_of_the_best_rate_alone(self) -> None:
        runs = [one(team(4), "auto", 100), one(team(4), "spin", 300), one(team(4, "2"), "auto", 50)]
        summary = Summary(runs)
        self.assertAlmostEqual(summary.bound(team(4, "2")) or 0, 200)
        self.assertAlmostEqual(summary.of_bound(team(4, "2")) or 0, 0.25)
        self.assertIsNone(Summary(runs[2:]).bound(team(4, "2")))


class Verdict(unittest.TestCase):
    TO_STOCK = "auto / best stock setting of the cell"

    def verdicts(self, runs: list[Run], program: str | None = "barrier") -> dict[str, tuple[str, float | None]]:
        return {c.what: (c.verdict, c.figure) for c in judge(Summary(runs), program)}

    def grid(self, auto: float, program: str = "barrier") -> list[Run]:
        runs = []
        for load, due in (("0", 0.0), ("2", 1.0), ("session2", 1.0), ("blink0.2", 0.0)):
            rates = {"auto": auto, NO_TRIALS: 60.0, "spin": 100.0, "block": 90.0, "libomp": 5.0, "libgomp": 30.0}
            cell = Cell(program, 2, load, 0.0)
            runs += [one(cell, name, rate, hog_cpu=due) for name, rate in rates.items()]
        return runs

    def test_all_reached(self) -> None:
        for what, (verdict, _) in self.verdicts(self.grid(99)).items():
            self.assertEqual(verdict, NOT_MEASURED if what.startswith("copies") else PASS, what)

    def test_figures(self) -> None:
        found = self.verdicts(self.grid(60))
        self.assertEqual(found["aim: auto / best fixed policy"], (MISS, 0.6))
        self.assertEqual(found[f"every cell: {self.TO_STOCK}"], (PASS, 2.0))
        self.assertEqual(found[f"hogs on and off: {self.TO_STOCK}"], (PASS, 2.0))
        verdict, figure = found["whole grid: auto / best single stock setting (libgomp)"]
        self.assertEqual(verdict, MISS)
        self.assertAlmostEqual(figure or 0, 2.0)
        self.assertEqual(found["idle, team fits: auto / spin"], (MISS, 0.6))
        self.assertEqual(found["CPU hogs: CPU time / fair share"], (PASS, 1.0))

    def test_a_cell_is_missed_below_nine_tenths_only(self) -> None:
        for rate, verdict in ((28.0, PASS), (27.0, PASS), (26.9, MISS)):
            found = self.verdicts(self.grid(rate))
            for what in ("every cell", "hogs of another session", "hogs on and off"):
                self.assertEqual(found[f"{what}: {self.TO_STOCK}"], (verdict, rate / 30))

    def test_longer_runs_must_gain_more(self) -> None:
        what = "work 0 and 10 us: auto / best stock setting of each cell"
        for seconds, verdict in ((0.3, PASS), (2.0, MISS)):
            runs = [replace(run, wall_s=seconds) for run in self.grid(60)]
            self.assertEqual(self.verdicts(runs)[what][0], verdict)

    def test_a_part_that_is_better_left_out(self) -> None:
        what = f"work 0 and 10 us: auto / {NO_TRIALS}"
        for rate, verdict in ((60, PASS), (59, PASS), (58, MISS)):
            self.assertEqual(self.verdicts(self.grid(rate))[what][0], verdict)

    def test_means_over_both_programs(self) -> None:
        both = self.grid(40) + self.grid(90, "parallel_for")
        verdict, figure = self.verdicts(both, None)["whole grid: auto / best single stock setting (libgomp)"]
        self.assertEqual(verdict, MISS)
        self.assertAlmostEqual(figure or 0, 2.0)
        self.assertIn("What must be reached: both programs", text(Summary(both), {}))
        self.assertNotIn("both programs", text(Summary(self.grid(40)), {}))

    def test_what_the_bound_would_give_stands_beside_the_figure(self) -> None:
        # Alone 100; beside two hogs on two CPUs, half of it. A mean over both cells.
        found = {c.what: c for c in judge(Summary(self.grid(60)), "barrier")}
        self.assertAlmostEqual(found[f"every cell: {self.TO_STOCK}"].bound or 0, 100 / 30)
        self.assertAlmostEqual(
            found["whole grid: auto / best single stock setting (libgomp)"].bound or 0, (100 / 30 * 50 / 30) ** 0.5
        )
        missed = found["aim: auto / best fixed policy"].missed
        self.assertEqual({m.bound for m in missed}, {1.0, 0.75, 0.5})

    def test_the_best_single_setting_need_not_be_best_anywhere(self) -> None:
        rates = {"0": {"libomp": 100.0, "libgomp": 50.0}, "2": {"libomp": 1.0, "libgomp": 50.0}}
        runs = [one(team(2, load), name, rate) for load, group in rates.items() for name, rate in group.items()]
        summary = Summary(runs)
        self.assertEqual(summary.single_best(summary.cells()), "libgomp")

    def test_hogs_below_their_share_are_a_miss(self) -> None:
        runs = [one(team(2, "2"), "auto", 9, hog_cpu=0.96)]
        self.assertEqual(self.verdicts(runs)["CPU hogs: CPU time / fair share"], (MISS, 0.96))

    def test_copies_share_evenly(self) -> None:
        run = one(team(2, COPY), "auto", 1)
        for rates, verdict in (((10.0, 8.0), PASS), ((7.9, 10.0), MISS)):
            found = self.verdicts([replace(run, rates=rates)])
            self.assertEqual(found["copies: slower / faster"], (verdict, min(rates) / 10))

    def test_a_team_that_does_not_fit_need_not_reach_spin(self) -> None:
        runs = [one(team(4), "auto", 1), one(team(4), "spin", 100)]
        self.assertEqual(self.verdicts(runs)["idle, team fits: auto / spin"][0], NOT_MEASURED)


class Recorded(unittest.TestCase):
    """A small CSV as loadgrid wrote it."""

    def test_its_summary(self) -> None:
        shared, runs = read(RECORDED)
        summary = Summary(runs)
        self.assertEqual(shared["seed"], "7")
        busy = team(4, "2")
        rates = sorted(run.rate for run in runs if run.cell == busy and run.setting == AUTO)
        self.assertEqual(len(rates), 3)
        self.assertEqual(summary.rate(busy, AUTO), rates[1])
        stock = max(summary.rate(busy, name) or 0 for name in ("libomp", "libgomp"))
        self.assertAlmostEqual(summary.to_best_stock(busy) or 0, rates[1] / stock)
        shown = text(summary, shared)
        self.assertRegex(shown, r"(?m)^(pass|MISS) +every cell: auto / best stock .* +\d+\.\d\d")
        self.assertRegex(shown, r"(?m)^not measured +hogs on and off: auto")
        with tempfile.TemporaryDirectory() as folder:
            leave(Path(folder) / "left.json", summary, shared)
            verdict, grid = results.read(Path(folder) / "left.json").tables[:2]
        self.assertEqual(verdict.rows[0][2], ">= 0.95 (missed < 0.9)")
        self.assertEqual(len(grid.rows), len(summary.cells("barrier")))


class Continuing(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "runs.csv"
        self.shared = dict.fromkeys(COMMON, "x") | {"cpus": "2", "seed": "1"}

    def test_what_was_run_is_known_again(self) -> None:
        record = Record(self.file, self.shared)
        good = Measured(OK, [10.0, 20.0], 1.0, 2.0, 0.5, 7, {0.02: 1.5, 5.0: 3.0})
        record.add(1, team(2, COPY), "auto", AUTO, good)
        record.add(1, team(2), "libomp", STOCK, Measured("no end after 4 s, \"killed\""))
        again = Record(self.file, self.shared)
        self.assertEqual(again.done, {(1, team(2, COPY), "auto"), (1, team(2), "libomp")})
        self.assertEqual([run.rate for run in again.runs], [30.0, 0.0])
        self.assertEqual([run.progress for run in again.runs], [{0.02: 1.5, 5.0: 3.0}, {}])
        with self.file.open() as lines:
            self.assertEqual(next(csv.reader(lines)), list(COLUMNS))

    def test_a_line_cut_off_is_run_again(self) -> None:
        record = Record(self.file, self.shared)
        for setting in ("auto", "spin"):
            record.add(1, team(2), setting, KINDS[setting], Measured(OK, [10.0], 1.0, 2.0))
        whole = self.file.read_bytes()
        self.file.write_bytes(whole[:-10])
        again = Record(self.file, self.shared)
        self.assertEqual(again.done, {(1, team(2), "auto")})
        again.add(1, team(2), "spin", FIXED, Measured(OK, [10.0], 1.0, 2.0))
        self.assertEqual(len(read(self.file)[1]), 2)

    def test_another_machine_or_library_is_not_mixed_in(self) -> None:
        Record(self.file, self.shared).add(1, team(2), "auto", AUTO, Measured(OK, [1.0], 1.0, 1.0))
        with self.assertRaisesRegex(RecordError, "library x, this would be y"):
            Record(self.file, self.shared | {"library": "y"})

    def test_a_file_of_an_older_version_is_not_continued(self) -> None:
        self.file.write_bytes(RECORDED.read_bytes())
        with self.assertRaisesRegex(RecordError, "columns of another version"):
            Record(self.file, read(RECORDED)[0])

    def test_a_file_of_something_else(self) -> None:
        self.file.write_text("a,b\n1,2\n")
        with self.assertRaisesRegex(RecordError, "is not loadgrid's"):
            Record(self.file, self.shared)


class Order(unittest.TestCase):
    """The plan of a grid, with runs that only take a given time."""

    def run_all(self, folder: str, *words: str, seconds: float) -> list[tuple[int, Cell, str]]:
        options = loadgrid.parse([*words, "--hogs=0,2", "--programs=barrier"], BIN)
        clock, order = [0.0], []

        def take(_self: Runner, cell: Cell, setting: Setting, _phase: float) -> Measured:
            clock[0] += seconds
            order.append((cell, setting.name))
            return Measured(OK, [1.0], 1.0, 1.0)

        shared = dict.fromkeys(COMMON, "x") | {"cpus": "2", "seed": "1"}
        record = Record(Path(folder) / "runs.csv", shared)
        before = len(record.runs)
        settings = [Setting(name, kind) for name, kind in KINDS.items()]
        with (
            mock.patch.object(Runner, "run", take),
            mock.patch.object(loadgrid.time, "monotonic", lambda: clock[0]),
            mock.patch.object(loadgrid, "say"),
        ):
            loadgrid.measure(options, record, loadgrid.chosen_cells(options), settings, None)
        self.assertEqual([(run.cell, run.setting) for run in record.runs[before:]], order)
        return [(run.repetition, run.cell, run.setting) for run in record.runs[before:]]

    def test_quick_ends_in_three_minutes_however_slow_runs_are(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            runs = self.run_all(folder, "--quick", seconds=4.5)
            self.assertTrue(150 < 4.5 * len(runs) < 180, len(runs))
            # Every cell is begun before any is repeated, and the next start takes up where this ended.
            later = self.run_all(folder, "--quick", seconds=4.5)
            self.assertFalse(set(runs) & set(later))

    def test_settings_are_interleaved_in_a_repeatable_order(self) -> None:
        with tempfile.TemporaryDirectory() as one_folder, tempfile.TemporaryDirectory() as other:
            runs = self.run_all(one_folder, "--threads=2", "--work=0", "--repetitions=4", seconds=0.1)
            self.assertEqual(runs, self.run_all(other, "--threads=2", "--work=0", "--repetitions=4", seconds=0.1))
        self.assertEqual(len(runs), 4 * 2 * len(KINDS))
        groups = [runs[i : i + len(KINDS)] for i in range(0, len(runs), len(KINDS))]
        for group in groups:
            self.assertEqual(len({(repetition, cell) for repetition, cell, _ in group}), 1)
            self.assertEqual({name for _, _, name in group}, set(KINDS))
        self.assertGreater(len({tuple(name for _, _, name in group) for group in groups}), 1)


class Quotas(unittest.TestCase):
    """On recorded trees: which files are written is what counts."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def test_without_controllers_it_says_why(self) -> None:
        with self.assertRaisesRegex(OSError, "v2: no cpu controller; v1: no cpu controller mounted"):
            make_quota(self.root)

    def test_v2_without_the_cpu_controller(self) -> None:
        (self.root / "unified").mkdir()
        (self.root / "unified" / "cgroup.controllers").write_text("memory\n")
        with self.assertRaisesRegex(OSError, "v2: no cpu controller"):
            quota_v2(self.root)

    def test_v1_where_nothing_is_mounted(self) -> None:
        with self.assertRaisesRegex(OSError, "v1"):
            quota_v1(self.root)


def run_grid(*options: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, BIN / "loadgrid", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    if done.returncode != status:
        raise AssertionError(done.stderr)
    return done


class Running(unittest.TestCase):
    """Single runs."""

    def test_hogs_that_come_and_go(self) -> None:
        with mock.patch.dict(BLINKS, {"blink0.2": 0.2}):
            cell = team(2, "blink0.2")
            outcome = Runner(BIN, 0.5, 60, None).run(cell, Setting("libgomp", STOCK, "-gomp"), 0.3)
        self.assertEqual(outcome.status, OK)
        self.assertGreaterEqual(outcome.wall_s, 0.8)  # two cycles
        self.assertGreater(outcome.hog_cpu_s, 0)

    def test_hogs_of_another_session(self) -> None:
        outcome = Runner(BIN, 0.5, 60, None).run(team(2, "session1"), Setting("libgomp", STOCK, "-gomp"))
        self.assertEqual(outcome.status, OK)
        self.assertGreater(outcome.hog_cpu_s, 0)
        for own in (False, True):
            program = start([sys.executable, "-c", "import os; print(os.getsid(0))"], {}, lambda: None, own)
            self.assertEqual(int(program.communicate()[0]) != os.getsid(0), own)

    def test_copies(self) -> None:
        cell = Cell("parallel_for", 2, COPY, 0.0)
        setting = Setting("libgomp-passive", STOCK, "-gomp", {"OMP_WAIT_POLICY": "passive"})
        for _ in range(20):  # on a busy machine one may begin too late
            outcome = Runner(BIN, 0.5, 60, None).run(cell, setting)
            if "side by side" not in outcome.status:
                break
        self.assertEqual(outcome.status, OK)
        self.assertEqual(len(outcome.rates), 2)

    def test_a_run_without_end_is_killed_and_recorded(self) -> None:
        outcome = Runner(BIN, 50, 0.3, None).run(team(2), Setting("libgomp", STOCK, "-gomp"))
        self.assertEqual((outcome.status, outcome.rates), ("no end after 0.3 s", []))

    def test_another_runtime_than_meant_is_not_measured(self) -> None:
        outcome = Runner(BIN, 0.02, 60, None).run(team(1), Setting("libiomp5", STOCK, "", {}, "libiomp5"))
        self.assertRegex(outcome.status, "ran on .*libomp")

    def test_a_preload_that_replaces_nothing_is_not_measured(self) -> None:
        library = BIN.parent / "lib" / "libmuster.so"
        off = {"LD_PRELOAD": str(library), "MUSTER": "off"}
        outcome = Runner(BIN, 0.02, 60, None).run(team(2), Setting("auto", AUTO, "", off))
        self.assertEqual(outcome.status, "nothing replaced")

    def test_a_quota_holds_where_it_is_available(self) -> None:
        try:
            quota = make_quota()
        except OSError as error:
            self.skipTest(str(error))
        self.addCleanup(quota.group.exists)
        try:
            outcome = Runner(BIN, 0.5, 60, quota).run(team(2, QUOTA), Setting("libgomp", STOCK, "-gomp"))
            self.assertEqual(outcome.status, OK)
        finally:
            quota.close()
        self.assertFalse(quota.group.exists())


# muster-test: full it measures
class Grids(unittest.TestCase):
    """Real ones, as short as they can be."""

    def test_one_cell_twice(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            options = ["--programs=barrier", "--threads=2", "--hogs=1", "--work=0", "--settings=auto,block,libgomp"]
            options += ["--seconds=0.5", "--limit=60", f"--output={folder}", "--seed=5"]
            done = run_grid(*options, "--repetitions=1")
            with (Path(folder) / "runs.csv").open() as lines:
                rows = list(csv.DictReader(lines))
            self.assertEqual(sorted(row["setting"] for row in rows), ["auto", "block", "libgomp"])
            for row in rows:
                self.assertEqual(row["status"], OK, row)
                self.assertGreater(float(row["rate_per_s"]), 0)
                self.assertGreater(float(row["cpu_s"]), 0)
                self.assertGreaterEqual(float(row["wall_s"]), 0.5)
                self.assertEqual(row["seed"], "5")
                if row["kind"] != STOCK:
                    self.assertGreater(int(row["replaced"]), 0)
            self.assertIn("every cell: auto / best stock setting of the cell", done.stdout)
            self.assertEqual(done.stdout.strip(), (Path(folder) / "summary.txt").read_text().strip())

            again = run_grid(*options, "--repetitions=2")  # only the second one is left
            self.assertIn("3 runs in", again.stderr)
            with (Path(folder) / "runs.csv").open() as lines:
                later = list(csv.DictReader(lines))
            self.assertEqual(later[:3], rows)
            self.assertEqual([row["repetition"] for row in later], ["1"] * 3 + ["2"] * 3)

    def test_curve(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cell = ["--programs=parallel_for", "--threads=2", "--hogs=0", "--work=0", "--repetitions=1"]
            done = run_grid("--curve", *cell, "--seconds=0.5", "--limit=60", f"--output={folder}")
            _, runs = read(Path(folder) / "runs.csv")
        self.assertLessEqual({AUTO, NO_TRIALS, "libomp", "libgomp"}, {run.setting for run in runs})
        self.assertNotIn(FIXED, {run.kind for run in runs})
        for run in runs:
            self.assertEqual(run.status, OK, run)
            self.assertEqual(list(run.progress), [time for time in curve.TIMES_S if time <= 0.5], run)
            done_by_then = list(run.progress.values())
            self.assertEqual(done_by_then, sorted(done_by_then))
            self.assertGreater(done_by_then[-1], 0)
        self.assertIn("Regret: from 50 ms on", done.stdout)

    def test_preloaded_on_libgomp(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cell = ["--programs=barrier", "--threads=2", "--hogs=0", "--work=0", "--repetitions=1"]
            cell += ["--seconds=0.5", "--limit=60"]
            done = run_grid("--libgomp", "--settings=libgomp,auto", *cell, f"--output={folder}")
            with (Path(folder) / "runs.csv").open() as lines:
                rows = {row["setting"]: row for row in csv.DictReader(lines)}
        self.assertEqual({row["status"] for row in rows.values()}, {OK})  # or it ran on another runtime
        self.assertGreater(int(rows["auto"]["replaced"]), 0)
        self.assertNotIn("libomp's default", done.stdout)
        run_grid("--libgomp", "--settings=libomp", *cell, status=1)

    def test_policies_are_those_of_this_build(self) -> None:
        names = policies(BIN / "muster")
        self.assertEqual(names[0], AUTO)
        self.assertLessEqual({"spin", "block", "50us", "yield"}, set(names))
        made = preloaded(Path("nowhere"), "libomp19", BIN.parent / "lib" / "libmuster.so", BIN / "muster")
        self.assertEqual([setting.name for setting in made if setting.kind == AUTO], [AUTO])
        whole = [setting for setting in made if setting.kind != PART_OF_AUTO]
        self.assertEqual([setting.environment["MUSTER_WAIT"] for setting in whole], names)

    def test_libomp_is_the_one_that_was_asked_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.check_libomp(Path(folder))

    def check_libomp(self, runtimes: Path) -> None:
        (runtimes / "libomp21").mkdir(parents=True)
        options = loadgrid.parse(["--full", f"--runtimes={runtimes}", "--libomp=libomp21"], BIN)
        for setting in loadgrid.chosen_settings(options):
            if "-gomp" not in setting.suffix:
                self.assertEqual(setting.environment["LD_LIBRARY_PATH"], str(runtimes / "libomp21"))
        options = loadgrid.parse(["--full", f"--runtimes={runtimes}", "--libomp=libomp22"], BIN)
        with self.assertRaisesRegex(Unavailable, "there is no .*libomp22"):
            loadgrid.chosen_settings(options)

    def test_parts_of_auto_are_measured_only_where_asked_for(self) -> None:
        self.assertIn("auto-slice-off", run_grid("--list").stdout.split())
        chosen = loadgrid.chosen_settings(loadgrid.parse(["--full"], BIN))
        self.assertNotIn(PART_OF_AUTO, [setting.kind for setting in chosen])
        (part,) = loadgrid.chosen_settings(loadgrid.parse(["--settings=auto-place-off"], BIN))
        self.assertEqual(part.environment["MUSTER_PLACE"], "off")

    def test_bad_input_is_one_line(self) -> None:
        for options, mentions in (
            ([], "--quick"),
            (["--threads", "none"], "--threads"),
            (["--threads", "0"], "--threads"),
            (["--work", "-1"], "--work"),
            (["--seconds", "0", "--quick"], "--seconds"),
            (["--repetitions", "0", "--quick"], "--repetitions"),
            (["--programs", "syncbench"], "syncbench"),
            (["--loads", "rain"], "rain"),
            (["--quick", "--full"], "--full"),
            (["--nonsense"], "--nonsense"),
            (["--curve"], "--full"),
            (["--curve", "--full", "--seconds=0.01"], "--seconds"),
        ):
            with self.subTest(options):
                done = run_grid(*options, status=2)
                self.assertEqual(done.stdout, "")
                self.assertRegex(done.stderr, r"\Aloadgrid: [^\n]+\n\Z")
                self.assertIn(mentions, done.stderr)
        done = run_grid("--settings", "libfoo", status=1)
        self.assertRegex(done.stderr, r"\Aloadgrid: there is no setting 'libfoo' here[^\n]+\n\Z")


class Plot(unittest.TestCase):
    def test_heat_map(self) -> None:
        self.check(RECORDED.read_text(), "heatmap.png")

    def test_curves(self) -> None:
        head, *lines = RECORDED.read_text().splitlines()
        lines = [f"{line},0.02:5 1:90" for line in lines]
        self.check("\n".join([f"{head},progress", *lines, ""]), "curves-barrier.png")

    def check(self, runs: str, picture: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "runs.csv").write_text(runs)
            for python in (sys.executable, "/usr/bin/python3"):  # Debian's matplotlib is Debian's Python's
                command = [python, BIN / "loadgrid-plot", folder]
                done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
                if "python3-matplotlib" not in done.stderr:
                    break
            else:
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((Path(folder) / picture).read_bytes()[:4], b"\x89PNG")

    def test_no_results_is_one_line(self) -> None:
        command = [sys.executable, BIN / "loadgrid-plot", BIN]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Aloadgrid-plot: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
