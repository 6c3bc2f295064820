"""The floating-point environment: each thread finds the flags, modes and traps that it left."""

from __future__ import annotations

import pathlib
import platform
import tempfile
import unittest

import programs
from lab.hogs import hogs

SOURCE = (pathlib.Path(__file__).resolve().parent / "fp_environment.c").read_text()
SETTINGS = {
    "auto": {},
    "turns": {"MUSTER_TURNS": "auto"},
    "not placed": {"MUSTER_PLACE": "off"},
    "sites": {"MUSTER_SITES": "on", "MUSTER_LIVE": "on"},
    "2cs+": {"MUSTER_WAIT": "2cs+"},
    "random": {"MUSTER_WAIT": "random"},
    "conditional": {"MUSTER_WAIT": "conditional"},
    "block": {"MUSTER_WAIT": "block"},
    "tree": {"MUSTER_BARRIER": "tree", "MUSTER_WAIT": "yield"},
    "not folded": {"MUSTER_FORKJOIN": "off"},
}


@unittest.skipUnless(platform.machine() == "x86_64", "reads MXCSR and the x87 words")
class Environment(unittest.TestCase):
    def check(self, threads: int, settings: dict[str, dict[str, str]], milliseconds: int) -> None:
        for compiler in ("clang", "libgomp"):
            program = programs.build(SOURCE, compiler, "fp_environment")
            for name, variables in settings.items():
                for mode in ("flags", "traps"):
                    with self.subTest(compiler=compiler, setting=name, mode=mode, threads=threads):
                        words = mode, str(milliseconds)
                        result, report = programs.report(program, *words, OMP_NUM_THREADS=str(threads), **variables)
                        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "0 changes\n", ""))
                        self.assertGreater(report["barriers"]["replaced"], 0)

    def test_each_setting(self) -> None:
        self.check(4, SETTINGS, 40)

    def test_a_team_that_fits(self) -> None:
        self.check(2, {"auto": {}}, 100)

    # muster-test: full what a busy machine makes of waits
    # muster-test: alone it starts CPU hogs
    def test_beside_hogs(self) -> None:
        with hogs(2):
            self.check(4, {name: SETTINGS[name] for name in ("auto", "turns", "not folded")}, 1000)

    def test_reports_of_each_format(self) -> None:
        """A report is written by the thread that ends the process, whatever it traps."""
        for compiler in ("clang", "libgomp"):
            program = programs.build(SOURCE, compiler, "fp_environment")
            for ending in ("txt", "csv", "json"):
                with self.subTest(compiler=compiler, ending=ending), tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder) / f"report.{ending}"
                    timeline = pathlib.Path(folder) / "timeline.json"
                    variables = {"MUSTER_REPORT": str(path), "MUSTER_TIMELINE": str(timeline), "MUSTER_SITES": "on"}
                    result = programs.run(program, "traps", "50", **variables)
                    self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "0 changes\n", ""))
                    self.assertIn("ssr", path.read_text().lower())
                    self.assertTrue(timeline.is_file())


if __name__ == "__main__":
    unittest.main()
