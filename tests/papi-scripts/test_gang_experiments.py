"""gang_experiments.py, and Peter's and Mosberger's claims: from recorded numbers, and from short runs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar
from unittest import mock

import scripts  # noqa: F401: names the folder

import gang_experiments
from lab.campaign import CampaignError
from claims import mosberger, peter
from claims.claim import Context, is_accepted, read_claims
from gang_experiments import App, Cell, Runner, barrier, cells_of, gains, stream

BUILD = Path(os.environ["MUSTER_TEST_BUILD"])
CLAIMS = {claim.id: claim for claim in read_claims()}


WORDS = Runner.words


def without_muster(setting: str) -> Callable[[Runner, App, Path], list[str]]:
    """The library present but set to leave the barriers alone; or not preloaded at all."""

    def words(self: Runner, app: App, output: Path) -> list[str]:
        found = WORDS(self, app, output)
        return ["env", setting, *found] if setting else [word for word in found if "LD_PRELOAD=" not in word]

    return words


def pair(first: float, second: float) -> list[dict]:
    return [{"iterations_per_s": first}, {"iterations_per_s": second}]


def by_gain(xs: tuple[int, ...], gain_of: Callable[[int], float]) -> gang_experiments.Measured:
    found = {}
    for x in xs:
        found[x, "plain"] = [pair(100, 7), pair(10, 7), pair(1000, 7)]  # the machine drifts, both arms with it
        found[x, "gang"] = [pair(one[0]["iterations_per_s"] * gain_of(x), 7) for one in found[x, "plain"]]
    return found


class Recorded(unittest.TestCase):
    def verdict(self, name: str, measured: gang_experiments.Measured) -> bool:
        with mock.patch.object(peter, "measured", lambda *_: measured):
            found = peter.MEASURED[name](Context(BUILD))
        self.assertTrue(found.measured)
        return is_accepted(CLAIMS[name], found)

    def test_gains_compare_rounds(self) -> None:
        measured = by_gain((0, 40), lambda x: 2 if x == 0 else 1.5)
        found = gains(measured, (0, 40))
        self.assertEqual((found[0].middle, found[0].least, found[40].most), (2, 2, 1.5))

    def test_p1_and_p2(self) -> None:
        for fine, coarse, accepted in ((3.0, 1.1, True), (3.0, 1.3, False), (0.9, 0.9, False)):
            measured = by_gain(gang_experiments.INTERVALS_US, lambda x, f=fine, c=coarse: f if x < 1000 else c)
            self.assertEqual(self.verdict("P1", measured), accepted, (fine, coarse))
        for fine, coarse, accepted in ((3.0, 1.04, True), (3.0, 1.06, False), (0.8, 0.9, False), (0.95, 0.8, False)):
            measured = by_gain(gang_experiments.VARIANCES_US, lambda x, f=fine, c=coarse: f if x < 1000 else c)
            self.assertEqual(self.verdict("P2", measured), accepted, (fine, coarse))

    def test_p3(self) -> None:
        for gang, accepted in ((99, True), (90, False), (101, False)):
            measured = {(0, "batch"): [pair(200, 200)] * 3, (0, "gang"): [pair(gang, gang)] * 3}
            self.assertEqual(self.verdict("P3", measured), accepted, gang)

    def test_p4(self) -> None:
        for high, long_spin, accepted in ((110, 480, True), (150, 480, False), (110, 300, False), (90, 620, True)):
            rates = {"Identical": 100, "High": high, "High 4ms": long_spin, "Gang": 500, "GangHi": 700}
            measured = {(x, arm): [pair(1, rate)] for x, (arm, rate) in enumerate(rates.items())}
            self.assertEqual(self.verdict("P4", measured), accepted, (high, long_spin))

    def test_p5(self) -> None:
        # Four streams, updates of 0.1 s: 2 bursts a second are within what the machine can do, 3 are not.
        calm, wild = [0.1, 0.1, 0.11], [0.1, 0.5, 0.9]
        for plain, gang, accepted in ((wild, calm, True), (calm, wild, False), (calm, calm, False)):
            measured = {
                (x, arm): [[{"latencies_s": {2: latencies, 3: wild}.get(x, calm)}]]
                for x in gang_experiments.BURSTS_PER_S
                for arm, latencies in (("plain", plain), ("gang", gang))
            }
            self.assertEqual(self.verdict("P5", measured), accepted)


class Reports(unittest.TestCase):
    """What Muster says of a run, as recorded."""

    GOOD: ClassVar = {
        "inactive_reason": None,
        "settings": {"MUSTER_WAIT": "50us"},
        "barriers": {"instances_replaced": 3, "by_reason": []},
    }

    def said(self, text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "0.json"
            path.write_text(text)
            try:
                gang_experiments.check_replaced(barrier(2), path)
            except gang_experiments.ExperimentError as error:
                return str(error)
        return ""

    def test_each_kind(self) -> None:
        none = {"instances_replaced": 0, "by_reason": [{"reason": "tasks", "count": 9}]}
        for change, said in (
            ({}, ""),
            ({"barriers": none}, "no barrier was replaced .*tasks"),
            ({"barriers": none, "inactive_reason": "MUSTER=off"}, "no barrier was replaced .MUSTER=off"),
            ({"settings": {"MUSTER_WAIT": "auto"}}, "waited by auto, not 50us"),
            ({"barriers": {}}, "cannot be read: KeyError.'instances_replaced'"),
            ({"barriers": None}, "cannot be read: TypeError"),
        ):
            self.assertRegex(self.said(json.dumps(self.GOOD | change)), said or "^$")
        self.assertRegex(self.said("{"), "barrier --threads 2 .*cannot be read")


# muster-test: full it measures
class Short(unittest.TestCase):
    """The real programs, for moments."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="gang-experiments-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.runner = Runner(BUILD, self.folder)
        self.enterContext(mock.patch.object(gang_experiments, "MARGIN", 0.01))
        self.enterContext(mock.patch.object(gang_experiments, "STREAM_SECONDS", 0.5))

    def test_each_kind_of_cell_runs_and_once(self) -> None:
        one = barrier(2, 100, 50, seconds=0.1)
        cells = [
            Cell("interval", 100, "plain", (one, replace(one, nice=5)), repetitions=2),
            Cell("interval", 100, "gang", (one, one), ("--slice", "20"), repetitions=1),
            Cell("batch", 0, "batch", (one, one), in_turn=True, repetitions=1),
        ]
        shown: list[float] = []
        found = self.runner.samples(cells, lambda share, _: shown.append(share))
        self.assertEqual([len(samples) for samples in found.values()], [2, 1, 1])
        for samples in found.values():
            for sample in samples:
                self.assertEqual([one["interval_us"] for one in sample], [100, 100])
                self.assertTrue(all(one["iterations"] > 0 for one in sample))
        self.assertEqual(shown, sorted(shown))
        self.assertEqual(self.runner.made, 4)
        again = Runner(BUILD, self.folder)
        self.assertEqual(again.samples(cells), found)
        self.assertEqual(again.made, 0)

    def test_streams_have_the_same_clusters_however_they_run(self) -> None:
        apps = tuple(stream(2, number, 9) for number in (0, 1))
        cells = [
            Cell("streams", 4, "plain", apps, repetitions=1),
            Cell("streams", 4, "gang", apps, ("--slice", "20"), repetitions=1),
        ]
        plain, gang = ([one["fingerprint"] for one in samples[0]] for samples in self.runner.samples(cells).values())
        self.assertEqual(plain, gang)
        self.assertNotEqual(plain[0], plain[1])

    def test_a_stream_without_updates_has_no_barriers(self) -> None:
        cell = Cell("streams", 0.001, "plain", (stream(2, 0, 0.001),), repetitions=1)
        ((sample,),) = self.runner.samples([cell]).values()
        self.assertEqual((sample[0]["updates"], sample[0]["barriers"]), (0, 0))

    def test_a_program_that_fails_is_reported(self) -> None:
        bad = barrier(0, seconds=0.1)
        with self.assertRaisesRegex(gang_experiments.ExperimentError, "exit status 2: barrier: --threads"):
            self.runner.samples([Cell("interval", 0, "plain", (bad,), repetitions=1)])

    def test_barriers_that_muster_does_not_replace_are_an_error(self) -> None:
        team = barrier(2, 100, 50, seconds=0.1)
        cell = Cell("interval", 100, "plain", (team, team), repetitions=1)
        gang = replace(cell, arm="gang", gang=("--slice", "20"))
        for setting, one, said in (
            ("MUSTER_BARRIER=native", gang, "no barrier was replaced .*native"),
            ("MUSTER=off", cell, "there is none; .* or is off"),
            ("", gang, "there is none; .* not preloaded"),
        ):
            with (
                mock.patch.object(Runner, "words", without_muster(setting)),
                self.assertRaisesRegex(gang_experiments.ExperimentError, f"barrier --threads 2 .*{said}"),
            ):
                self.runner.samples([one])
        self.assertEqual(list(self.folder.iterdir()), [])  # nothing kept
        self.assertEqual(len(self.runner.samples([cell])[cell]), 1)

    def test_a_team_of_one_has_no_barriers(self) -> None:
        alone = Cell("overhead", 0, "plain", (barrier(1, seconds=0.1),), repetitions=1)
        self.assertEqual(len(self.runner.samples([alone])[alone]), 1)

    def test_all_cells_take_less_than_ten_minutes(self) -> None:
        cells = [cell for name in gang_experiments.NAMES for cell in cells_of(name, 2)]
        self.assertLess(sum(cell.seconds * cell.repetitions for cell in cells), 600)
        self.assertEqual(len(set(cells)), len(cells))

    def test_a_missing_program(self) -> None:
        with self.assertRaisesRegex(gang_experiments.ExperimentError, "gang is missing; run ./bootstrap build"):
            Runner(self.folder)
        with self.assertRaises(CampaignError):
            peter.REPRODUCED["P1"](Context(self.folder))

    def test_a_yield_that_reaches_the_kernel_is_seen(self) -> None:
        """Under Muster the program's own yields are the system call."""
        context = Context(BUILD)
        self.assertEqual(mosberger.REPRODUCED["M2"](context).value, 0)
        with mock.patch.object(mosberger, "library", lambda *_: BUILD / "lib" / "libmuster.so"):
            self.assertEqual(mosberger.REPRODUCED["M2"](context).value, 1)


if __name__ == "__main__":
    unittest.main()
