"""A running process looked at from outside: `muster top`, `muster report`, Prometheus's text format; the timeline.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))

from lab.environment import clean_environment  # noqa: E402

BUILD = pathlib.Path(os.environ["MUSTER_BUILD_DIR"])
MUSTER = BUILD / "bin" / "muster"

# Regions of two barriers; without a number, until stdin ends, and the primary thread is late at the first by far more
# than a busy machine keeps a thread from its CPU.
PROGRAM = r"""
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **arguments) {
  int regions = count > 1 ? atoi(arguments[1]) : 0;
  struct pollfd input = {0, POLLIN, 0};
  for (int i = 0; regions == 0 || i < regions; ++i) {
    #pragma omp parallel
    {
      if (regions == 0 && omp_get_thread_num() == 0) usleep(20000);
      #pragma omp barrier
      #pragma omp barrier
    }
    if (i == (regions == 0 ? 5 : 0)) {
      puts("ready");
      fflush(stdout);
    }
    if (regions == 0 && poll(&input, 1, 0) != 0) break;
  }
  return 5;
}
"""
COMPILERS = {"libomp": ["clang-19", "-fopenmp"], "libgomp": ["gcc", "-fopenmp"]}


def muster(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(MUSTER), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )


def live_path(process: int) -> pathlib.Path:
    return pathlib.Path(f"/dev/shm/muster-{os.geteuid()}-{process}.json")


def eventually(condition) -> bool:
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-live-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        source = cls.folder / "program.c"
        source.write_text(PROGRAM)
        for name, command in COMPILERS.items():
            subprocess.run([*command, "-O1", source, "-o", cls.folder / name], check=True)


class Live(Programs):
    @contextlib.contextmanager
    def process(self, name: str = "libomp", *options: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            [MUSTER, "run", *options, "--", self.folder / name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=clean_environment() | {"OMP_NUM_THREADS": "2"},
        )
        try:
            assert process.stdout is not None
            self.assertEqual(process.stdout.readline(), "ready\n")
            yield process
        finally:
            process.kill()
            process.communicate()
            live_path(process.pid).unlink(missing_ok=True)

    def end(self, process: subprocess.Popen[str]) -> int:
        process.communicate(timeout=60)
        return process.returncode

    def test_a_running_process(self) -> None:
        for name in COMPILERS:
            with self.process(name, "--live") as process:
                path = live_path(process.pid)
                self.assertTrue(eventually(path.exists))
                self.assertEqual(path.stat().st_mode & 0o777, 0o600)
                shown = muster("report", process.pid)
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                self.assertIn(f"(pid {process.pid}, rank 0", shown.stdout)
                self.assertIn("arrivals replaced", shown.stdout)
                first = json.loads(muster("report", "--json", process.pid).stdout)
                self.assertTrue(first["active"])
                self.assertEqual(first["pid"], process.pid)
                self.assertEqual(first["runtimes"][0]["kind"], name)

                def grown(first: dict = first, process: subprocess.Popen[str] = process) -> bool:
                    return json.loads(muster("report", "--json", process.pid).stdout)["regions"] > first["regions"] + 10

                self.assertTrue(eventually(grown))
                self.assertEqual(self.end(process), 5)
                self.assertFalse(path.exists())
                gone = muster("report", process.pid)
                self.assertEqual((gone.returncode, gone.stdout), (1, ""))

    def test_top(self) -> None:
        with self.process("libomp", "--live") as process:
            self.assertTrue(eventually(live_path(process.pid).exists))
            shown = muster("top", process.pid, "--count", 2, "--interval", 1.5)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertNotIn("\x1b", shown.stdout)
            last = shown.stdout.strip().split("\n\n")[-1].splitlines()
            self.assertGreater(int(re.search(r"(\d+) regions/s", last[0])[1]), 0)  # type: ignore[index]
            # The primary thread is late, so the other one waits.
            rows = [line.split() for line in last[2:]]
            self.assertEqual([row[0] for row in rows], ["0", "1"])
            self.assertGreater(float(rows[1][3]), float(rows[0][3]))

    def test_after_sigkill_the_last_state_is_left(self) -> None:
        with self.process("libomp", "--live") as process:
            path = live_path(process.pid)
            self.assertTrue(eventually(path.exists))
            process.send_signal(signal.SIGKILL)
            self.assertEqual(self.end(process), -signal.SIGKILL)
            shown = muster("report", process.pid)
            self.assertEqual(shown.returncode, 0)
            self.assertIn("has ended; its last state, of", shown.stderr)
            self.assertIn("arrivals replaced", shown.stdout)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "a mount namespace needs root")
    def test_without_dev_shm(self) -> None:
        """Said in one line (libomp would add one of its own); the report, the output and the status are as always."""
        report = self.folder / "without.json"
        begin = 'mount -t tmpfs -o ro none /dev/shm && exec "$@"'
        isolated = ["unshare", "--mount", "--propagation", "private", "sh", "-c", begin, "sh"]
        process = subprocess.Popen(
            [*isolated, MUSTER, "run", "--live", "--report", report, "--", self.folder / "libgomp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=clean_environment() | {"OMP_NUM_THREADS": "2"},
        )
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            ready = process.stdout.readline()
            self.assertTrue(select.select([process.stderr], [], [], 60)[0], "nothing is said")
            said = process.stderr.readline()
            stdout, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
        stdout, stderr = ready + stdout, said + stderr
        if "mount:" in stderr or "unshare:" in stderr:
            self.skipTest(stderr)
        self.assertEqual((process.returncode, stdout), (5, "ready\n"), stderr)
        self.assertRegex(stderr, r"\Amuster: MUSTER_LIVE: cannot write '/dev/shm/.*': .*\n\Z")
        self.assertGreater(json.loads(report.read_text())["barriers"]["replaced"], 0)

    def test_not_asked_for(self) -> None:
        with self.process() as process:
            time.sleep(0.3)
            self.assertFalse(live_path(process.pid).exists())
            for command in ("top", "report"):
                refused = muster(command, process.pid)
                self.assertEqual((refused.returncode, refused.stdout), (1, ""))
                self.assertIn("it needs MUSTER_LIVE=on", refused.stderr)

    def test_files_of_others_and_other_contents_are_refused(self) -> None:
        number = 4194304 + os.getpid()  # above the largest process id
        path = live_path(number)
        self.addCleanup(path.unlink, missing_ok=True)
        for text in ("", "[]", "{}", '{"muster": 3}', '{"muster": "0"}', "[" * 100000):
            path.write_text(text)
            refused = muster("report", number)
            self.assertEqual((refused.returncode, refused.stdout), (1, ""), text[:9])
            self.assertEqual(refused.stderr.count("\n"), 1)
        path.unlink()
        path.symlink_to("/etc/passwd")
        self.assertEqual(muster("report", number).returncode, 1)
        path.unlink()
        path.write_text("{}")
        if os.geteuid() == 0:
            os.chown(path, 12345, 12345)
            self.assertIn("not a file of that process's user", muster("report", number).stderr)


class Prometheus(Programs):
    def test_a_report(self) -> None:
        report = self.folder / "r.json"
        muster("run", "--report", report, "--", self.folder / "libomp", 100)
        target = self.folder / "muster.prom"
        shown = muster("report", report, "--prometheus", target)
        self.assertEqual((shown.returncode, shown.stdout, shown.stderr), (0, "", ""))
        self.assertEqual([path.name for path in self.folder.glob("muster.prom*")], ["muster.prom"])
        self.assertEqual(target.stat().st_mode & 0o777, 0o644)
        lines = target.read_text().splitlines()
        data = json.loads(report.read_text())
        types: dict[str, str] = {}
        values: dict[str, list[str]] = {}
        sample = re.compile(r'(\w+)\{((?:\w+="(?:[^"\\\n]|\\.)*",?)+)\} (-?[0-9.e+-]+)')
        helped = set()
        for line in lines:
            if line.startswith("# HELP "):
                helped.add(line.split()[2])
            elif line.startswith("# TYPE "):
                _, _, name, kind = line.split()
                self.assertNotIn(name, types)
                types[name] = kind
            else:
                match = sample.fullmatch(line)
                self.assertIsNotNone(match, line)
                assert match is not None
                self.assertIn(match[1], types)
                values.setdefault(match[1], []).append(match[3])
        self.assertEqual(helped, set(types))
        self.assertEqual(set(values), set(types))
        for name, kind in types.items():
            self.assertEqual(kind == "counter", name.endswith("_total"), name)
        self.assertEqual(values["muster_process_regions_total"], ["100"])
        self.assertEqual(values["muster_barrier_replaced_total"], [str(data["barriers"]["replaced"])])
        waited = float(values["muster_waiting_waited_seconds_total"][0])
        self.assertAlmostEqual(waited, data["waiting"]["waited_ns"] / 1e9, places=6)
        self.assertEqual(len(values["muster_thread_barriers_total"]), data["largest_team"])

    def test_what_cannot_be_written(self) -> None:
        report = self.folder / "r2.json"
        muster("run", "--report", report, "--", self.folder / "libomp", 10)
        refused = muster("report", report, "--prometheus", self.folder / "no" / "m.prom")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("No such file or directory", refused.stderr)
        self.assertEqual(muster("report", "--every", "5", report).returncode, 2)


class Timeline(Programs):
    def events(self, name: str, regions: int, **variables: str) -> tuple[dict, list[dict]]:
        path = self.folder / "timeline.json"
        path.unlink(missing_ok=True)
        result = subprocess.run(
            [MUSTER, "run", "--timeline", path, "--", self.folder / name, str(regions)],
            env=clean_environment() | {"OMP_NUM_THREADS": "2"} | variables,
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        self.assertEqual((result.returncode, result.stdout, result.stderr), (5, "ready\n", ""))
        trace = json.loads(path.read_text())
        return trace, trace["traceEvents"]

    def test_regions_and_waits(self) -> None:
        for name in COMPILERS:
            for forkjoin in ("on", "off"):
                trace, events = self.events(name, 200, MUSTER_FORKJOIN=forkjoin)
                self.assertEqual(trace["otherData"]["dropped_events"], "0")
                threads = {e["tid"] for e in events if e["name"] == "thread_name"}
                self.assertEqual(len(threads), 2)
                regions = [e for e in events if e["name"] == "region"]
                # The first region may run before anybody records.
                self.assertGreaterEqual(len(regions), 2 * 199, (name, forkjoin))
                self.assertLessEqual(len(regions), 2 * 200)
                waits = [e for e in events if e["name"].startswith("wait")]
                for event in regions + waits:
                    self.assertEqual(event["ph"], "X")
                    self.assertGreaterEqual(event["ts"], 0)
                    self.assertGreaterEqual(event["dur"], 0)
                    self.assertIn(event["tid"], threads)
                for thread in threads:  # one after the other
                    own = sorted((e for e in regions if e["tid"] == thread), key=lambda e: e["ts"])
                    for before, after in zip(own, own[1:], strict=False):
                        self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 0.001)

    def test_sleeps_are_within_waits(self) -> None:
        """As many as the report counts. On one CPU no thread can wait but asleep."""
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        report = self.folder / "sleeps.json"
        _, events = self.events("libomp", 100, MUSTER_WAIT="block", MUSTER_REPORT=str(report))
        waits = [e for e in events if e["name"].startswith("wait")]
        sleeps = [e for e in events if e["name"] == "sleep"]
        waiting = json.loads(report.read_text())["waiting"]
        self.assertGreater(len(sleeps), 50)
        self.assertEqual(len(sleeps), waiting["blocks"])
        for sleep in sleeps:
            around = [
                w for w in waits
                if w["tid"] == sleep["tid"] and w["ts"] <= sleep["ts"] + 0.001
                and sleep["ts"] + sleep["dur"] <= w["ts"] + w["dur"] + 0.001
            ]  # fmt: skip
            self.assertTrue(around)

    def test_sleeps_in_turns(self) -> None:
        """Of two programs that want the same CPUs: as many as their reports count."""
        with contextlib.ExitStack() as stack:
            for name in ("one", "two"):
                files = ["--report", self.folder / f"{name}.json", "--timeline", self.folder / f"{name}-timeline.json"]
                words = [BUILD / "bin" / "barrier", "--seconds", "0.5", "--interval", "100"]
                command = [MUSTER, "run", *files, "--", *words]
                environment = clean_environment() | {"OMP_NUM_THREADS": "2", "MUSTER_TURNS": "auto"}
                stack.enter_context(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL))
        for name in ("one", "two"):
            trace = json.loads((self.folder / f"{name}-timeline.json").read_text())
            self.assertEqual(trace["otherData"]["dropped_events"], "0")
            turns = [e for e in trace["traceEvents"] if e["name"] == "sleep in another process's turn"]
            waiting = json.loads((self.folder / f"{name}.json").read_text())["waiting"]
            self.assertEqual(len(turns), waiting["turn_sleeps"])
            self.assertAlmostEqual(sum(e["dur"] for e in turns), waiting["turn_slept_ns"] / 1e3, delta=1)

    def test_what_was_dropped_is_said(self) -> None:
        trace, events = self.events("libomp", 20000, MUSTER_WAIT="yield")
        dropped = int(trace["otherData"]["dropped_events"])
        self.assertGreater(dropped, 1000)
        said = [int(e["name"].split()[0]) for e in events if e["name"].endswith("earlier events dropped")]
        self.assertEqual(sum(said), dropped)

    def test_a_signal_loses_nothing(self) -> None:
        path = self.folder / "killed.json"
        process = subprocess.Popen(
            [MUSTER, "run", "--timeline", path, "--", self.folder / "libomp"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean_environment() | {"OMP_NUM_THREADS": "2"},
        )  # fmt: skip
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "ready\n")  # after a few regions
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertGreater(len(json.loads(path.read_text())["traceEvents"]), 10)


if __name__ == "__main__":
    unittest.main()
