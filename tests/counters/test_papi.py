"""PAPI: the installed one as far as it goes without a PMU, and a controlled one (fake_papi.c)."""

from __future__ import annotations

import ctypes.util
import json
import os
import unittest

from common import FAULTS, LIBRARY, PREFIX, CountingTest, build, reason_without_libsde, run

from lab.reports import load

THREADS, ROUNDS = 4, 20
PARANOID = "/proc/sys/kernel/perf_event_paranoid"


class FakePapi(CountingTest):
    def ask(self, options: str, events: str, mode: str = "faults", **extra: str) -> dict:
        """The counters, with what was seen by the library in self.seen."""
        log = self.folder / "log.json"
        environment = {"MUSTER_PAPI": str(build("fake_papi")), "FAKE_PAPI": options, "FAKE_PAPI_LOG": str(log)}
        counters = self.count(mode, events, environment | extra)
        self.seen = json.loads(log.read_text())
        return counters

    def assert_line(self, *words: str) -> None:
        """One line, which names the variable and has all the words."""
        self.assertEqual(len(self.lines), 1, self.lines)
        self.assertTrue(self.lines[0].startswith(PREFIX), self.lines)
        for word in words:
            self.assertIn(word, self.lines[0])

    def assert_unavailable(self, counters: dict, *words: str) -> None:
        for event in counters["events"]:
            self.assertEqual((event["source"], event["waiting"], event["rest"]), ("unavailable", None, None))
            for word in words:
                self.assertIn(word, event["reason"])
        self.assertTrue(counters["unavailable"])
        self.assertEqual(counters["threads"], 0)

    def test_counts_in_each_thread(self) -> None:
        """Each reading is one more of F0 and two more of F1."""
        counters = self.ask("", "F0,F1")
        self.assertEqual(self.lines, [])
        self.assertEqual((counters["library"], counters["threads"]), ("7.0.0.0", THREADS))
        f0, f1 = counters["events"]
        self.assertEqual((f0["source"], f0["reason"], f0["multiplexed"]), ("hardware", None, False))
        self.assertEqual((f1["waiting"], f1["rest"]), (2 * f0["waiting"], 2 * f0["rest"]))
        self.assertEqual(f0["waiting"], self.report["waiting"]["waits"])
        self.assertGreaterEqual(f0["waiting"], THREADS - 1)
        # As many waits begin, and a region ends in each thread.
        self.assertEqual(f0["rest"], f0["waiting"] + THREADS)
        self.assertEqual(self.seen["registered"], THREADS)

    def test_beside_events_of_the_kernel(self) -> None:
        counters = self.ask("", f"{FAULTS},F3")
        self.assertEqual([event["source"] for event in counters["events"]], ["software", "hardware"])
        self.assertGreater(self.values(counters)["F3"][1], 0)
        self.assertGreater(self.values(counters)[FAULTS][1], 0)

    def test_policies_and_algorithms(self) -> None:
        for barrier, wait in (
            ("tree", "block"),
            ("dissemination", "spin"),
            ("fetch-add", "yield"),
            ("dist-counter", "cs"),
        ):
            with self.subTest(barrier=barrier, wait=wait):
                counters = self.ask("", "F0", MUSTER_BARRIER=barrier, MUSTER_WAIT=wait)
                self.assertEqual(counters["events"][0]["waiting"], self.report["waiting"]["waits"])

    def test_threads_that_end_are_unregistered(self) -> None:
        counters = self.ask("", "F0", "roots")
        self.assertGreaterEqual(counters["threads"], 3)
        self.assertGreaterEqual(self.seen["unregistered"], 3, "the root threads have ended")
        self.assertEqual(
            self.seen["created"] - self.seen["destroyed"], self.seen["registered"] - self.seen["unregistered"]
        )

    def test_all_modes_are_unharmed(self) -> None:
        for mode in ("late", "regions", "others-run", "exit-in-region", "closes-descriptors", "nested", "tasks"):
            with self.subTest(mode=mode):
                self.ask("", "F0,F1,F2", mode)
                self.assertEqual(self.lines, [])

    def test_fork(self) -> None:
        """Nothing of PAPI is called in the child: its threads' event sets are the parent's."""
        command = [str(build("working")), "forks"]
        environment = {
            "LD_PRELOAD": LIBRARY,
            "MUSTER_COUNTERS": "F0",
            "MUSTER_PAPI": str(build("fake_papi")),
            "MUSTER_REPORT": str(self.folder / "%p.json"),
        }
        ours = run(command, environment)
        self.assertEqual((ours.status, ours.stdout, ours.stderr), (0, run(command).stdout, ""))
        found = [load(path)["counters"] for path in self.folder.glob("*.json")]
        self.assertEqual(sorted(counters["threads"] > 0 for counters in found), [False, True])

    def test_more_than_fit_are_multiplexed(self) -> None:
        counters = self.ask("fits=2", "F0,F1,F2,F3")
        self.assertEqual(self.lines, [])
        self.assertEqual([event["multiplexed"] for event in counters["events"]], [True] * 4)
        self.assertGreater(self.values(counters)["F3"][0], 0)

    def test_as_many_as_fit_are_not(self) -> None:
        counters = self.ask("fits=2", "F0,F1")
        self.assertEqual([event["multiplexed"] for event in counters["events"]], [False] * 2)

    def test_unknown_event(self) -> None:
        counters = self.ask("", "NO_SUCH_EVENT,F0")
        self.assert_line("'NO_SUCH_EVENT' is not counted: PAPI: Event does not exist", "the others are")
        unknown, known = counters["events"]
        self.assertEqual((unknown["source"], unknown["waiting"], unknown["rest"]), ("unavailable", None, None))
        self.assertEqual(unknown["reason"], "PAPI: Event does not exist")
        self.assertGreater(known["rest"], 0)
        self.assertIsNone(counters["unavailable"])

    def test_only_unknown_events(self) -> None:
        self.assert_unavailable(self.ask("", "NO_SUCH_EVENT"), "Event does not exist")
        self.assert_line("'NO_SUCH_EVENT'", "nothing is")

    def test_forbidden(self) -> None:
        counters = self.ask("forbidden", "F0")
        self.assert_unavailable(counters, "Permission level does not permit", PARANOID, "CAP_PERFMON")
        self.assert_line("'F0'", PARANOID, "2 or less")

    def test_disabled_by_paranoia(self) -> None:
        self.assert_unavailable(self.ask("disabled", "F0"), "is disabled", "paranoid=3", PARANOID)

    def test_forbidden_in_other_threads(self) -> None:
        """A counter that was not available everywhere is marked."""
        counters = self.ask("later", "F0")
        (event,) = counters["events"]
        self.assertEqual(counters["threads"], 1)
        self.assertEqual(event["source"], "hardware")
        self.assertIn(f"in {THREADS - 1} threads", event["reason"])
        self.assertGreater(event["rest"], 0)

    def test_breaks_in_mid_run(self) -> None:
        reads = 2
        counters = self.ask(f"breaks={reads}", "F0")
        (event,) = counters["events"]
        # At the begin and end of each wait, and at the end of the region.
        waits = [thread["barriers"] - thread["arrived_last"] for thread in self.report["threads"]]
        broken = sum(2 * count + 1 > reads for count in waits)
        self.assertRegex(event["reason"], rf"not to the end, in {broken} threads?\b")
        self.assertLessEqual(event["waiting"] + event["rest"], reads * THREADS)
        self.assertEqual(self.seen["created"], self.seen["destroyed"])

    def test_other_versions(self) -> None:
        for options, version in (
            ("version=9.1", "9.1.0.0"),
            ("version=5.7", "5.7.0.0"),
            ("version=9.1 mute", "9.1.0.0"),
        ):
            with self.subTest(options=options):
                counters = self.ask(options, f"F0,{FAULTS}")
                self.assert_line(
                    f"PAPI {version} is of a version that Muster does not know", "only the kernel's events"
                )
                self.assertEqual(counters["library"], version)
                self.assertIn(version, counters["events"][0]["reason"])
                self.assertGreater(counters["events"][1]["rest"], 0)
                self.assertEqual(self.seen["starts"], 0)

    def test_known_versions(self) -> None:
        for options in ("version=6.0", "version=7.1", "version=7.2", "version=7.0 mute"):
            with self.subTest(options=options):
                self.assertGreater(self.ask(options, "F0")["events"][0]["rest"], 0)

    def test_does_not_start(self) -> None:
        for options, words in (("fails", "does not start: Insufficient memory"), ("no-threads", "counts no threads")):
            with self.subTest(options=options):
                self.assert_unavailable(self.ask(options, "F0"), words)
                self.assert_line(words, "nothing is counted")


class RealPapi(CountingTest):
    def test_missing(self) -> None:
        counters = self.count(
            "faults", f"PAPI_TOT_CYC,PAPI_L2_TCM,{FAULTS}", {"MUSTER_PAPI": "/nonexistent/libpapi.so"}
        )
        self.assertEqual(len(self.lines), 1, self.lines)
        self.assertTrue(self.lines[0].startswith(f"{PREFIX}/nonexistent/libpapi.so: "), self.lines)
        self.assertTrue(self.lines[0].endswith("only the kernel's events are counted"), self.lines)
        self.assertIsNone(counters["library"])
        self.assertEqual([event["source"] for event in counters["events"]], ["unavailable"] * 2 + ["software"])

    def test_no_papi_at_all(self) -> None:
        libm = ctypes.util.find_library("m")
        counters = self.count("faults", "PAPI_TOT_CYC", {"MUSTER_PAPI": str(libm)})
        self.assertIn("is no PAPI that Muster knows: it has no PAPI_library_init", counters["unavailable"])
        self.assertEqual(len(self.lines), 1, self.lines)

    def test_presets(self) -> None:
        """Counted where there is a PMU; with PAPI's reason where there is none."""
        if ctypes.util.find_library("papi") is None:
            self.skipTest("libpapi (Debian: libpapi-dev) is not installed")
        counters = self.count("faults", f"PAPI_TOT_CYC,PAPI_CSR_FAL,{FAULTS}")
        self.assertRegex(counters["library"], r"^[67]\.\d+\.\d+\.\d+$")
        self.assertIsNone(counters["unavailable"])
        for event in counters["events"]:
            if event["source"] == "unavailable":
                self.assertIn("PAPI: ", event["reason"])
                self.assertIn(event["name"], "\n".join(self.lines))
                self.assertIsNone(event["rest"])
            else:
                self.assertGreaterEqual(event["rest"], 0)

    def test_against_the_kernels_own(self) -> None:
        """PAPI's perf_event component, where it works: all that it counts, in each thread and attributed alike."""
        qualified = [f"{FAULTS}:u=1", "perf::CONTEXT-SWITCHES:u=1:k=1"]
        other = os.environ.get("MUSTER_TEST_PAPI")
        extra = {"MUSTER_PAPI": other} if other else {}
        counters = self.count("late", ",".join([FAULTS, "perf::CONTEXT-SWITCHES", *qualified]), extra)
        if counters["events"][2]["source"] == "unavailable":
            self.skipTest(f"this PAPI (MUSTER_TEST_PAPI names another) cannot: {counters['events'][2]['reason']}")
        values = self.values(counters)
        self.assertLessEqual(abs(values[FAULTS][1] - values[qualified[0]][1]), 100, values)
        switches, by_papi = values["perf::CONTEXT-SWITCHES"], values[qualified[1]]
        self.assertLessEqual(abs(sum(switches) - sum(by_papi)), sum(switches) // 10 + 10, values)
        self.assertGreaterEqual(by_papi[1], ROUNDS)

    def test_software_defined_events_of_a_program(self) -> None:
        """The installed libpapi itself: its event sets, in each thread of a team."""
        if reason := reason_without_libsde():
            self.skipTest(reason)
        binary = str(build("sde_owner", "clang-19", "-lsde"))
        path = self.folder / "report.json"
        extra = {"LD_PRELOAD": LIBRARY, "MUSTER_COUNTERS": "sde:::TEST::WORK", "MUSTER_REPORT": str(path)}
        ours = run([binary], extra)
        self.assertEqual((ours.status, ours.stdout, ours.stderr), (0, "1000\n", ""))
        counters = load(path)["counters"]
        (event,) = counters["events"]
        self.assertEqual((event["source"], event["reason"], counters["threads"]), ("software", None, 2))
        # One counter of the process, which both threads have read: what the first one worked is its rest.
        self.assertGreater(event["waiting"] + event["rest"], 1000)
        self.assertGreaterEqual(event["rest"], 900)

    def test_programs_that_use_papi_themselves(self) -> None:
        if reason := reason_without_libsde():
            self.skipTest(reason)
        binary = str(build("papi_user", "clang-19", "-lpapi"))
        path = self.folder / "report.json"
        extra = {"LD_PRELOAD": LIBRARY, "MUSTER_COUNTERS": f"PAPI_TOT_CYC,{FAULTS}", "MUSTER_REPORT": str(path)}
        ours = run([binary], extra)
        self.assertEqual(ours.status, 0, ours)
        self.assertIn("the program uses PAPI itself", ours.stderr)
        cycles, faults = load(path)["counters"]["events"]
        self.assertIn("the program uses PAPI itself", cycles["reason"])
        self.assertGreater(faults["rest"], 0)


if __name__ == "__main__":
    unittest.main()
