"""The programs of epcc/ from the command line, with runs as short as they can be."""

import csv
import io
import itertools
import json
import os
import unittest

from cases import RUNTIMES, TestCase

CONSTRUCTS = (
    "PARALLEL FOR PARALLEL_FOR BARRIER BARRIER_VAR SINGLE CRITICAL LOCK_CONTENDED"
    " LOCK_CONTENDED_HINT LOCK_UNCONTENDED LOCK_UNCONTENDED_HINT ORDERED ATOMIC ATOMIC_SEQCST"
    " REDUCTION COPYPRIVATE_1 COPYPRIVATE_729"
).split()
SHORT = ("--outer-repetitions", "3", "--test-time", "20")


class Syncbench(TestCase):
    def test_json_has_every_construct_and_consistent_numbers(self) -> None:
        for suffix, runtime in RUNTIMES.items():
            with self.subTest(runtime):
                report = json.loads(self.output(f"syncbench{suffix}", *SHORT, "--format", "json"))
                self.assertIn(runtime, report["runtime"])
                self.assertEqual(report["threads"], 2)
                self.assertEqual([b["name"] for b in report["benchmarks"]], CONSTRUCTS)
                for benchmark in report["benchmarks"]:
                    self.check_benchmark(benchmark)

    def check_benchmark(self, benchmark: dict) -> None:
        measured, reference = benchmark["time_us"], benchmark["reference"]["time_us"]
        for sample in (measured, reference):
            self.assertLessEqual(0, sample["min"])
            self.assertLessEqual(sample["min"], sample["median"])
            self.assertLessEqual(sample["median"], sample["max"])
            self.assertAlmostEqual(sample["interval95"], 1.96 * sample["sd"])
        for which in ("mean", "median"):
            difference = measured[which] - reference[which]
            self.assertAlmostEqual(benchmark["overhead_us"][which], difference)
        self.assertGreaterEqual(benchmark["inner_repetitions"], 10)
        self.assertEqual(benchmark["outliers"], 0)  # three runs cannot have any

    def test_csv_has_a_row_a_construct(self) -> None:
        for suffix, runtime in RUNTIMES.items():
            with self.subTest(runtime):
                text = self.output(f"syncbench{suffix}", *SHORT, "--format", "csv")
                rows = list(csv.DictReader(io.StringIO(text)))
                self.assertEqual([row["name"] for row in rows], CONSTRUCTS)
                for row in rows:
                    self.assertIn(runtime, row["runtime"])
                    overhead = float(row["time_median_us"]) - float(row["reference_median_us"])
                    self.assertAlmostEqual(float(row["overhead_median_us"]), overhead)

    def test_text_has_every_construct_under_its_usual_names(self) -> None:
        for suffix, runtime in RUNTIMES.items():
            with self.subTest(runtime):
                text = self.output(f"syncbench{suffix}", *SHORT)
                for name in CONSTRUCTS:
                    title = name.replace("PARALLEL_FOR", "PARALLEL FOR").replace("PRIVATE_", "PRIVATE ")
                    for what in ("time", "overhead", "median_ovrhd"):
                        line = rf"(?m)^{title} {what} += -?\d+\.\d+ microseconds"
                        self.assertRegex(text, line)

    def test_measureonly_takes_lists_repeats_and_old_names(self) -> None:
        names = ("--measureonly", "SINGLE,barrier", "--measureonly", "PARALLEL FOR")
        text = self.output("syncbench", *SHORT, "--format=csv", *names, "--measureonly=LOCK/UNLOCK")
        measured = [row["name"] for row in csv.DictReader(io.StringIO(text))]
        self.assertEqual(measured, ["PARALLEL_FOR", "BARRIER", "SINGLE", "LOCK_CONTENDED"])

    def test_delay_is_in_the_timings(self) -> None:
        arguments = (*SHORT, "--measureonly=BARRIER", "--delay-time=20", "--format=json")
        (benchmark,) = json.loads(self.output("syncbench", *arguments))["benchmarks"]
        self.assertGreater(benchmark["reference"]["time_us"]["median"], 10)

    def test_bad_input(self) -> None:
        for suffix in RUNTIMES:
            self.assert_refused("NONSENSE", f"syncbench{suffix}", "--measureonly", "NONSENSE")
            self.assert_refused("--nonsense", f"syncbench{suffix}", "--nonsense")
        for option, value in (
            ("--outer-repetitions", "1"),
            ("--outer-repetitions", "many"),
            ("--test-time", "0"),
            ("--test-time", "nan"),
            ("--delay-time", "-1"),
            ("--delay-time", "inf"),
            ("--format", "xml"),
        ):
            with self.subTest(f"{option} {value}"):
                self.assert_refused(option, "syncbench", option, value)

    def test_help(self) -> None:
        self.assertIn("--measureonly", self.output("syncbench", "--help"))


class Barrier(TestCase):
    def test_threads_agree(self) -> None:
        for suffix, runtime in RUNTIMES.items():
            for threads in ("1", "2", "3"):
                with self.subTest(f"{runtime}, {threads} threads"):
                    report = self.report(f"barrier{suffix}", "--seconds=0.1", "--threads", threads)
                    self.assertIn(runtime, report["runtime"])
                    self.assertEqual(report["threads"], int(threads))
                    by_thread = report["iterations_by_thread"]
                    self.assertEqual(by_thread, by_thread[:1] * int(threads))
                    self.assertGreaterEqual(by_thread[0], report["iterations"])
                    self.assertGreater(report["iterations"], 0)
                    self.assertGreaterEqual(report["seconds"], 0.1)
                    rate = report["iterations"] / report["seconds"]
                    self.assertAlmostEqual(report["iterations_per_s"], rate, places=3)

    def test_interval_and_variance_are_work(self) -> None:
        for option, mean_us in (("--interval", 500), ("--variance", 250)):
            with self.subTest(option):
                report = self.report("barrier", "--seconds=0.2", "--threads=1", option, "500")
                most = 2.5 * report["seconds"] / (mean_us * 1e-6)  # the CPU may have sped up
                self.assertLess(report["iterations"], most)

    def test_text(self) -> None:
        for suffix in RUNTIMES:
            text = self.output(f"barrier{suffix}", "--seconds", "0.05")
            self.assertRegex(text, r"\A\d+\.\d iterations/s\n")

    def test_bad_input(self) -> None:
        self.assert_refused("--seconds", "barrier", "--seconds", "0")
        self.assert_refused("--interval", "barrier", "--interval", "-3")
        self.assert_refused("--threads", "barrier", "--threads", "none")
        self.assert_refused("surplus", "barrier", "surplus")


class StreamClustering(TestCase):
    SHORT = {"--lead": "0.05", "--packets": "500", "--candidates": "40", "--bursts": "20", "--seconds": "0.3"}

    def words(self, *arguments: str) -> list[str]:
        changed = self.SHORT | dict(zip(arguments[::2], arguments[1::2], strict=True))
        return [word for option in changed.items() for word in option]

    def report(self, program: str, *arguments: str) -> dict:
        return json.loads(self.output(program, "--format", "json", *self.words(*arguments)))

    def test_the_clusters_depend_on_the_seed_only(self) -> None:
        found = {
            self.report(f"stream-clustering{suffix}", "--threads", threads)["fingerprint"]
            for suffix in RUNTIMES
            for threads in ("1", "2", "3")
        }
        self.assertEqual(len(found), 1)
        self.assertNotIn(self.report("stream-clustering", "--seed", "2")["fingerprint"], found)

    def test_it_finds_what_is_there(self) -> None:
        """Twelve kinds of packets; few candidates may leave some of them together."""
        report = self.report("stream-clustering", "--candidates", "300")
        self.assertEqual(report["clusters"], 12)

    def test_latencies_are_those_of_the_updates(self) -> None:
        report = self.report("stream-clustering")
        latencies = report["latencies_s"]
        self.assertEqual((report["updates"], latencies), (len(latencies), sorted(latencies)))
        self.assertGreater(len(latencies), 0)
        self.assertAlmostEqual(report["latency_mean_s"], sum(latencies) / len(latencies))
        self.assertEqual((report["latency_min_s"], report["latency_max_s"]), (latencies[0], latencies[-1]))
        self.assertLessEqual(report["latency_p50_s"], report["latency_p90_s"])
        self.assertGreaterEqual(report["latency_mean_s"], report["computing_mean_s"])

    def test_a_late_update_makes_the_next_one_later(self) -> None:
        """Two updates' packets arrive in each burst: the second waits for the first."""
        together = self.report("stream-clustering", "--burst", "1000", "--candidates", "300")
        self.assertGreater(together["latency_max_s"], 1.5 * together["computing_mean_s"])
        self.assertEqual(together["updates"] % 2, 0)

    def test_nothing_may_arrive(self) -> None:
        report = self.report("stream-clustering", "--bursts", "0.001")
        self.assertEqual((report["updates"], report["latencies_s"], report["clusters"]), (0, [], 0))

    def test_text(self) -> None:
        text = self.output("stream-clustering", *self.words())
        self.assertRegex(text, r"\A\d+ updates of 500 packets, latency \d+\.\d\d ms")

    def test_bad_input(self) -> None:
        for option, value in (
            ("--packets", "1"),
            ("--bursts", "0"),
            ("--burst", "-1"),
            ("--lead", "-1"),
            ("--candidates", "0"),
            ("--threads", "none"),
            ("--seconds", "nan"),
            ("--format", "xml"),
        ):
            self.assert_refused(option, "stream-clustering", option, value)


class ParallelFor(TestCase):
    def test_regions_are_counted_on_both_runtimes(self) -> None:
        for suffix, runtime in RUNTIMES.items():
            with self.subTest(runtime):
                report = self.report(f"parallel_for{suffix}", "--seconds=0.1", "--threads=3")
                self.assertIn(runtime, report["runtime"])
                self.assertEqual(report["threads"], 3)
                self.assertGreater(report["iterations"], 0)
                rate = report["iterations"] / report["seconds"]
                self.assertAlmostEqual(report["iterations_per_s"], rate, places=3)

    def test_interval_is_work(self) -> None:
        report = self.report("parallel_for", "--seconds=0.2", "--threads=1", "--interval=500")
        self.assertLess(report["iterations"], 2.5 * report["seconds"] / 500e-6)  # the CPU may have sped up

    def test_text_and_bad_input(self) -> None:
        self.assertRegex(self.output("parallel_for", "--seconds", "0.05"), r"\A\d+\.\d regions/s\n")
        self.assert_refused("--margin", "parallel_for", "--margin", "-1")
        self.assert_refused("--beside", "parallel_for", "--beside", "none")


class Linetransfer(TestCase):
    def test_pairs_are_those_of_the_allowed_cpus(self) -> None:
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) > 8:  # the time grows with the square
            cpus = cpus[:8]
            self.addCleanup(os.sched_setaffinity, 0, os.sched_getaffinity(0))
            os.sched_setaffinity(0, cpus)
        pairs = list(itertools.combinations(cpus, 2))

        report = json.loads(self.output("linetransfer", "--format", "json"))
        self.assertEqual(report["cpus"], cpus)
        self.assertEqual([tuple(pair["cpus"]) for pair in report["pairs"]], pairs)
        for pair in report["pairs"]:
            self.assertLess(0, pair["min_ns"])
            self.assertLess(0, pair["move_ns"])
            self.assertLessEqual(pair["min_ns"], pair["median_ns"])

        rows = csv.DictReader(io.StringIO(self.output("linetransfer", "--format", "csv")))
        self.assertEqual([(int(r["first_cpu"]), int(r["second_cpu"])) for r in rows], pairs)
        if pairs:
            self.assertRegex(self.output("linetransfer"), r"\nmedian over \d+ pairs? = [\d.]+ ns\n.*[\d.]+ ns\n")

    def test_a_single_cpu_has_no_pairs(self) -> None:
        allowed = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        os.sched_setaffinity(0, {min(allowed)})
        self.assertIn(f"only CPU {min(allowed)} is allowed", self.output("linetransfer"))
        report = json.loads(self.output("linetransfer", "--format", "json"))
        self.assertEqual((report["pairs"], report["median_ns"]), ([], None))

    def test_bad_input(self) -> None:
        self.assert_refused("--format", "linetransfer", "--format", "xml")


class TestYield(TestCase):
    def report(self, *arguments: str) -> dict:
        return json.loads(self.output("test-yield", "--format=json", *arguments))

    def test_every_thread_yields_as_often_as_requested(self) -> None:
        report = self.report("--threads=3", "--yields=2000")
        self.assertEqual(report["threads"], 3)
        self.assertEqual(report["yields_by_thread"], [2000] * 3)
        self.assertEqual(report["yields"], 6000)
        cpu = 100 * (report["user_s"] + report["system_s"]) / report["elapsed_s"]
        self.assertAlmostEqual(report["cpu_percent"], cpu, places=6)

    def test_a_thread_a_cpu(self) -> None:
        allowed = os.sched_getaffinity(0)
        self.assertEqual(self.report("--yields=1")["threads"], len(allowed))
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        os.sched_setaffinity(0, {min(allowed)})
        self.assertEqual(self.report("--yields=1")["threads"], 1)

    def test_ends_in_time(self) -> None:
        report = self.report("--yields=1000000000000", "--seconds=0.2")
        self.assertGreaterEqual(report["elapsed_s"], 0.2)
        self.assertGreater(report["yields"], 0)

    def test_time_is_no_reason_to_wait(self) -> None:
        self.assertLess(self.report("--yields=1", "--seconds=50")["elapsed_s"], 25)

    def test_text_and_bad_input(self) -> None:
        text = self.output("test-yield", "--yields=1000", "--threads=2")
        self.assertRegex(text, r"\A[\d.]+user [\d.]+system [\d.]+elapsed \d+%CPU\n  2 threads, 2000 yields\n\Z")
        for option, value in (
            ("--threads", "0"),
            ("--yields", "0"),
            ("--yields", "nan"),
            ("--yields", "-1"),
            ("--yields", "1.5"),
            ("--seconds", "-1"),
            ("--seconds", "inf"),
            ("--format", "csv"),
        ):
            with self.subTest(f"{option} {value}"):
                self.assert_refused(option, "test-yield", option, value)


if __name__ == "__main__":
    unittest.main()
