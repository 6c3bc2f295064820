// The team of a run: the barriers of each size, and where the runtime keeps its threads.
#pragma once

#include "runtime-hooks/teams/team_instances.h"
#include "tests/chaos/chaos_registry.h"
#include "tests/chaos/plan.h"

namespace muster::chaos {

// A team of one size, as runtime-hooks/teams/team.h keeps a few of.
struct State {
  Arena arena;
  BarrierOps<ChaosMemory> ops{};
  void* barrier = nullptr;
  Member members[kMostThreads];

  bool make(const Plan& plan, unsigned size, bool wakes) {
    ops = *barrier_ops<ChaosMemory>(plan.barrier);
    Layout layout;
    layout.radix[0] = plan.radix;
    const WaitParameters wait{.wait = plan.wait,
                              .team_size = size,
                              .settings = {.slice_ns = plan.slice_ns, .place = plan.may_place},
                              .context_switch_ns = plan.switch_ns,
                              .wake_ns = plan.switch_ns,
                              .fixed_ns = plan.fixed_ns};
    if (!arena.reserve(ops.bytes(size, layout))) return false;
    barrier = ops.create(arena, size, layout, wait);
    if (!wakes) ops.wake_everyone = [](void*, WaitStats&) {};
    return barrier != nullptr;
  }
};

// A meeting point of the threads that the runtime keeps: they see all that was done before; nothing is tested.
class Meeting {
 public:
  void meet(test::SimulatedThreads& threads, WeakMemory& memory, unsigned size) {
    const std::uint64_t present = number_;
    if (++there_ == size) {
      memory.meet(size);
      there_ = 0;
      ++number_;
      threads.note_write();
      threads.wake(this);
      return;
    }
    while (number_ == present) threads.sleep(this, /*limited=*/false);
  }

 private:
  unsigned there_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace muster::chaos
