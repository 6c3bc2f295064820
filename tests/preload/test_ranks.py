"""%r in MUSTER_REPORT: the rank, by the variables of MPI's launchers."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import programs

from lab.environment import clean_environment

# In the order in which they are asked.
VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")
for name in VARIABLES:
    os.environ.pop(name, None)


class Ranks(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-ranks-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def written(self, program: pathlib.Path | str, *arguments: str, pattern: str = "r%r.json", **more: str) -> list[str]:
        """The names of the reports, which are removed."""
        result = programs.run(program, *arguments, MUSTER_REPORT=str(self.folder / pattern), **more)
        self.assertEqual(result.stderr, "")
        names = sorted(path.name for path in self.folder.iterdir())
        for name in names:
            (self.folder / name).unlink()
        return names

    def test_each_variable(self) -> None:
        program = programs.build(programs.BARRIERS)
        for number, variable in enumerate(VARIABLES, 3):
            self.assertEqual(self.written(program, **{variable: str(number)}), [f"r{number}.json"])
        self.assertEqual(self.written(program), ["r0.json"])

    def test_the_innermost_launchers_comes_first(self) -> None:
        program = programs.build(programs.BARRIERS)
        for i, variable in enumerate(VARIABLES):
            ranks = {name: str(number) for number, name in enumerate(VARIABLES) if number >= i}
            self.assertEqual(self.written(program, **ranks), [f"r{i}.json"], variable)

    def test_what_is_no_number_is_no_rank(self) -> None:
        program = programs.build(programs.BARRIERS)
        for value in ("", "x", "-1"):
            ranks = {"OMPI_COMM_WORLD_RANK": value, "PMI_RANK": "4"}
            self.assertEqual(self.written(program, **ranks), ["r4.json"], value)

    def started_by_muster(self, *command: str, pattern: str = "r%r.json", **more: str) -> list[str]:
        """As started by `muster run`: the variable is the id of the process, which exec keeps."""
        script = 'MUSTER_RUN_PID=$$ LD_PRELOAD=$0 exec "$@"'
        environment = clean_environment() | {"MUSTER_REPORT": str(self.folder / pattern)} | more
        words = ["sh", "-c", script, programs.LIBRARY, *command]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        names = sorted(path.name for path in self.folder.iterdir())
        for name in names:
            (self.folder / name).unlink()
        return names

    def test_what_starts_ranks_has_no_report(self) -> None:
        # A script: not in the place of rank 0's.
        rank = f"OMPI_COMM_WORLD_RANK=0 {programs.build(programs.BARRIERS)} >/dev/null; true"
        self.assertEqual(self.started_by_muster("bash", "-c", rank), ["r0.json"])
        self.assertEqual(self.started_by_muster("/bin/true"), [])
        # With a name that no rank has, or as a rank itself, it reports that there was no OpenMP.
        self.assertEqual(self.started_by_muster("/bin/true", pattern="r.json"), ["r.json"])
        self.assertEqual(self.started_by_muster("/bin/true", PMI_RANK="2"), ["r2.json"])

    def test_known_starters_have_none_at_all(self) -> None:
        starter = self.folder.parent / f"{self.folder.name}-bin" / "orterun"
        starter.parent.mkdir()
        self.addCleanup(shutil.rmtree, starter.parent)
        shutil.copy("/bin/true", starter)
        self.assertEqual(self.started_by_muster(str(starter), pattern="r.json"), [])


if __name__ == "__main__":
    unittest.main()
