"""Turns between processes: what becomes of one of them, or of the page, must not change or stop another.

MUSTER_TURNS_TEST_SECONDS is for how long each disturbance lasts: a few seconds, or minutes on request.
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable

from harness import FaultTest, base_environment, preloaded_environment, program, run, start_preloaded

from lab import machine

SECONDS = float(os.environ.get("MUSTER_TURNS_TEST_SECONDS", "2"))
MOST_SECONDS = 60.0
PAGE_BYTES = 65344  # sizeof(TurnPage)
TURNS = {"MUSTER_TURNS": "auto", "OMP_NUM_THREADS": str(machine.cpus())}
C = ctypes.CDLL(None, use_errno=True)
C.shmat.restype = ctypes.c_void_p


def find_page() -> int:
    """The segment of this user, as platform/shared_segment.h has it; negative if there is none."""
    key = 0x4D757374 ^ (os.geteuid() * 0x9E3779B1 & 0xFFFFFFFF)
    return int(C.shmget(ctypes.c_int(key), ctypes.c_size_t(PAGE_BYTES), 0))


# muster-test: alone all processes of a user that take turns share one page
class Turns(FaultTest):
    def setUp(self) -> None:
        super().setUp()
        if not self.preloaded:
            self.skipTest("about Muster only")
        self.members = [self.start_member() for _ in range(2)]
        self.addCleanup(self.end_members)

    def start_member(self) -> subprocess.Popen[str]:
        return start_preloaded([program("turning"), "1000000000000"], TURNS)

    def end_members(self) -> None:
        for member in self.members:
            member.kill()
            member.communicate()

    def sleeps_beside(self, disturb: Callable[[random.Random], None], least: int = 0) -> int:
        """Runs checked programs while disturb() is called over and over; the times that they slept for a turn.

        For SECONDS, and longer until they are `least`.
        """
        over = threading.Event()
        failed: list[BaseException] = []

        def disturb_all_the_time() -> None:
            source = random.Random(1)
            try:
                while not over.is_set():
                    disturb(source)
            except BaseException as error:  # noqa: BLE001: shown by the test
                failed.append(error)

        thread = threading.Thread(target=disturb_all_the_time)
        thread.start()
        sleeps = runs = 0
        try:
            stock = run([program("turning"), "200"], base_environment({"OMP_NUM_THREADS": TURNS["OMP_NUM_THREADS"]}))
            begin = time.monotonic()
            while time.monotonic() < begin + (SECONDS if sleeps >= least else MOST_SECONDS) or runs == 0:
                ours = run(
                    [program("turning"), "30000"],
                    preloaded_environment(TURNS | {"MUSTER_REPORT": str(self.report_path)}),
                )
                self.assertEqual((ours.status, ours.stdout), (0, stock.stdout.replace("200 ", "30000 ")), ours.stderr)
                sleeps += self.assert_replaced(1000)["waiting"]["turn_sleeps"]
                self.report_path.unlink()
                runs += 1
        finally:
            over.set()
            thread.join()
        self.assertEqual(failed, [])
        return sleeps

    def test_they_take_turns(self) -> None:
        self.assertGreater(self.sleeps_beside(lambda _: time.sleep(0.01), least=1), 0)

    def test_members_that_end_or_stop_at_any_moment(self) -> None:
        def disturb(source: random.Random) -> None:
            chosen = source.randrange(len(self.members))
            time.sleep(source.uniform(0, 0.05))
            if source.random() < 0.5:
                self.members[chosen].kill()
                self.members[chosen].communicate()
                self.members[chosen] = self.start_member()
                return
            self.members[chosen].send_signal(signal.SIGSTOP)
            time.sleep(source.uniform(0, 0.1))
            self.members[chosen].send_signal(signal.SIGCONT)

        self.sleeps_beside(disturb)

    def test_random_bytes_in_the_page(self) -> None:
        deadline = time.monotonic() + MOST_SECONDS
        while (page := find_page()) < 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertGreaterEqual(page, 0, "two members made no page")
        place = C.shmat(page, None, 0)
        self.addCleanup(C.shmdt, ctypes.c_void_p(place))

        def disturb(source: random.Random) -> None:
            time.sleep(0.0005)
            for _ in range(20):
                at = source.randrange(64, 64 + 4 * 192 if source.random() < 0.5 else PAGE_BYTES) // 8 * 8
                near = time.monotonic_ns() + source.randrange(20_000_000)
                value = source.choice([0, near, near, source.randrange(8), source.getrandbits(64)])
                ctypes.c_uint64.from_address(place + at).value = value

        self.sleeps_beside(disturb)

    def test_the_child_of_a_fork(self) -> None:
        self.compare([program("forking"), "inside"], TURNS, processes=1)

    def test_off(self) -> None:
        ours = run([program("turning"), "20000"], preloaded_environment({"MUSTER_REPORT": str(self.report_path)}))
        self.assertEqual(ours.status, 0, ours.stderr)
        self.assertEqual(self.assert_replaced(1000)["waiting"]["turn_sleeps"], 0)
