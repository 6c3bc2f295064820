"""The `smp` program: its output, its traces, and what it says of bad input."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["MUSTER_SMP"]
RUNS = Path(os.environ["MUSTER_SMP_RUNS"])
RUN = str(Path(__file__).parent / "runs" / "single.toml")
EEVDF = str(RUNS / "eevdf-single.toml")
STREAMS = str(RUNS / "gang-streams.toml")
SHORT = ("--set", "job.0.barriers=50")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, timeout=300)


def rows(*words: str) -> list[dict[str, str]]:
    done = run(*words)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


class SmpTest(unittest.TestCase):
    def refuses(self, file: str, setting: str, what: str) -> None:
        done = run(file, "--set", setting)
        self.assertEqual(done.returncode, 2, setting)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(what, done.stderr)

    def test_every_file_of_the_runs_is_one(self) -> None:
        for file in sorted(RUNS.glob("*.toml")):
            done = run(str(file), "--set", "limit=20", "--csv")
            self.assertEqual(done.returncode, 0, f"{file}: {done.stderr}")

    def test_a_line_for_each_seed(self) -> None:
        got = rows(RUN, *SHORT, "--seeds", "3", "--csv", "--speedup")
        self.assertEqual([row["seed"] for row in got], ["1", "2", "3"])
        self.assertEqual({row["group"] for row in got}, {"fine"})
        self.assertEqual({row["barriers"] for row in got}, {str(11 * 50)})
        for row in got:
            self.assertGreater(float(row["speedup_over_block"]), 0)
            shares = [float(row[name]) for name in ("computing", "spinning", "switching", "idle")]
            self.assertAlmostEqual(sum(shares), 1, places=5)

    def test_the_same_again_on_any_number_of_workers(self) -> None:
        words = (RUN, *SHORT, "--csv", "--seeds", "5", "--speedup")
        once = run(*words).stdout
        self.assertEqual(once, run(*words).stdout)
        self.assertEqual(once, run(*words, "--jobs", "4").stdout)
        self.assertNotEqual(once, run(*words, "--set", "seed=2").stdout)

    def test_the_table_has_what_the_csv_has(self) -> None:
        ssr = float(rows(RUN, *SHORT, "--csv")[0]["ssr"])
        self.assertIn(f"{ssr:.1f}", run(RUN, *SHORT).stdout)

    def test_each_job_from_a_time_on(self) -> None:
        words = (str(RUNS / "turns.toml"), "--each-job", "--set", "limit=4000000", "--set", "job.3.size=2")
        whole = rows(*words, "--set", "count_from=0")
        self.assertEqual([(row["label"], row["threads"], row["time"]) for row in whole][:2], [("16", "16", "4000000")] * 2)
        late = rows(*words, "--set", "count_from=3000000")
        for all_of_it, end in zip(whole, late, strict=True):
            self.assertEqual(end["time"], "1000000")
            self.assertLess(0, int(end["ran"]))
            self.assertLess(int(end["ran"]), int(all_of_it["ran"]))
        self.assertLess(0, int(late[0]["barriers"]))
        self.assertLess(int(late[0]["barriers"]), int(whole[0]["barriers"]) / 2)

    def test_the_trace_fills_every_processors_time(self) -> None:
        bars = rows(RUN, *SHORT, "--trace")
        end = max(int(bar["end"]) for bar in bars)
        at: dict[str, int] = {}
        for bar in sorted(bars, key=lambda bar: (int(bar["processor"]), int(bar["begin"]))):
            self.assertEqual(at.get(bar["processor"], 0), int(bar["begin"]))
            at[bar["processor"]] = int(bar["end"])
            if bar["activity"] in ("computing", "spinning"):
                self.assertNotEqual(bar["thread"], "")
        self.assertEqual(set(at.values()), {end})
        self.assertEqual(len(at), 32)

    def test_the_trace_has_who_was_idle_all_the_time_and_every_switch(self) -> None:
        words = ("--set", "machine.processors=3", "--set", "job.0.size=1", "--set", "job.1.size=0")
        bars = rows(RUN, *SHORT, *words, "--trace")
        self.assertEqual(len([bar for bar in bars if bar["activity"] == "idle" and bar["begin"] == "0"]), 3)
        self.assertEqual({bar["processor"] for bar in bars}, {"0", "1", "2"})
        # A thread with nothing left of its spin blocks as soon as it runs: one switch follows upon the other.
        short = ("--set", "machine.processors=1", "--set", "job.0.size=3", "--set", 'wait.policy="1"')
        bars = rows(RUN, *SHORT, *short, "--trace")
        self.assertTrue(all(int(b["end"]) - int(b["begin"]) == 6 for b in bars if b["activity"] == "switching"))

    def test_nobody_is_in_two_places(self) -> None:
        runs: dict[str, list[tuple[int, int]]] = {}
        for bar in rows(RUN, *SHORT, "--trace"):
            if bar["thread"]:
                runs.setdefault(bar["thread"], []).append((int(bar["begin"]), int(bar["end"])))
        for intervals in runs.values():
            intervals.sort()
            for (_, end), (begin, _) in zip(intervals, intervals[1:]):
                self.assertLessEqual(end, begin)

    def test_states_add_up_to_the_threads(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "states.csv"
            self.assertEqual(run(RUN, *SHORT, "--states", str(file), "--period", "50").returncode, 0)
            states = list(csv.DictReader(io.StringIO(file.read_text())))
        for job, threads in (("0", 11), ("1", 85)):
            ours = [row for row in states if row["job"] == job and 0 < int(row["time"]) < 500]
            self.assertEqual(len(ours), 9)
            for row in ours:
                of = sum(int(row[name]) for name in ("ready", "computing", "spinning", "blocked"))
                self.assertEqual(of, threads)

    def test_says_what_is_wrong(self) -> None:
        for setting, what in (
            ("machine.processors=0", "processors must be a whole number from 1 to 4096"),
            ("machine.processors=many", "processors must be a whole number"),
            ("machine.processor=1", "unknown key processor; known here: context_switch"),
            ("machine.context_switch=-1", "context_switch must be a whole number from 0"),
            ("wait.policy=3cs", 'policy cannot be "3cs"; allowed: spin, block, cs'),
            ("scheduler.kind=bfs", 'kind cannot be "bfs"; allowed: rr, linux24, gang, cfs, eevdf'),
            ("scheduler.wake_up=best", 'wake_up cannot be "best"; allowed: original, ap, gv'),
            ("scheduler.quantum=5", "unknown key quantum"),
            ("job.0.granularity=tiny", 'granularity cannot be "tiny"; allowed: fine, medium, coarse'),
            ("job.0.deviation_share=-0.5", "deviation_share must be a number from 0"),
            ("job.0.limit_share=2", "limit_share must be a number from 0.01 to 1"),
            ("job.0.size=0", "size must be a whole number from 1"),
            ("job.0.work=100", "work does not go with barriers"),
            ("job.0.mean=4", "granularity does not go with mean"),
            ("job.7.size=1", "there is no 7"),
            ("unit=hours", 'unit cannot be "hours"; allowed: steps, ns'),
        ):
            self.refuses(RUN, setting, what)

    def test_says_what_is_wrong_of_eevdf(self) -> None:
        for setting, what in (
            ("unit=steps", 'kind "eevdf" needs unit = "ns"'),
            ("scheduler.tick=0", "tick must be a whole number from 1000 to 1000000000"),
            ("scheduler.base_slice=1", "base_slice must be a whole number from 100000"),
            ("scheduler.llc=0", "llc must be a whole number from 1 to 4096"),
            ("scheduler.idle_exit=-1", "idle_exit must be a whole number from 0"),
            ("scheduler.run_to_parity=maybe", "run_to_parity is of the wrong kind"),
            ("scheduler.quantum=5", "unknown key quantum"),
            ("job.0.nice=20", "nice must be a whole number from -20 to 19"),
            ("job.0.slice=5", "slice must be a whole number from 100000 to 100000000"),
        ):
            self.refuses(EEVDF, setting, what)
        done = run(RUN, "--set", "job.0.slice=200000")
        self.assertIn("slice is of the scheduler eevdf only", done.stderr)

    def test_a_shorter_slice_helps_a_job_beside_hogs(self) -> None:
        load = ("--csv", "--set", "machine.processors=2", "--set", "job.0.size=2", "--set", "job.1.size=4")
        (usual,) = rows(EEVDF, *load)
        (short,) = rows(EEVDF, *load, "--set", "job.0.slice=100000")
        self.assertLess(int(short["elapsed"]), int(usual["elapsed"]))

    def test_says_what_is_wrong_of_streams(self) -> None:
        for setting, what in (
            ("job.0.gap=0", "[[job]] gap must be a whole number from 1 to"),
            ("job.0.gap=soon", "gap must be a whole number"),
            ("job.0.gap=10000", "gap makes 5e+06 updates until 50000000000; at most 1000000"),
            ("job.0.burst=0", "burst must be a whole number from 1 to 1000000"),
            ("job.0.fill=-1", "fill must be a whole number from 0"),
            ("job.0.until=0", "until must be a whole number from 1"),
            ("job.0.barriers=0", "barriers must be a whole number from 1"),
            ("job.0.work=100", "unknown key work; known here: "),
            ("job.0.size=0", "size must be a whole number from 1"),
            ("job.0.kind=river", 'kind cannot be "river"; allowed: synchronizing, stream, background'),
            ("job.0.kind=synchronizing", "unknown key"),
            ('wait.code="production"', "policy cannot be"),
            ("scheduler.pack=2", "pack is of the wrong kind: true or false"),
            ("scheduler.fill=maybe", "fill is of the wrong kind"),
            ("scheduler.weights=[1, 2]", "weights does not go with pack"),
        ):
            self.refuses(STREAMS, setting, what)
        production = ("--set", 'wait.code="production"', "--set", "wait.policy=50us")
        self.assertIn('kind "stream" needs [wait] code = "model"', run(STREAMS, *production).stderr)
        self.refuses(str(RUNS / "gang-barrier.toml"), "job.0.gap=5", "unknown key gap")

    def test_a_missing_key_of_a_stream_names_file_and_line(self) -> None:
        text = Path(STREAMS).read_text()
        line = text[: text.index("[[job]]")].count("\n") + 1
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.toml"
            for key in ("gap", "until", "barriers", "mean"):
                file.write_text("\n".join(word for word in text.split("\n") if not word.startswith(f"{key} =")))
                self.assertIn(f"{file}:{line}: {key} is missing", run(str(file)).stderr.replace("[[job]] ", ""))

    def test_latencies_of_streams(self) -> None:
        short = ("--set", "job.0.barriers=100", "--set", "job.0.gap=1000000000")
        all_seeds = rows(STREAMS, *short, "--csv", "--seeds", "2")
        self.assertEqual(all_seeds, rows(STREAMS, *short, "--csv", "--seeds", "2", "--jobs", "2"))
        for row in all_seeds:
            self.assertEqual(row["group"], "stream")
            self.assertGreater(int(row["updates"]), 100)
            self.assertEqual(row["updates_over"], row["updates"])
            names = ("least", "p10", "median", "p90", "p99", "most")
            latencies = [float(row[f"latency_{name}"]) for name in names]
            self.assertEqual(latencies, sorted(latencies))
            self.assertGreater(latencies[0], 100 * 81_000)
            self.assertTrue(latencies[0] < float(row["latency_mean"]) < latencies[-1])
        table = run(STREAMS, *short).stdout
        self.assertIn(f"stream: {all_seeds[0]['updates']} of {all_seeds[0]['updates']} updates over; latency ", table)
        (other,) = rows(RUN, *SHORT, "--csv")
        self.assertEqual((other["updates"], other["latency_mean"]), ("0", ""))

    def test_negative_deviation_names_file_and_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.toml"
            text = Path(RUN).read_text().replace('granularity = "fine"', "mean = 4\ndeviation = -1")
            file.write_text(text)
            line = text[: text.index("deviation =")].count("\n") + 1
            self.assertIn(f"{file}:{line}: [[job]] deviation must be a number from 0", run(str(file)).stderr)

    def test_needs_an_end(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.toml"
            file.write_text(
                "[machine]\nprocessors=1\ncontext_switch=1\n[scheduler]\nkind='rr'\nquantum=9\n"
                "[[job]]\nkind='background'\nsize=2\n"
            )
            self.assertIn("the run needs a limit", run(str(file)).stderr)
            self.assertEqual(run(str(file), "--set", "limit=100").returncode, 0)

    def test_files(self) -> None:
        self.assertIn("no such file", run("/no/such.toml").stderr)
        self.assertIn("one seed", run(RUN, "--trace", "--seeds", "2").stderr)
        self.assertIn("cannot be written", run(RUN, "--states", "/no/such/folder/x").stderr)


class ProductionTest(unittest.TestCase):
    """Run files whose threads wait by Muster's code, or as the stock runtimes do."""

    FILE = """unit = "ns"
limit = 3_000_000
[machine]
processors = 4
context_switch = 1000
[scheduler]
kind = "rr"
quantum = 1_000_000
[wait]
code = "production"
policy = "auto"
[costs]
pause = 40
[[job]]
kind = "synchronizing"
size = 3
count = 2
mean = 5000
barriers = 100
"""

    def run_text(self, text: str, *words: str) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.toml"
            file.write_text(text)
            return run(str(file), *words)

    def test_every_kind_of_policy(self) -> None:
        for policy in ("auto", "tree/2cs+", "50us", "block", "libomp", "libomp-passive", "libgomp", "libgomp-passive"):
            done = self.run_text(self.FILE, "--csv", "--set", f"wait.policy={policy}")
            self.assertEqual(done.returncode, 0, f"{policy}: {done.stderr}")
            self.assertIn(",600,", done.stdout, policy)  # barriers of all threads

    def test_workers_change_nothing(self) -> None:
        words = ("--csv", "--seeds", "4", "--speedup")
        once = self.run_text(self.FILE, *words).stdout
        self.assertEqual(len(once.splitlines()), 5)
        self.assertEqual(once, self.run_text(self.FILE, *words, "--jobs", "3").stdout)

    def test_a_team_as_large_as_the_machine_finds_teammates_that_share_a_processor(self) -> None:
        """Two hogs leave six processors to eight threads, none of which saw where the others went."""
        words = [str(RUNS / "turns.toml"), "--each-job"]
        for setting in ("machine.processors=8", "limit=80000000", "job.0.count=1", "job.0.size=8", "job.3.size=2"):
            words += ["--set", setting]
        for seed in range(1, 5):
            passed = {}
            for policy in ("auto", "libgomp-passive"):
                first = rows(*words, "--set", f"seed={seed}", "--set", f"wait.policy={policy}")[0]
                passed[policy] = int(first["barriers"])
            self.assertGreater(passed["auto"], passed["libgomp-passive"], f"seed {seed}")

    def test_bad_input(self) -> None:
        for old, new, line, said in (
            ('unit = "ns"', 'unit = "steps"', 10, 'needs unit = "ns"'),
            ('code = "production"', 'code = "real"', 10, "code"),
            ('policy = "auto"', 'policy = "libomq"', 11, "libomp-passive"),
            ('policy = "auto"', 'policy = "native/auto"', 11, "allowed"),
            ('policy = "auto"', 'policy = "12"', 11, "allowed"),
            ("pause = 40", "pause = 0", 13, "pause"),
            ("pause = 40", "paws = 40", 13, "paws"),
            ('code = "production"', 'code = "model"', None, "allowed"),
            ('code = "production"\npolicy = "auto"', 'policy = "cs"', None, "costs"),
        ):
            done = self.run_text(self.FILE.replace(old, new))
            self.assertNotEqual(done.returncode, 0, new)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(said, done.stderr, new)
            if line is not None:
                self.assertIn(f":{line}", done.stderr, new)


if __name__ == "__main__":
    unittest.main()
