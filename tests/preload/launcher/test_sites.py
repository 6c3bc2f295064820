"""Call sites and efficiencies, of programs whose answer is known; `muster sites` finds their lines.

The programs work by their own CPU time, so another process on the CPUs makes them slower but not less balanced. How
long threads wait for each other is in Figures.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from lab.environment import clean_environment  # noqa: E402
from lab.hogs import hogs  # noqa: E402
from lab.reports import load  # noqa: E402

BUILD = Path(os.environ["MUSTER_BUILD_DIR"])
MUSTER = BUILD / "bin" / "muster"

PROGRAM = r"""
#include <omp.h>
#include <stdlib.h>
#include <time.h>
static void work(long us) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}
static inline __attribute__((always_inline)) void meet(void) {
  #pragma omp barrier
}
int main(int count, char **arguments) {
  long first = atol(arguments[1]), others = atol(arguments[2]), serial = atol(arguments[3]);
  int barriers = atoi(arguments[4]), regions = atoi(arguments[5]);
  for (int region = 0; region < regions; ++region) {
    work(serial);
    #pragma omp parallel
    {
      long mine = omp_get_thread_num() == 0 ? first : others;
      for (int i = 0; i < barriers; ++i) {
        work(mine);
        meet();
      }
      if (barriers == 0) work(mine);
    }
  }
  return 0;
}
"""

# Both compilers make the barrier a jump, which returns to the caller of the region's function.
ENDS = r"""
#include <stdio.h>
int count;
int main(void) {
  for (int i = 0; i < 50; ++i) {
    #pragma omp parallel
    {
      #pragma omp atomic
      ++count;
      #pragma omp barrier
    }
  }
  printf("%d\n", count);
  return 0;
}
"""

NESTED = r"""
#include <omp.h>
int main(void) {
  int count = 0;
  omp_set_max_active_levels(2);
  for (int i = 0; i < 30; ++i) {
    #pragma omp parallel num_threads(2)
    #pragma omp parallel num_threads(3)
    #pragma omp atomic
    ++count;
  }
  return count != 180;
}
"""


def line_of(text: str, program: str = PROGRAM) -> int:
    return next(i for i, line in enumerate(program.splitlines(), 1) if text in line)


def causes_of(site: dict) -> dict[str, int]:
    """What the gain is made of."""
    return {key: value for key, value in site.items() if key.startswith("gain_") and key != "gain_ns"}


class SitesTest(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-sites-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        (cls.folder / "program.c").write_text(PROGRAM)
        (cls.folder / "ends.c").write_text(ENDS)
        (cls.folder / "nested.c").write_text(NESTED)
        for name, command in {
            "program": ["clang-19", "-O2", "-g", "program.c"],
            "gcc": ["gcc", "-O2", "-g", "program.c"],
            "stripped": ["clang-19", "-O2", "-s", "program.c"],
            "bare": ["clang-19", "-O2", "program.c"],
            "ends": ["clang-19", "-O2", "-g", "ends.c"],
            "nested": ["clang-19", "-O2", "nested.c"],
            "ends-gcc": ["gcc", "-O2", "-g", "ends.c"],
        }.items():
            subprocess.run([*command, "-fopenmp", "-o", name], cwd=cls.folder, check=True)

    def report(
        self, first: int, others: int, serial: int = 0, barriers: int = 0, regions: int = 1, program: str = "program",
        **variables: str,
    ) -> dict:
        """Works in microseconds of CPU time, of thread 0, of the others, and before each region."""
        file = self.folder / "report.json"
        file.unlink(missing_ok=True)
        words = [str(word) for word in (first, others, serial, barriers, regions)]
        environment = clean_environment() | {
            "OMP_NUM_THREADS": "2", "MUSTER_FORKJOIN": "on", "MUSTER_WAIT": "block", **variables,
        }
        subprocess.run(
            [MUSTER, "run", "--sites", "--report", file, "--", self.folder / program, *words],
            env=environment, check=True, timeout=60,
        )
        return load(file)

    def site(self, report: dict, kind: str, is_sampled: bool = True) -> dict:
        (found,) = (site for site in report["call_sites"]["sites"] if site["kind"] == kind)
        if not is_sampled:
            return found
        self.assertAlmostEqual(sum(causes_of(found).values()), found["gain_ns"], delta=0.01 * found["gain_ns"] + 10)
        return found

    def assert_product(self, row: dict) -> None:
        product = row["ompLoadBalance"] * row["ompSchedulingEfficiency"] * row.get("ompSerializationEfficiency", 1)
        self.assertAlmostEqual(row["parallelEfficiency"], product, delta=2e-5)
        useful = row["usefulTime"] / (row["numCpus"] * row["elapsedTime"])
        self.assertAlmostEqual(row["parallelEfficiency"], useful, delta=0.01)


class Sites(SitesTest):
    def test_off_by_default(self) -> None:
        file = self.folder / "report.json"
        command = [MUSTER, "run", "--report", file, "--", self.folder / "program", *"00051"]
        subprocess.run(command, env=clean_environment(), check=True)
        report = load(file)
        self.assertEqual(report["call_sites"], {"recorded": False, "left_out": 0, "sites": []})
        self.assertIsNone(report["efficiency"])

    def test_a_barrier_and_a_region(self) -> None:
        site = self.site(self.report(2000, 0, barriers=60), "barrier")
        self.assertEqual((site["symbol"], site["count"], site["threads"]), ("__kmpc_barrier", 60, 2))
        self.assertEqual(site["sampled"], 60, "far apart: each one is sampled")
        report = self.report(0, 2000, regions=60)
        site = self.site(report, "region")
        self.assertEqual((site["symbol"], site["count"]), ("__kmpc_fork_call", 60))
        (region,) = report["efficiency"]["regions"]
        self.assertEqual(region["numOmpParallels"], 60)
        self.assertGreaterEqual(region["elapsedTime"], 60 * 2e6)
        for row in (region, report["efficiency"]):
            self.assert_product(row)

    def test_efficiency_of_serial_parts(self) -> None:
        """Half of the time is serial: of two threads' time, a quarter is lost to it, a third of what is useful."""
        efficiency = self.report(2000, 2000, serial=2000, regions=60, OMP_NUM_THREADS="2")["efficiency"]
        self.assert_product(efficiency)
        (region,) = efficiency["regions"]
        self.assert_product(region)
        serial = efficiency["elapsedTime"] - region["elapsedTime"]
        useful = efficiency["usefulTime"] / 2
        self.assertAlmostEqual(efficiency["ompSerializationEfficiency"], useful / (useful + serial / 2), delta=0.01)

    def test_regions_that_the_runtime_forks(self) -> None:
        """How many, of how many threads, and how long they took. How long threads waited there is not known."""
        for program in ("program", "gcc"):
            report = self.report(1000, 1000, regions=20, program=program, MUSTER_FORKJOIN="off")
            self.assertIsNone(report["efficiency"])
            site = self.site(report, "region", is_sampled=False)
            self.assertEqual((site["count"], site["unfolded"], site["threads"]), (20, 20, 2))
            self.assertIsNone(site["gain_ns"])
            self.assertGreaterEqual(site["elapsed_ns"], 20e6)
            self.assertLess(site["elapsed_ns"], report["elapsed_ns"])
            shown = subprocess.run([MUSTER, "sites", self.folder / "report.json"], capture_output=True, text=True, check=True)
            self.assertRegex(shown.stdout, rf"20 forked by the runtime; \d+\.\d+ s in all\n.*:{line_of('omp parallel')}\n")

    def test_nested_regions(self) -> None:
        report = self.report(0, 0, program="nested")
        sites = [site for site in report["call_sites"]["sites"] if site["kind"] == "region"]
        self.assertEqual(
            sorted((site["count"], site["unfolded"], site["threads"]) for site in sites), [(30, 0, 2), (60, 60, 3)]
        )

    def frames(self, program: str) -> dict[str, list[dict]]:
        self.report(200, 0, barriers=5, program=program)
        return self.frames_of_report()

    def frames_of_report(self) -> dict[str, list[dict]]:
        done = subprocess.run(
            [MUSTER, "sites", "--json", self.folder / "report.json"], capture_output=True, text=True, check=True
        )
        return {site["kind"]: site["frames"] for site in json.loads(done.stdout)}

    def test_function_file_and_line(self) -> None:
        for program in ("program", "gcc"):
            found = self.frames(program)
            frames = found["barrier"]
            self.assertEqual(Path(frames[0]["file"]).name, "program.c")
            self.assertEqual(frames[0]["line"], line_of("pragma omp barrier"))
            self.assertIn("main", frames[-1]["function"])
            if program == "program":  # gcc's outlined functions do not say what was inlined
                self.assertEqual(frames[0]["function"], "meet")
                self.assertIn(line_of("meet();"), [frame["line"] for frame in frames[1:]])
            (fork,) = found["region"]
            self.assertEqual((fork["function"], fork["line"]), ("main", line_of("pragma omp parallel")))

    def test_a_barrier_at_the_end_of_a_region(self) -> None:
        """Its place is the region's function, whoever calls that."""
        for program, function in (("ends", "main.omp_outlined"), ("ends-gcc", "main._omp_fn.0")):
            for fork_join in ("on", "off"):
                report = self.report(0, 0, program=program, MUSTER_FORKJOIN=fork_join)
                site = self.site(report, "barrier", is_sampled=fork_join == "on")
                self.assertEqual((site["count"], site["threads"]), (50, 2))
                frame, *_ = self.frames_of_report()["barrier"]
                self.assertTrue(frame["function"].startswith(function), frame)
                self.assertEqual(Path(frame["file"]).name, "ends.c")
                self.assertIn(frame["line"], range(line_of("omp parallel", ENDS), line_of("omp barrier", ENDS)))

    def test_without_debug_information(self) -> None:
        (frame,) = self.frames("bare")["region"]
        self.assertRegex(frame["function"], r"^main\+0x[0-9a-f]+$")
        self.assertIsNone(frame["file"])
        self.assertEqual(len(self.frames("stripped")), 2)

    def test_for_talp_pages(self) -> None:
        """The keys that talp-pages reads, with the report's figures."""
        report = self.report(1000, 0, regions=20)
        file = self.folder / "talp.json"
        subprocess.run([MUSTER, "sites", self.folder / "report.json", "--talp", file], check=True)
        talp = json.loads(file.read_text())
        self.assertEqual(set(talp), {"dlbVersion", "timestamp", "resources", "Application"})
        self.assertEqual(talp["resources"], {"numCpus": 2, "numNodes": 1, "numMpiRanks": 0})
        (name,) = set(talp["Application"]) - {"Global"}
        self.assertRegex(name, rf"^main at .*program\.c:{line_of('pragma omp parallel')}$")
        ours = {"numCpus", "numOmpParallels", "elapsedTime", "usefulTime", "parallelEfficiency"}
        ours |= {f"omp{each}" for each in ("LoadBalance", "SchedulingEfficiency")}
        mpi = {"mpiParallelEfficiency", "mpiCommunicationEfficiency"}
        mpi |= {"mpiLoadBalance", "mpiLoadBalanceIn", "mpiLoadBalanceOut"}
        nothing = {"cycles", "instructions", "numMpiCalls", "numMpiRanks", "numOmpTasks"}
        rest = {"avgCpus": 2, "numMeasurements": 1, "numNodes": 1}
        for row, known in (("Global", report["efficiency"]), (name, report["efficiency"]["regions"][0])):
            expected = rest | {key: known[key] for key in ours} | dict.fromkeys(mpi, 1) | dict.fromkeys(nothing, 0)
            expected["ompParallelEfficiency"] = known["parallelEfficiency"]
            expected["ompSerializationEfficiency"] = known.get("ompSerializationEfficiency", 1)
            self.assertEqual(talp["Application"][row], expected)

    def test_as_text(self) -> None:
        self.report(2000, 0, barriers=20)
        shown = subprocess.run([MUSTER, "sites", self.folder / "report.json"], capture_output=True, text=True, check=True)
        self.assertRegex(shown.stdout, rf"__kmpc_barrier\n +meet at .*program\.c:{line_of('pragma omp barrier')}\n +inlined in ")
        (self.folder / "none.json").write_text("{}")
        refused = subprocess.run([MUSTER, "sites", self.folder / "none.json"], capture_output=True, text=True)
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1))


# muster-test: full how long threads wait, and for what, is right to a few per cent only where nothing else runs
# muster-test: alone as above
class Figures(SitesTest):
    def least_disturbed(self, kind: str, *work: int, **numbers: int) -> tuple[dict, dict]:
        """Of three runs, the report and the site of the one that lost least to waking up: a thread that is woken late
        arrives late, too, and waits less for the one that works."""
        reports = [self.report(*work, **numbers) for _ in range(3)]
        return min(((report, self.site(report, kind)) for report in reports), key=lambda run: run[1]["gain_waking_ns"])

    def test_imbalance_at_a_barrier(self) -> None:
        """Thread 1 waits 2 ms each time; an even distribution of the work would gain 1 ms."""
        _, site = self.least_disturbed("barrier", 2000, 0, barriers=60)
        self.assertAlmostEqual(site["gain_imbalance_ns"] / 1e6, 60, delta=9)
        self.assertGreaterEqual(site["waited_ns"], 2 * 55e6)

    def test_imbalance_of_a_region(self) -> None:
        _, site = self.least_disturbed("region", 0, 2000, regions=60)
        self.assertAlmostEqual(site["gain_imbalance_ns"] / 1e6, 60, delta=9)

    def test_lost_cpu_time(self) -> None:
        """Both work the same, and share one CPU with each other and a hog: they wait, but not because of their work."""
        cpu = min(os.sched_getaffinity(0))
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {cpu})  # the hog and the program inherit it
        try:
            with hogs(1):
                report = self.report(3000, 3000, barriers=60)
        finally:
            os.sched_setaffinity(0, before)
        site = self.site(report, "barrier")
        self.assertGreater(site["gain_ns"], 30e6)
        self.assertLess(site["gain_imbalance_ns"], 0.2 * site["gain_ns"])
        # A thread that is woken waits for the CPU, too.
        self.assertGreater(site["gain_preempted_ns"] + site["gain_waking_ns"], 0.8 * site["gain_ns"])
        self.assertGreater(site["gain_preempted_ns"], 0)

    def test_efficiency_where_one_thread_does_all(self) -> None:
        for threads in (2, 4):
            least = 1.0
            # A thread that others keep from the CPU on its way to the barrier does not wait, so that it seems to work:
            # the least of three.
            for _ in range(3):
                report = self.report(2000, 0, regions=60, OMP_NUM_THREADS=str(threads))
                (region,) = report["efficiency"]["regions"]
                self.assert_product(region)
                self.assert_product(report["efficiency"])
                # Where the machine is busy, threads begin late.
                waking = self.site(report, "region")["gain_waking_ns"] / region["elapsedTime"]
                self.assertGreater(region["parallelEfficiency"], 1 / threads - 0.04 - waking)
                least = min(least, region["parallelEfficiency"])
                if least < 1 / threads + 0.04:
                    break
            self.assertLess(least, 1 / threads + 0.04)

    def test_efficiency_of_balanced_work(self) -> None:
        """As far as the machine leaves both their CPUs: the rest is not imbalance of work."""
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU")
        report = self.report(5000, 5000, regions=40)
        (region,) = report["efficiency"]["regions"]
        site = self.site(report, "region")
        self.assertLess(site["gain_imbalance_ns"] / region["elapsedTime"], 0.02)
        lost = site["gain_ns"] / region["elapsedTime"]
        self.assertAlmostEqual(region["parallelEfficiency"], 1 - lost, delta=0.01)

    def test_efficiency_agrees_with_the_waits(self) -> None:
        """Barriers far apart, forks close to them: how often is sampled changes all the time."""
        report = self.report(1000, 250, barriers=4, regions=200, MUSTER_WAIT="auto")
        efficiency = report["efficiency"]
        self.assert_product(efficiency)
        (region,) = efficiency["regions"]
        lost = sum(sum(causes_of(site).values()) - site["gain_waking_ns"] for site in report["call_sites"]["sites"])
        balance = region["usefulTime"] / (region["usefulTime"] + 2 * lost)
        self.assertAlmostEqual(region["ompLoadBalance"], balance, delta=0.02)
        # All waits are measured; samples explain what the efficiency takes for useful. Both hold on a busy machine, too.
        sites = report["call_sites"]["sites"]
        measured = 2 * region["elapsedTime"] - sum(site["waited_ns"] for site in sites)
        self.assertAlmostEqual(region["usefulTime"] / measured, 1, delta=0.3)
        self.assertGreater(region["usefulTime"], 0.85 * 200 * 4 * 1250e3, "their CPU time")
        self.assertGreater(self.site(report, "barrier")["gain_ns"], 0.85 * 200 * 4 * 750e3 / 2)


if __name__ == "__main__":
    unittest.main()
