"""Arpaci-Dusseau and Culler's workloads: as bin/cluster takes them, in their claims, figures and sensitivity."""

from __future__ import annotations

import csv
import io
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from scripts import BUILD

import cluster_sensitivity  # scripts.py names the folder
from lab.campaign import Campaign
from claims import arpaci
from claims.claim import Context, is_accepted, read_claims
from cluster_runs import BULK, CONTINUOUS, FILES, Clusters, Waiting, Workload, shown
from drawing import arpaci_figures, series

SHORT_S = 0.02
QUICK = Workload(BULK, 200, 100, SHORT_S)


class ClusterRuns(unittest.TestCase):
    folder: Path

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-cluster-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.campaign = Campaign(BUILD, 2, self.folder)

    def test_slowdown_is_the_programs(self) -> None:
        clusters = Clusters(self.campaign, seeds=2)
        waiting = Waiting(20, 220)
        words = ["--set", f"jobs.dedicated_s={SHORT_S}", "--set", "waiting.read_spin_us=20", "--seeds", "2", "--csv"]
        words += ["--set", "waiting.barrier_spin_us=220"]
        text = subprocess.check_output([BUILD / "bin" / "cluster", FILES / f"{BULK}.toml", *words], text=True)
        theirs = list(csv.DictReader(io.StringIO(text)))
        for ours, row in zip(clusters.slowdowns(QUICK, waiting), theirs, strict=True):
            self.assertAlmostEqual(ours, float(row["slowdown"]), places=3)
        percent = sum(float(row["reads_spinning_percent"]) for row in theirs) / 2
        self.assertAlmostEqual(clusters.column(QUICK, waiting, "reads_spinning_percent"), percent, places=3)

    def test_a_figures_command_prints_its_point(self) -> None:
        clusters = Clusters(self.campaign)
        workload, waiting = Workload(CONTINUOUS, 50, 500, SHORT_S), Waiting(70, 70, 150)
        words = shown(clusters.run_of(workload, waiting)).split()
        self.assertEqual(words[:2], ["cluster", f"sim/cluster/runs/{CONTINUOUS}.toml"])
        text = subprocess.check_output([BUILD / "bin" / "cluster", FILES / f"{CONTINUOUS}.toml", *words[2:]], text=True)
        row = next(csv.DictReader(io.StringIO(text)))
        self.assertEqual(row["completion_s"], clusters.rows(workload, waiting)[0]["completion_s"])

    def test_figures(self) -> None:
        with (
            mock.patch.object(arpaci_figures, "DEDICATED_S", SHORT_S),
            mock.patch.object(arpaci_figures, "READ_SPINS_US", (20, 220)),
            mock.patch.object(arpaci_figures, "CONDITIONALS_US", (150, 600)),
        ):
            for figure in arpaci_figures.FIGURES:
                table = series.make(figure, self.campaign, "none")
                lines = {(point.panel, point.series) for point in table.points}
                self.assertEqual(lines, {(p.name, one.name) for p in figure.panels for one in p.series})
                self.assertEqual(len(table.points), 2 * len(lines))
                self.assertTrue(all(point.y >= 0.99 for point in table.points), figure.name)

    def test_claims(self) -> None:
        """That they are computed; of jobs this short they say nothing."""
        claims = [claim for claim in read_claims() if claim.paper == "arpaci"]
        self.assertEqual({claim.id for claim in claims}, set(arpaci.REPRODUCED))
        context = Context(BUILD, 2, None, self.folder)

        def short(style: str, switch_us: float, every_us: float) -> Workload:
            return Workload(style, switch_us, every_us, SHORT_S)

        with (
            mock.patch.object(arpaci, "BULK_WORST", QUICK),
            mock.patch.object(arpaci, "WORST", short(CONTINUOUS, 200, 100)),
            mock.patch.object(arpaci, "PROGRAMS_US", (500.0,)),
            mock.patch.object(arpaci, "Workload", short),
        ):
            for claim in claims:
                found = arpaci.REPRODUCED[claim.id](context)
                self.assertTrue(found.text)
                self.assertTrue(found.numbers)
                is_accepted(claim, found)

    def test_sensitivity(self) -> None:
        """Each other way is one that the program knows, and says something else."""
        seen = set()
        for name, settings in cluster_sensitivity.OTHER_WAYS.items():
            cells = cluster_sensitivity.cells_of(settings, SHORT_S)
            keys = tuple(Clusters(self.campaign).run_of(*cell) for cell in cells)
            self.assertNotIn(keys, seen, name)
            seen.add(keys)
            (row,) = Clusters(self.campaign).rows(*cells[1])
            self.assertGreater(float(row["completion_s"]), 0)


if __name__ == "__main__":
    unittest.main()
