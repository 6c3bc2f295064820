"""Operations of the headers that GenMC must find to be needed, each with a program that shows it."""

from __future__ import annotations

from genmc import Case, Change

SLEEP = "waiting/sleep_word.h"
TREE = "barriers/tree.h"
ROUNDS = "barriers/dissemination.h"
OFF = "waiting/call_off.h"
STATE = "barriers/barrier_state.h"

SLEEPERS = Case("sleep_word", "Tree", "Block", 2, 1)
MORE_SLEEPERS = Case("sleep_word", "Tree", "Block", 3, 2)
BARRIERS = Case("barriers", "Tree", "Spin", 2, 1)
OF_ROUNDS = Case("barriers", "Dissemination", "Spin", 2, 1)
BLOCKING = Case("barriers", "Tree", "Block", 2, 1)
FOLD = Case("fold", "Tree", "Spin", 2, 1)
CALLED_OFF = Case("barriers", "Tree", "Spin", 2, 1, 1, 0)
ASLEEP_AND_CALLED_OFF = Case("barriers", "Tree", "Block", 3, 1, 1, 2)


def relaxed(file: str, text: str, case: Case) -> tuple[Change, Case]:
    for order in ("acquire", "release"):
        if f"memory_order_{order}" in text:
            return (file, text, text.replace(f"memory_order_{order}", "memory_order_relaxed")), case
    raise ValueError(text)


# On x86-TSO loads are acquires and stores releases: there, only those of the second list can be found.
ORDERS = [
    relaxed(SLEEP, "sequence_.load(std::memory_order_acquire)", MORE_SLEEPERS),
    relaxed(SLEEP, "sequence_.fetch_add(1, std::memory_order_release)", MORE_SLEEPERS),
    relaxed(TREE, "arrived_[me].store(episode, std::memory_order_release)", BARRIERS),
    relaxed(TREE, "its.load(std::memory_order_acquire)", FOLD),
    relaxed(TREE, "sensor_[child].store(episode, std::memory_order_release)", BARRIERS),
    relaxed(TREE, "mine.load(std::memory_order_acquire)", BARRIERS),
    relaxed(ROUNDS, "store(episode, std::memory_order_release)", OF_ROUNDS),
    relaxed(ROUNDS, "mine.load(std::memory_order_acquire)", OF_ROUNDS),
    relaxed(STATE, "announced->load(std::memory_order_acquire)", FOLD),
    relaxed(OFF, "once_.store(episode, std::memory_order_release)", CALLED_OFF),
    relaxed(OFF, "once_.load(std::memory_order_acquire)", CALLED_OFF),
]

_SLEEPERS_FENCE = """      if (full_fences) {
        Memory::full_fence();
      } else {
        fenced = Memory::heavy_fence();
      }
"""
_WAKERS_FENCE = """    if (full_fences) {
      Memory::full_fence();
    } else {
      Memory::light_fence();
    }
"""
_LOOK = "      if (done()) return;\n      stats.blocks.add();\n"
FENCES_AND_WAKES: list[tuple[Change, Case]] = [
    ((SLEEP, _SLEEPERS_FENCE, ""), SLEEPERS),
    ((SLEEP, _WAKERS_FENCE, ""), SLEEPERS),
    ((SLEEP, "    Memory::wake_all(sequence_);\n", ""), SLEEPERS),
    ((SLEEP, _LOOK, "      stats.blocks.add();\n"), SLEEPERS),
    ((SLEEP, "    sequence_.fetch_add(1, std::memory_order_release);\n", ""), SLEEPERS),
    ((TREE, "      waiter.wake(sleep_[parent]);\n", ""), BLOCKING),
    ((STATE, "    self.barrier.wake_everyone(stats);\n", ""), ASLEEP_AND_CALLED_OFF),
    (
        (OFF, "once_.load(std::memory_order_acquire) == episode", "once_.load(std::memory_order_acquire) != kNone"),
        Case("barriers", "Tree", "Spin", 2, 2, 2, 0),
    ),
]
