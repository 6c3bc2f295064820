"""gang_simulated.py, and what Peter's claims make of it: from recorded numbers, and from short runs of bin/smp."""

from __future__ import annotations

import tempfile
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import scripts  # names the folder

import gang_simulated
import reproduce
from lab.campaign import Campaign, CampaignError, Run
from lab import results
from claims import peter
from claims.claim import Context, Found, Unavailable, is_accepted, read_claims
from gang_simulated import INTERVALS_US, VARIANCES_US, Latency, Simulation, latency_of, median_gain, rates_of

CLAIMS = {claim.id: claim for claim in read_claims()}


def row(seed: int, group: str, barriers: int, elapsed: int) -> dict[str, str]:
    return {"seed": str(seed), "group": group, "threads": "16", "barriers": str(barriers), "elapsed": str(elapsed)}


def stream_row(updates: int, mean: float, p10: float, p90: float) -> dict[str, str]:
    """In seconds; the columns are ns."""
    texts = {"mean": mean, "p10": p10, "median": (p10 + p90) / 2, "p90": p90}
    return {"updates_over": str(updates)} | {f"latency_{name}": f"{1e9 * value:.6g}" for name, value in texts.items()}


class Arithmetic(unittest.TestCase):
    def test_rates_are_of_a_thread_and_a_second(self) -> None:
        groups = (("all", 9), ("App1", 160), ("App2", 32))
        rows = [row(seed, group, seed * n, 500_000_000) for seed in (1, 2) for group, n in groups]
        self.assertEqual(rates_of(rows), [(20.0, 4.0), (40.0, 8.0)])

    def test_gains_compare_seeds_in_pairs(self) -> None:
        plain = [(1.0, 10.0), (100.0, 10.0), (10.0, 10.0)]
        turns = [(2.0, 10.0), (300.0, 5.0), (40.0, 50.0)]
        self.assertEqual(median_gain(turns, plain), (3.0, 1.0))
        with self.assertRaisesRegex(CampaignError, "passed no barrier"):
            median_gain(turns, [*plain[:2], (0.0, 10.0)])

    def test_latencies_over_seeds(self) -> None:
        empty = {name: "" for name in stream_row(1, 1, 1, 1)} | {"updates_over": "0"}
        found = latency_of([stream_row(1, 4, 1, 5), stream_row(3, 8, 2, 9), empty, stream_row(4, 2, 3, 4)])
        self.assertEqual((found.updates, found.mean, found.p10, found.p90), (8, (4 + 3 * 8 + 4 * 2) / 8, 2, 5))
        self.assertEqual(found.spread, 3)
        with self.assertRaisesRegex(CampaignError, "no seed has any update"):
            latency_of([empty])

    def test_settings(self) -> None:
        self.assertEqual(gang_simulated.interval_settings(40), {"job.0.mean": "40000"})
        # From 5 to 305 us: 155 on average, and six deviations wide.
        self.assertEqual(gang_simulated.variance_settings(300), {"job.0.mean": "155000", "job.0.deviation": "50000"})

    def test_larger_bursts_are_rarer(self) -> None:
        simulation = mock.Mock(spec=Simulation)
        simulation.streams.side_effect = lambda wanted: [Latency(1, 1, 1, 1, 1)] * len(wanted)
        self.assertEqual(len(list(gang_simulated.size_table(simulation))), 1 + 6)
        (wanted,) = simulation.streams.call_args.args
        sizes = [(settings["job.0.burst"], bursts) for _, settings, bursts in wanted[:3]]
        self.assertEqual(sizes, [("1", 0.2), ("2", 0.1), ("4", 0.05)])

    def test_tables(self) -> None:
        lines = list(gang_simulated.gain_lines("us", {"App1": {5: 6.44, 15000: 0.5}}))
        self.assertEqual(gang_simulated.markdown(lines), "| us | 5 | 15,000 |\n|---|---|---|\n| App1 | 6.4 | 0.5 |")
        one = Latency(9, 1.26, 1.0, 1.1, 2.0)
        lines = list(gang_simulated.latency_lines("s", {"in turns": [one]}, (0.2,)))
        self.assertEqual(lines[1:], [("in turns", "1.3 (1.0 to 2.0)")])


class Verdicts(unittest.TestCase):
    def judge(self, name: str, **methods: object) -> bool:
        simulation = mock.Mock(spec=Simulation, **{f"{key}.return_value": value for key, value in methods.items()})
        return is_accepted(CLAIMS[name], peter.SIMULATED[name](simulation))

    def test_p1_must_hold_against_both(self) -> None:
        def by(fine: float, coarse: float) -> dict[int, tuple[float, float]]:
            return {us: (fine if us < 1000 else coarse, 9.0) for us in INTERVALS_US}

        for first, second, accepted in (
            (by(6, 1.4), by(6, 0.5), True),
            (by(6, 1.6), by(6, 0.5), False),
            (by(6, 0.5), by(6, 1.6), False),
            (by(0.9, 0.5), by(6, 0.5), False),
        ):
            simulation = mock.Mock(spec=Simulation)
            simulation.interval.side_effect = [first, second]
            self.assertEqual(is_accepted(CLAIMS["P1"], peter.SIMULATED["P1"](simulation)), accepted)

    def test_p2(self) -> None:
        for fine, coarse, accepted in ((6, 1.04, True), (6, 1.06, False), (0.9, 0.8, False)):
            gains = {us: (fine if us < 1000 else coarse, 9.0) for us in VARIANCES_US}
            self.assertEqual(self.judge("P2", variance=gains), accepted, (fine, coarse))

    def test_p3(self) -> None:
        for more, accepted in ((0.004, True), (-0.1, False), (5.1, False)):
            self.assertEqual(self.judge("P3", batch=more), accepted)

    def test_p4(self) -> None:
        for high, long_spin, accepted in ((110, 480, True), (194, 480, False), (110, 300, False)):
            rates = {"Identical": 100, "High": high, "High 4ms": long_spin, "Gang": 500}
            by_seed = {arm: [(1, rate), (1, rate + 1), (1, rate - 1)] for arm, rate in rates.items()}
            self.assertEqual(self.judge("P4", priorities=by_seed), accepted)

    def test_p5_is_judged_by_what_the_paper_tells(self) -> None:
        calm, wild = Latency(9, 1, 0.9, 1, 1.1), Latency(9, 5, 1, 4, 9)

        def found(*told: Latency) -> list[Latency]:
            """Round robin, EEVDF, turns, at few bursts and at many; the other reading holds."""
            return [calm if i % 2 == 0 else told[i // 2] for i in range(6)]

        # Today's scheduler decides, and what it does at few bursts does not.
        for told, accepted in (((calm, wild, calm), True), ((wild, calm, calm), False), ((calm, calm, wild), False)):
            simulation = mock.Mock(spec=Simulation)
            simulation.streams.side_effect = [found(*told), found(wild, wild, calm)]
            self.assertEqual(is_accepted(CLAIMS["P5"], peter.SIMULATED["P5"](simulation)), accepted)


class Both(unittest.TestCase):
    """Measured and simulated are two rows, and neither is hidden."""

    SIMULATED = Found("gain 6 x", holds=True)

    def rows(self, measure: Callable[[Context], Found]) -> list[reproduce.Result]:
        function = peter.both(measure, lambda _: self.SIMULATED)
        return reproduce.results_of(CLAIMS["P1"], function, Context(scripts.BUILD))

    def test_each_has_a_verdict(self) -> None:
        first, second = self.rows(lambda _: Found("gain -5 %", holds=False, measured=True))
        self.assertEqual((first.verdict, first.text), ("reproduced", "gain 6 x (simulated, 16 processors)"))
        self.assertEqual((second.verdict, second.text), ("MISSED", "gain -5 % (measured here)"))

    def test_what_cannot_be_measured(self) -> None:
        def unavailable(_context: Context) -> Found:
            raise Unavailable("one processor")

        first, second = self.rows(unavailable)
        self.assertEqual((first.verdict, second.verdict, second.text), ("reproduced", "unavailable", "one processor"))

    def test_reproduce_prints_both(self) -> None:
        one = (replace(self.SIMULATED, beside="more"), Found("no gain", holds=False, measured=True))
        with (
            mock.patch.dict(peter.REPRODUCED, {"P1": lambda _: one}),
            mock.patch.object(peter, "PROGRAMS", ("smp",)),
            tempfile.TemporaryDirectory() as name,
        ):
            words = ("--build", scripts.BUILD, "P1", "--output", name)
            lines = scripts.run_here(reproduce.main, *words).stdout.splitlines()
            table = scripts.run_here(reproduce.main, *words, "--csv").stdout
        self.assertRegex(lines[0], "^P1 +reproduced ")
        self.assertEqual(lines[2], "     beside: more")
        self.assertRegex(lines[3], "^P1 +MISSED ")
        self.assertRegex(lines[4], "ours no gain .measured here.$")
        self.assertIn("gain 6 x; beside: more", table)


class Runs(unittest.TestCase):
    """With bin/smp, for moments."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="gang-simulated-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        usual = Simulation.run

        def short(of: Simulation, name: str, settings: dict[str, str], *more: Any, **weight: Any) -> Run:
            if name.startswith("gang-streams"):
                settings = settings | {"job.0.barriers": "20", "job.0.until": "9000000000"}
            else:
                settings = settings | {"limit": "9000000"}
            if name == "gang-barrier":
                settings = settings | {"scheduler.slice": "1000000"}
            elif name == "gang-barrier-plain":
                settings = settings | {"scheduler.quantum": "1000000"}
            return usual(of, name, settings, *more, **weight)

        self.enterContext(mock.patch.object(Simulation, "run", short))
        for name, xs in (("INTERVALS_US", (5, 40)), ("VARIANCES_US", (0, 40)), ("BURSTS_PER_S", (0.5, 1, 2))):
            self.enterContext(mock.patch.object(gang_simulated, name, xs))

    def test_every_table(self) -> None:
        words = ("--build", scripts.BUILD, "--campaigns", self.folder / "kept", "--seeds", "1")
        left = self.folder / "left.json"
        done = scripts.run_here(gang_simulated.main, *words, "--csv", self.folder / "all.csv", "--json", left)
        self.assertEqual(done.returncode, 0, done.stderr)
        tables = done.stdout.strip().split("\n\n")
        self.assertEqual(len(tables), len(gang_simulated.TABLES))
        for table in tables:
            widths = {line.count("|") for line in table.splitlines()}
            self.assertEqual(len(widths), 1, table)
        cells = sum((len(t.splitlines()) - 2) * (t.splitlines()[0].count("|") - 2) for t in tables)
        lines = (self.folder / "all.csv").read_text().splitlines()
        self.assertEqual(len(lines), 1 + cells)
        self.assertEqual(len(results.read(left).tables), len(tables))
        # Once made, nothing is run again.
        made = len(list((self.folder / "kept").iterdir()))
        self.assertEqual(scripts.run_here(gang_simulated.main, *words).stdout, done.stdout)
        self.assertEqual(len(list((self.folder / "kept").iterdir())), made)

    def test_the_other_one_comes_after_a_batch(self) -> None:
        simulation = Simulation(Campaign(scripts.BUILD, 2, self.folder), 1)
        self.assertAlmostEqual(simulation.batch(), 0, delta=2)

    def test_bad_options(self) -> None:
        for words, code, said in (
            (("--only", "batches"), 2, "invalid choice: 'batches'"),
            (("--seeds", "0"), 2, "'0' is no number from 1"),
            (("--build", self.folder), 1, "smp is missing"),
        ):
            done = scripts.run_here(gang_simulated.main, "--campaigns", self.folder, *words)
            self.assertEqual(done.returncode, code)
            self.assertIn(said, done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
