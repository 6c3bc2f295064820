// A small CFS, the "completely fair scheduler" of Linux 2.6.32 (kernel/sched_fair.c), under which Peter et al.
// measured: a queue for each processor, ordered by virtual runtime. Facts are the kernel's, no code is.
//
// - A thread's virtual runtime grows with what it runs, slower for a heavier one; the least runs. A queue's floor is
//   the least of those that are there, and never falls.
// - A thread that wakes up gets at most the sleeper credit below the floor, half a latency (GENTLE_FAIR_SLEEPERS); a
//   new one a slice above it (START_DEBIT).
// - It preempts whose virtual runtime is greater by more than the wake-up granularity, in its own virtual time.
// - At a tick a thread gives way that has run its slice, its share by weight of the latency; or, after the least
//   granularity, that is a slice ahead of the first in the queue. A yield does nothing (sched_compat_yield = 0).
// - Ticks come half a tick later on the last processor than on the first (tick_setup_sched_timer() before 2.6.36).
// - A new thread is given the processor with the fewest threads of its job, of these the one with the fewest threads,
//   as if each job had been started alone. It stays there: 2.6.32 moves a woken one to its waker's if that is less
//   loaded, but does not search for an idle one. `wake_to_idle` does.
//
// Left out: balancing, adaptive granularity and buddies, control groups.
#pragma once

#include <vector>

#include "sim/smp/scheduler.h"

namespace muster::smp {

struct CfsRules {
  Time tick = 4'000'000;  // CONFIG_HZ=250
  // 5, 1 and 1 ms, times 1 + log2 of the processors: sched_init_granularity(). 0: so.
  Time latency = 0;
  Time least_granularity = 0;
  Time wake_up_granularity = 0;
  bool sleeper_credit = true;
  bool wake_to_idle = false;
};

class Cfs : public Scheduler {
 public:
  explicit Cfs(const CfsRules& rules) : rules_(rules) {}

  void start(Machine& machine) override;
  void add(std::span<Task* const> tasks) override;
  void wake(std::span<Task* const> tasks, unsigned processor) override;
  Task* choose(unsigned processor, Task* previous, Left left) override;
  void begins(unsigned processor) override;
  bool timer(unsigned processor) override;

 private:
  struct Entity;
  struct Queue {
    std::vector<Entity*> waiting;  // by virtual runtime; of equal ones, who came first
    Entity* current = nullptr;
    Time floor = 0;
    std::int64_t weight = 0;  // of all of them

    unsigned threads() const {
      return static_cast<unsigned>(waiting.size()) + (current != nullptr ? 1 : 0);
    }
  };
  static Entity& entity(const Task& task);

  unsigned place_new(const Task& task) const;
  unsigned place_woken(const Entity& one) const;
  Time slice(const Queue& queue, const Entity& one, unsigned more = 0) const;
  void raise_floor(Queue& queue) const;
  void insert(Queue& queue, Entity& one) const;
  void join(Entity& one, Time runtime);

  CfsRules rules_;
  Machine* machine_ = nullptr;
  std::vector<Queue> queues_;
};

}  // namespace muster::smp
