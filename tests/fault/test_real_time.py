"""A team under a real-time policy: no spin and no yield may be what its progress rests on."""

from __future__ import annotations

import os

from harness import FaultTest, on_libgomp, program


def may_run_in_real_time() -> bool:
    policy, parameters = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return False
    os.sched_setscheduler(0, policy, parameters)
    return True


class RealTime(FaultTest):
    """On libgomp: libomp itself hangs."""

    def test_primary_above_the_others(self) -> None:
        if not may_run_in_real_time():
            self.skipTest("no real-time policy may be set")
        for settings in (
            {},
            {"MUSTER_FORKJOIN": "on"},
            {"MUSTER_WAIT": "yield"},
            {"MUSTER_WAIT": "spin"},
        ):
            with self.subTest(settings=settings):
                extra = {"OMP_WAIT_POLICY": "passive", **on_libgomp(), **settings}
                self.compare([program("real_time", of_gcc=True), "150"], extra)
                self.assert_replaced(300)
