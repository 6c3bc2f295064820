"""Faults in barriers, waiting, load and the hooks: each must make some test of the gate fail."""

from __future__ import annotations

import sys
from pathlib import Path

from fault import Fault

sys.path.append(str(Path(__file__).resolve().parents[1] / "chaos"))

from source_mutants import BESIDE, FAULTS as OF_CHAOS  # noqa: E402

RELEASE, ACQUIRE, RELAXED = (f"std::memory_order_{order}" for order in ("release", "acquire", "relaxed"))
SLEEP = "waiting/sleep_word.h"


def of_chaos() -> list[Fault]:
    """The same faults as muster_chaos_sources has, in force."""
    one_piece = [fault for fault in OF_CHAOS if fault.file not in BESIDE or "said" not in fault.wrong]
    return [Fault(fault.name, fault.file, fault.right, fault.wrong.replace("MUTANT", "true")) for fault in one_piece]


FAULTS = (
    *of_chaos(),
    Fault("tree: an arrival is not a release", "barriers/tree.h", f"arrived_[me].store(episode, {RELEASE})",
          f"arrived_[me].store(episode, {RELAXED})"),
    Fault("tree: a parent does not wait for its last child", "barriers/tree.h",
          "child = me + level.size; child < group_end(me, level); child += level.size) {\n        Word& its",
          "child = me + level.size; child + 1 < group_end(me, level); child += level.size) {\n        Word& its"),
    Fault("dist-sensor: an arrival is not acquired", "barriers/dist_counter_local_sensor.h",
          f"counter_[next].load({ACQUIRE}) >= episode", f"counter_[next].load({RELAXED}) >= episode"),
    Fault("dist-sensor: nobody releases for a sleeping primary", "barriers/dist_counter_local_sensor.h",
          "if (all_arrived(next, episode)) release_all(episode, waiter);", "(void)next;"),
    Fault("dist-sensor: the last sensor is not set", "barriers/dist_counter_local_sensor.h",
          "for (unsigned i = 0; i < team_; ++i) sensor_[i]", "for (unsigned i = 0; i + 1 < team_; ++i) sensor_[i]"),
    Fault("a sleeper is not looked for", SLEEP, "if (somebody_sleeps(full_fences)) [[unlikely]]",
          "if (false && somebody_sleeps(full_fences))"),
    Fault("the sequence number is not incremented", SLEEP, f"    sequence_.fetch_add(1, {RELEASE});\n", ""),
    Fault("a sleeper does not check once more", SLEEP, "      if (done()) return;\n      stats.blocks.add();",
          "      stats.blocks.add();"),
    Fault("competitors are not seen by decide()", "waiting/decide.h", "if (!now.competitor && !now.real_time",
          "if (!now.real_time"),
    Fault("a wait never ends its spin", "waiting/decide.h", "if (now.time_is_up) return Step::kBlock;\n", ""),
    Fault("the spin budget never shrinks", "waiting/spin_budget.h", "std::max(before / 2, tuning::kLeastSpinNs)",
          "before"),
    Fault("a trial that failed may lose as much again", "waiting/trial.h", "      ++failures_;\n", ""),
    Fault("a call-off is for all later instances", "waiting/waiter.h", "ended_by_ != kNoEpisode && ", ""),
)  # fmt: skip
