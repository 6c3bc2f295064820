"""Tsafrir and Feitelson's claims and figures: what is made of the simulator's numbers."""

from __future__ import annotations

import csv
import os
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import scripts
from scripts import BUILD

from lab.campaign import Campaign, CampaignError  # scripts.py names the folder
from claims import tsafrir, tsafrir_states
from claims.tsafrir_runs import Lab, average_deviation, single_loads
from claims.tsafrir_states import States, states_of, transition_time
from drawing import series
import tsafrir_joint
import tsafrir_sensitivity

PYTHON = scripts.python_with("matplotlib", "pandas")


class Numbers(unittest.TestCase):
    def test_threads_tolerated(self) -> None:
        nan = float("nan")
        for line, extra in (
            ({16: 90.0, 32: 80.0, 48: 60.0, 64: 50.0, 80: 70.0}, 16),
            ({16: 90.0, 32: 40.0, 48: 60.0, 64: 30.0}, 16),  # below the processors nothing is extra
            ({32: 90.0, 40: 50.0}, 0),
            ({32: nan, 48: 70.0, 64: 51.0, 80: 20.0}, 32),
        ):
            self.assertEqual(tsafrir.tolerated(line), extra)
        for line in ({}, {32: nan}, {32: nan, 80: 60.0}):
            self.assertNotEqual(tsafrir.tolerated(line), tsafrir.tolerated(line), "NaN")

    def test_average_deviation(self) -> None:
        self.assertAlmostEqual(average_deviation([1.0, 3.0, float("nan"), 5.0]), 4 / 3)

    def test_settings_together(self) -> None:
        ids = ("T1", "T2", "T3", "T4")
        alone, pairs, most = tsafrir_joint.contradictions([{"T1", "T3"}, {"T4"}, {"T3", "T4"}], ids)
        self.assertEqual(alone, "Met by no setting: T2.")
        self.assertEqual(pairs, "Each met, but never together: T1 with T4.")
        self.assertEqual(most, "At most 2 of 4 are met by one setting.")
        chosen = tsafrir_joint.parser().parse_args(["--penalty", "15", "--wake-up", "ap", "--wake-up", "gv"])
        self.assertEqual(len(list(tsafrir_joint.settings(chosen))), 2 * 2 * 2)

    def test_loads(self) -> None:
        self.assertEqual(single_loads("fine", "cs"), list(range(11, 212)))
        fewer = Lab(Campaign(BUILD), every=4).single_loads("fine", "cs")
        self.assertTrue(set(single_loads("fine", "block")[::4]) | set(range(16, 212, 16)) == set(fewer))
        other = single_loads("fine", "block")
        self.assertLessEqual(set(other), set(single_loads("fine", "cs")))
        self.assertTrue(any(n % 16 == 0 for n in other) and any(n % 16 for n in other))

    def test_states(self) -> None:
        text = "time,job,ready,computing,spinning,blocked\n0,0,1,2,3,4\n0,1,9,9,9,9\n10,0,4,3,2,1\n"
        found = states_of(text)
        self.assertEqual(found.times, [0, 10])
        self.assertEqual(found.columns["blocked"], [4, 1])

    def test_a_transition_point(self) -> None:
        def of(blocked: list[int]) -> States:
            times = [100 * i for i in range(len(blocked))]
            return States(
                times, {name: blocked if name == "blocked" else [1] * len(blocked) for name in tsafrir_states.STATES}
            )

        self.assertEqual(transition_time(of([1, 0, 2, 3, 0, 0, 0, 0]), quiet=300), 400)
        self.assertIsNone(transition_time(of([1, 0, 0, 0, 1, 0, 0, 0]), quiet=300))


# muster-test: full it simulates for long
class Runs(unittest.TestCase):
    """With bin/smp."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-tsafrir-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.campaign = Campaign(BUILD, 2, self.folder / "kept")

    def test_every_kind_of_run_is_understood(self) -> None:
        lab = Lab(self.campaign, {"limit": "300"}, 0.1)
        runs = [lab.homogeneous("rr", "fine", 10)[1][1], lab.homogeneous("linux", "medium", 30)[2][1]]
        runs += [lab.single("fine", "2cs+", 21), lab.pair("cs", 18, "fine", "gv"), lab.mix(40, "block", seeds=2)]
        runs.append(lab.mix(150, "2cs+", 1, 128))
        for rows in lab.rows(runs):
            self.assertTrue({"ssr", "completion", "group", "seed"} <= set(rows[0]))
        self.assertEqual(lab.rows(runs[5:])[0][0]["processors"], "128")

    def test_every_changed_assumption_is_understood(self) -> None:
        runs = []
        for name, variant in tsafrir_sensitivity.VARIANTS.items():
            for claim in {"T1", "T4", "T8"} & set(variant.claims):
                lab = tsafrir_sensitivity.lab_for(self.campaign, claim, name, 4)
                assert lab is not None
                lab = replace(lab, sets=lab.sets | {"limit": "300"})
                make = {"T1": lambda lab: lab.homogeneous("rr", "fine", 10)[1][1], "T8": lambda lab: lab.mix(40, "2cs+")}
                runs.append(make.get(claim, lambda lab: lab.single("fine", "2cs+", 21))(lab))
        self.assertGreater(len({str(run) for run in runs}), len(runs) // 2)
        self.campaign.run(runs)

    @unittest.skipIf(PYTHON is None, "python3-pandas and python3-matplotlib are not installed")
    def test_a_figure_its_data_and_bad_data(self) -> None:
        import figures

        words = ["--only", "tsafrir-2", "--build", BUILD, "--campaigns", self.folder / "kept"]
        done = scripts.run_here(figures.main, *words, "--output", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "tsafrir-2.png").read_bytes()[:4], b"\x89PNG")
        text = (self.folder / "tsafrir-2.svg").read_text()
        for said in ("Source: simulated", "Commit ", "Command: smp sim/smp/runs/rr-homogeneous.toml"):
            self.assertIn(said, text)
        with (self.folder / "tsafrir-2.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        by_time: dict[str, float] = {}
        for row in rows:
            by_time[row["x"]] = by_time.get(row["x"], 0) + float(row["y"])
        self.assertEqual(set(by_time.values()), {10.0}, "every thread is in one state")
        again = self.folder / "again"
        done = scripts.run_here(figures.main, "--data", self.folder, "--only", "tsafrir-2", "--output", again)
        self.assertEqual(done.returncode, 0, done.stderr)
        for ending in ("csv", "svg"):
            name = f"tsafrir-2.{ending}"
            self.assertEqual((again / name).read_text(), (self.folder / name).read_text())

    def test_bad_data_is_one_line(self) -> None:
        figure = next(figure for figure in series.catalogue() if figure.name == "tsafrir-3")
        head = ",".join(series.KEYS)
        good = "simulated,fine,cs,11,98.5,,,32 processors,abc,smp x"
        self.assertEqual(series.parse(figure, f"{head}\n{good}\n", "f").points[0].y, 98.5)
        for text, where in (
            (f"{head}\n{good.replace('98.5', 'much')}\n", "f:2: y: 'much' is no number"),
            (f"{head}\n{good.replace('98.5', 'nan')}\n", "f:2: y: 'nan' is no number"),
            (f"{head}\n{good.replace('cs', 'spin')}\n", "f:2: series: 'spin' is none of tsafrir-3's"),
            (f"{head}\nsimulated,fine\n", "f:2: series: missing"),
            (f"{head.replace('low', 'lower')}\n", "f:1: no column low"),
            (f"{head}\n", "f: no numbers"),
        ):
            with self.assertRaises(CampaignError) as raised:
                series.parse(figure, text, "f")
            self.assertIn(where, str(raised.exception))


if __name__ == "__main__":
    if PYTHON not in (None, sys.executable):
        os.execv(PYTHON, [PYTHON, "-B", *sys.argv])
    unittest.main()
