"""MPI with OpenMP in the ranks: see README.md here.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab.environment import clean_environment  # noqa: E402
from lab.reports import load, parsed  # noqa: E402

SKIPPED = 77
BUILD = Path(os.environ["MUSTER_BUILD_DIR"])
MUSTER = BUILD / "bin" / "muster"
LIBRARY = BUILD / "lib" / "libmuster.so"
SOURCE = Path(__file__).resolve().parent / "hybrid.c"
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader"]
COMPILERS = {"gcc": "libgomp", "clang-19": "libomp"}
RANKS = 3
THREADS = 2
STEPS = 40


class MpiTest(unittest.TestCase):
    folder: Path
    programs: dict[str, Path]

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-mpi-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.programs = {}
        for compiler in COMPILERS:
            output = cls.folder / f"hybrid-{compiler}"
            command = ["mpicc", "-O2", "-fopenmp", SOURCE, "-o", output]
            subprocess.run(command, env=os.environ | {"OMPI_CC": compiler}, check=True)
            cls.programs[compiler] = output

    def run_job(self, *command: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        environment = clean_environment() | {"OMP_NUM_THREADS": str(THREADS), "TMPDIR": str(self.folder)} | more
        if os.geteuid() == 0:
            environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    def lines(self, done: subprocess.CompletedProcess[str]) -> list[str]:
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(done.stdout.splitlines())

    def stock(self, compiler: str) -> list[str]:
        job = [*MPIRUN, "-n", str(RANKS), self.programs[compiler], str(STEPS)]
        lines = self.lines(self.run_job(*job))
        self.assertEqual(len(lines), RANKS)
        return lines


class Reports(MpiTest):
    def check_reports(self, reports: Path, compiler: str) -> None:
        """One for each rank and no other; each rank's barriers and regions were Muster's."""
        names = sorted(path.name for path in reports.iterdir())
        self.assertEqual(names, [f"r{rank}.json" for rank in range(RANKS)])
        for rank in range(RANKS):
            report = load(reports / f"r{rank}.json")
            self.assertEqual(report["rank"], rank)
            self.assertEqual(report["program"], str(self.programs[compiler].resolve()))
            self.assertEqual([runtime["kind"] for runtime in report["runtimes"]], [COMPILERS[compiler]])
            self.assertEqual(report["regions"], 1 + STEPS)
            # In the first region: one explicit barrier a step and one at the end of the loop.
            self.assertGreaterEqual(report["barriers"]["replaced"], 2 * STEPS * THREADS)
            self.assertEqual(report["barriers"]["passed_through"], 0, report["barriers"]["by_reason"])

    def check_merge(self, reports: Path, compiler: str) -> None:
        files = sorted(reports.iterdir())
        done = subprocess.run([MUSTER, "merge", "--json", "-", *files], capture_output=True, text=True, check=True)
        merged = parsed(done.stdout)
        self.assertEqual((merged["merged"], merged["ranks"]), (RANKS, list(range(RANKS))))
        self.assertEqual([row["rank"] for row in merged["reports"]], list(range(RANKS)))
        given = [load(file) for file in files]
        self.assertEqual(merged["regions"], RANKS * (1 + STEPS))
        self.assertEqual(merged["barriers"]["replaced"], sum(report["barriers"]["replaced"] for report in given))
        self.assertEqual(merged["waiting"]["waited_ns"], sum(report["waiting"]["waited_ns"] for report in given))
        (program,) = merged["programs"]
        self.assertEqual(program, {"program": str(self.programs[compiler].resolve()), "reports": RANKS})
        text = subprocess.run([MUSTER, "merge", *files], capture_output=True, text=True, check=True).stdout
        self.assertIn(f"{RANKS} reports, {RANKS} ranks (0-{RANKS - 1}) on 1 host", text)
        self.assertRegex(text, r"waits longest +rank \d on ")

    def test_both_ways_to_start(self) -> None:
        ranks = ["-n", str(RANKS)]
        for compiler, program in self.programs.items():
            stock = self.stock(compiler)
            for way in ("inside", "around"):
                with self.subTest(compiler=compiler, way=way):
                    reports = self.folder / f"{compiler}-{way}"
                    reports.mkdir()
                    muster = [MUSTER, "run", "--report", str(reports / "r%r.json"), "--"]
                    job: list[str | Path] = [program, str(STEPS)]
                    command = [*MPIRUN, *ranks, *muster, *job] if way == "inside" else [*muster, *MPIRUN, *ranks, *job]
                    self.assertEqual(self.lines(self.run_job(*command)), stock)
                    self.check_reports(reports, compiler)
                    self.check_merge(reports, compiler)

    def test_reports_on_stderr_are_the_ranks(self) -> None:
        job = [*MPIRUN, "-n", "2", self.programs["gcc"], str(STEPS)]
        done = self.run_job(MUSTER, "run", "--report", "stderr", "--", *job)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("muster 0"), 2, done.stderr)
        self.assertNotIn("no OpenMP call", done.stderr)

    def test_a_failing_rank(self) -> None:
        job = [*MPIRUN, "-n", "2", self.programs["gcc"], "4", "1"]
        stock = self.run_job(*job)
        self.assertEqual(stock.returncode, 3)
        for ours in (self.run_job(MUSTER, "run", "--", *job), self.run_job(*job, LD_PRELOAD=str(LIBRARY))):
            self.assertEqual((ours.returncode, sorted(ours.stdout.splitlines())), (3, sorted(stock.stdout.splitlines())))


# muster-test: full long: more threads than CPUs in each rank
class ManyThreads(MpiTest):
    """More threads than CPUs: the ranks compete."""

    def test_every_policy(self) -> None:
        stock = self.stock("clang-19")
        for settings in ({"MUSTER_WAIT": "block"}, {"MUSTER_WAIT": "2cs+", "MUSTER_FORKJOIN": "off"}):
            with self.subTest(**settings):
                job = [*MPIRUN, "-n", str(RANKS), self.programs["clang-19"], str(STEPS)]
                done = self.run_job(*job, LD_PRELOAD=str(LIBRARY), OMP_NUM_THREADS="4", **settings)
                self.assertEqual(self.lines(done), stock)

    def test_ranks_take_no_turns(self) -> None:
        """A rank would wait for messages of one that sleeps in its turn. Two CPUs, so that they are in the way."""
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(allowed)[:2])
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        ranks = 4
        for compiler, program in self.programs.items():
            with self.subTest(compiler=compiler):
                job = [*MPIRUN, "-n", str(ranks), program, "400"]
                stock = self.lines(self.run_job(*job, OMP_WAIT_POLICY="passive"))
                reports = self.folder / f"{compiler}-turns"
                reports.mkdir()
                done = self.run_job(
                    *job, LD_PRELOAD=str(LIBRARY), MUSTER_TURNS="auto", MUSTER_REPORT=str(reports / "r%r.json")
                )
                self.assertEqual(self.lines(done), stock)
                found = [load(report) for report in reports.iterdir()]
                self.assertEqual(len(found), ranks)
                for report in found:
                    self.assertGreater(report["barriers"]["replaced"], 0)
                    self.assertEqual(report["waiting"]["turn_sleeps"], 0)
                why = [row["error"] for report in found for row in report["missing"] if row["what"] == "shared page"]
                self.assertEqual(set(why), {"EOPNOTSUPP"}, "none of the ranks saw the others in its way")


def main() -> int:
    for command in ("mpirun", "mpicc"):
        if shutil.which(command) is None:
            print(f"skipped: no {command}; install openmpi-bin and libopenmpi-dev")
            return SKIPPED
    program = unittest.main(exit=False, verbosity=2)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
