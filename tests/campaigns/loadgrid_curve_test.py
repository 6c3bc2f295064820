"""The load grid's curves of progress, and the regret computed from them. LOADGRID is the folder of the packed modules."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

# First: it finds the modules.
from loadgrid_test import one, team  # isort: skip

import curve
from cells import Cell
from record import Run
from running import done_by
from settings import AUTO, NO_TRIALS
from verdict import MISS, NOT_MEASURED, PASS

from lab import results


class Curve(unittest.TestCase):
    """Auto does `auto` iterations a second, stock settings 100 and 50, auto without trials 200."""

    TIMES = (0.02, 0.05, 0.5)

    def runs(self, auto: dict[float, float], cell: Cell = team(4, "2")) -> list[Run]:
        rates = {"libomp": 100.0, "libgomp": 50.0, NO_TRIALS: 200.0}
        done = {name: {time: rate * time for time in self.TIMES} for name, rate in rates.items()} | {"auto": auto}
        return [replace(one(cell, name, 1.0), progress=progress) for name, progress in done.items()]

    def test_progress_is_relative_to_the_best_stock_setting_at_each_time(self) -> None:
        runs = self.runs({0.02: 1.0, 0.05: 5.0, 0.5: 100.0})
        quick_start = {time: 3.0 for time in self.TIMES}
        curves = curve.Curves([
            replace(run, progress=quick_start) if run.setting == "libgomp" else run for run in runs
        ])  # fmt: skip
        cell = team(4, "2")
        for time, best in zip(self.TIMES, (3.0, 5.0, 50.0), strict=True):
            self.assertEqual(curves.best_stock(cell, time), best)
        self.assertAlmostEqual(curves.to_best_stock(cell, AUTO, 0.02) or 0, 1 / 3)
        self.assertEqual(curves.settings(cell)[:2], [AUTO, NO_TRIALS])
        self.assertRegex(curve.text(curves, {}), r"(?m)^ *4 +2 +0 +auto +0\.33 +1\.00 +2\.00$")

    def test_regret_is_what_trials_have_cost_from_50_ms_on(self) -> None:
        found = curve.Curves(self.runs({0.02: 0.0, 0.05: 10.0, 0.5: 79.0})).worst_regrets()
        self.assertEqual([(regret.time, regret.lost, regret.verdict) for regret in found], [(0.5, 21.0, MISS)])
        self.assertAlmostEqual(found[0].part, 0.2)  # of 21 iterations one may be begun
        found = curve.Curves(self.runs({0.02: 0.0, 0.05: 8.0, 0.5: 100.0})).worst_regrets()
        self.assertEqual((found[0].time, found[0].verdict), (0.05, PASS))

    def test_the_whole_is_missed_where_a_cell_is(self) -> None:
        good = self.runs({0.02: 4.0, 0.05: 10.0, 0.5: 100.0})
        bad = self.runs({0.02: 4.0, 0.05: 10.0, 0.5: 50.0}, team(2))
        rows = curve.regret_rows(curve.Curves(good + bad))
        self.assertEqual([row[:2] for row in rows], [
            (MISS, "all: 1 of 2 cells missed"), (MISS, str(team(2))), (PASS, str(team(4, "2"))),
        ])  # fmt: skip
        (row,) = curve.regret_rows(curve.Curves([run for run in good if run.setting != NO_TRIALS]))
        self.assertEqual(row[0], NOT_MEASURED)

    def test_a_failed_run_got_nothing_done(self) -> None:
        runs = self.runs({0.02: 4.0, 0.05: 10.0, 0.5: 100.0})
        failed = [replace(run, status="no end", progress={}) for run in runs if run.setting == AUTO]
        curves = curve.Curves(failed + [run for run in runs if run.setting != AUTO])
        self.assertEqual(curves.to_best_stock(team(4, "2"), AUTO, 0.5), 0)

    def test_counts_that_are_taken_late(self) -> None:
        result = {"progress_seconds": [0.02, 0.1], "progress_iterations": [10, 50]}
        for time, done in ((0.01, 5), (0.02, 10), (0.06, 30), (0.1, 50)):
            self.assertAlmostEqual(done_by(time, result), done)

    def test_the_tables_are_left(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "left.json"
            curve.leave(file, curve.Curves(self.runs({0.02: 0.0, 0.05: 10.0, 0.5: 79.0})), {})
            regret, progress = results.read(file).tables
        self.assertEqual(regret.rows[1][:3], [MISS, str(team(4, "2")), 0.2])
        self.assertEqual([column.name for column in progress.columns][4:], ["20 ms", "50 ms", "500 ms"])


if __name__ == "__main__":
    unittest.main()
