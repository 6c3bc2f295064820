// The scheduler of Linux 6.18 for ordinary threads: EEVDF on a queue for each processor (eevdf_queue.h),
// and what spreads threads over the queues: where a thread that wakes up goes (eevdf_wake_up.cpp), and
// balancing, by processors that run out of threads and at ticks (eevdf_balance.cpp). Times are ns. Facts are from
// kernel/sched/fair.c of 6.12 to 6.18 and from the discussions of its patches; no code is theirs.
//
// - Slices end at ticks, which come at the same time on all processors; one that comes during a switch is taken when
//   the switch is over. A wake-up preempts if the woken thread is the best. A running thread is protected until its
//   deadline, or for the shortest slice of the queue, except from threads with a shorter slice.
// - A thread that blocks while it is ahead of V stays in the queue, delayed, until it is found eligible; woken before,
//   it continues on the same processor.
// - A processor looks at its domains every 16 x (processors of the level) ms, an idle one 16 times as often (a busy one
//   looks on its behalf). Threads that ran within migration_cost are left at first; after more than three failures the
//   running thread is moved. A processor in a switch keeps the others waiting until the switch is over.
//
// Left out: control groups and autogroups; NUMA levels, SMT and processors of unlike speed; bandwidth limits; real-time
// classes; the load of a delayed thread (it is not moved); fixed-point rounding; ticks that are late. Utilization does
// not follow a thread that moves; its load does. New threads come all at once, so they are spread over the caches, and
// their processors choose at once. The scheduler's own work takes no time except newidle_cost.
#pragma once

#include <memory>
#include <vector>

#include "sim/smp/eevdf_queue.h"
#include "sim/smp/processor_set.h"
#include "sim/smp/scheduler.h"
#include "waiting/random.h"

namespace muster::smp {

class Eevdf : public Scheduler {
 public:
  explicit Eevdf(const EevdfRules& rules) : rules_(rules), dice_(1) {}

  void start(Machine& machine) override;
  void add(std::span<Task* const> tasks) override;
  void wake(std::span<Task* const> tasks, unsigned processor) override;
  Task* choose(unsigned processor, Task* previous, Left left) override;
  void released(Task& task) override;
  void begins(unsigned processor) override;
  bool timer(unsigned processor) override;

  static Fair& fair(const Task& task) { return static_cast<Fair&>(*task.queued); }
  const EevdfQueue& queue(unsigned processor) const { return processors_[processor].queue; }
  Time base_slice() const { return base_slice_; }
  std::uint64_t migrations() const { return migrations_; }
  std::uint64_t active_balances() const { return active_balances_; }

 private:
  // A balancing domain as one processor sees it. There are two levels: those that share a cache, and all.
  struct Domain {
    Time balanced = 0;
    Time interval = 0;
    unsigned failed = 0;  // times in a row
    unsigned newidle_calls = 512;
    unsigned newidle_successes = 256;
    unsigned newidle_ratio = 512;  // of 1024
  };
  struct Own {
    EevdfQueue queue;
    Decaying load;         // weights of its queue
    Decaying pressure;     // 1024 x those that could run
    Decaying utilization;  // 1024 x running
    unsigned counted = 0;  // runnable ones, in the sums of its cache
    Time idle_since = kNever;
    Time average_idle = 0;
    Time next_balance = 0;
    Time next_tick = kNever;  // an idle one has none
    unsigned push_to =
        kNoProcessor;  // another has asked for one of its threads, even the one that runs
    Domain domains[2];
  };
  struct Cache {
    unsigned runnable = 0;
    unsigned scan = 0;  // how many processors a wake-up looks at for an idle one
    Time sampled = -1;
    double load = 0;
    double pressure = 0;
    double utilization = 0;
  };
  enum class Balance : std::uint8_t { kBusy, kIdle, kNewlyIdle };
  enum class Move : std::uint8_t { kTasks, kLoad, kUtilization };
  struct Group;
  struct Imbalance;

  Time now() const;
  unsigned count() const { return static_cast<unsigned>(processors_.size()); }
  unsigned cache_of(unsigned processor) const { return processor / rules_.llc; }
  bool share_cache(unsigned a, unsigned b) const { return cache_of(a) == cache_of(b); }
  static bool may_use(const Fair& one, unsigned processor) {
    return one.task->pinned == kNoProcessor || one.task->pinned == processor;
  }

  bool charge(unsigned processor);
  void changed(unsigned processor);
  void attach(Fair& one, unsigned processor, bool is_new);
  void check_preemption(Fair& one, unsigned processor, unsigned by, bool slice_over);
  void reschedule(unsigned processor, unsigned by);
  void enqueue(Fair& one, unsigned processor, bool is_new, unsigned by);
  void push(unsigned processor);

  // eevdf_wake_up.cpp
  unsigned place_new(const Fair& one) const;
  unsigned place_woken(Fair& one, unsigned by, Fair* waker);
  bool is_wide(Fair& waker, const Fair& one) const;
  unsigned affine(const Fair& one, unsigned by, unsigned before) const;
  unsigned idle_sibling(Fair& one, unsigned before, unsigned target) const;

  // eevdf_balance.cpp
  unsigned levels() const { return count() > rules_.llc ? 2 : 1; }
  unsigned span(unsigned processor, unsigned level) const;
  bool pull(unsigned processor);
  void arm_tick(unsigned processor);
  void balance_at_tick(unsigned processor);
  void balance_idle_ones(unsigned from);
  Time next_time(const Domain& domain, Balance why) const;
  void balance_domains(unsigned processor, Balance why);
  bool balance(unsigned processor, unsigned level, Balance why);
  bool is_in_charge(unsigned processor, unsigned level, Balance why) const;
  Imbalance find_imbalance(unsigned processor, unsigned level, Balance why);
  Group group(unsigned begin, unsigned end, unsigned level);
  unsigned busiest_of(const Imbalance& found) const;
  unsigned move(unsigned from, unsigned to, Balance why, const Domain& domain, Imbalance what);
  bool may_move(const Fair& one, unsigned to, const Domain& domain) const;

  EevdfRules rules_;
  Time base_slice_ = 0;
  Machine* machine_ = nullptr;
  std::vector<Own> processors_;
  std::vector<Cache> caches_;
  ProcessorSet idle_;
  unsigned overloaded_ = 0;  // processors with more than one that could run
  Time next_idle_balance_ = 0;
  std::uint64_t order_ = 0;
  MixedNumbers dice_;
  std::uint64_t migrations_ = 0;
  std::uint64_t active_balances_ = 0;
};

}  // namespace muster::smp
