// The queue of one processor under EEVDF, "earliest eligible virtual deadline first" (Stoica and
// Abdel-Wahab, 1995), as Linux 6.18 has it (kernel/sched/fair.c).
//
// A thread's virtual runtime grows with what it runs, slower for a heavier one. V is the average of all,
// by weight; who is at or behind V is eligible. The deadline is the virtual runtime at which the slice will
// be used up. The eligible thread with the earliest deadline runs. How far a thread was behind V when it
// left is its lag; it comes back with that (place).
//
// Cost: a sorted array. Queues are short: all operations are linear in the length, with a small constant.
#pragma once

#include <vector>

#include "sim/smp/decaying.h"
#include "sim/smp/task.h"

namespace muster::smp {

struct EevdfRules {
  Time tick = 4'000'000;          // CONFIG_HZ=250
  Time base_slice = 0;            // 0: 0.7 ms x (1 + log2 of the processors, of 8 at most)
  Time migration_cost = 500'000;  // who ran so recently is cache-hot
  unsigned llc = 16;              // processors that share a last-level cache
  Time idle_exit = 0;             // what it takes an idle processor to notice, above the interrupt
  Time newidle_cost = 200;        // of looking at one processor for a thread to pull
  bool run_to_parity = true;
  bool preempt_short = true;
  bool delay_dequeue = true;
  bool place_lag = true;
  bool proportional_newidle = true;  // pulls are tried as often as they used to succeed
};

// A thread in a queue.
struct Fair : Task::Queued {
  explicit Fair(Task& of) : task(&of) {}

  Task* const task;
  std::int64_t weight = 1024;
  Time runtime = 0;   // virtual
  Time deadline = 0;  // virtual; of its place, where `deadline_is_relative`
  Time lag = 0;       // virtual, when it left
  Time slice = 0;
  Time protected_to = 0;  // virtual: not preempted before by whose slice is not shorter
  Time charged = 0;       // of Task::ran
  bool queued = false;
  bool delayed = false;  // blocked, but has to be eligible before it may leave
  bool deadline_is_relative = false;
  unsigned home = kNoProcessor;  // whose queue it is in, or was in last
  std::uint64_t touched = 0;     // order of joining the queue and of running
  Time last_ran = 0;             // when it was seen running last
  Decaying load;                 // weight x share of the time that it could run
  Decaying utilization;          // 1024 x share of the time that it ran
  unsigned flips = 0;            // whom it wakes changes how often
  Time flips_halved = 0;
  const Task* last_woken = nullptr;
  unsigned used_before = kNoProcessor;  // the processor before the last
  unsigned moves_to = kNoProcessor;     // once it is off its processor
  unsigned moved_by = kNoProcessor;
};

class EevdfQueue {
 public:
  void set_rules(const EevdfRules* rules, Time base_slice) {
    rules_ = rules;
    base_slice_ = base_slice;
  }

  // Queued ones, `current` and delayed ones included.
  unsigned size() const {
    return static_cast<unsigned>(waiting_.size()) + (current_ != nullptr ? 1 : 0);
  }
  unsigned runnable() const { return size() - delayed_; }
  Fair* current() const { return current_; }
  const std::vector<Fair*>& waiting() const { return waiting_; }
  std::int64_t weight() const;

  Time average() const;  // V
  bool is_eligible(const Fair& one) const;
  bool is_protected(const Fair& one) const { return one.protected_to > one.runtime; }

  // The current one has run. True: the processor is to choose anew.
  bool charge(Time ran);

  void join(Fair& one, bool is_new);
  void leave(Fair& one, bool sleeps);
  // The current one blocks. False: it stays, delayed.
  bool block();
  // A delayed one is woken before it left.
  void revive(Fair& one);
  void yield();

  // The best; null where the queue is empty. May be a delayed one, which then has to leave.
  Fair* pick(bool respect_protection) const;
  void leave_delayed(Fair& one);
  // From now on it runs; who ran before waits again.
  void run(Fair* one);
  // Whether the new `one` preempts the current.
  bool preempts(const Fair& one);

 private:
  struct Sums {
    std::int64_t keys;  // of weight x (runtime - base)
    std::int64_t weights;
  };
  Sums sums() const;
  Time virtual_of(Time real, const Fair& one) const { return real * 1024 / one.weight; }
  Time slice_of(const Fair& one) const;
  Time shortest_slice() const;
  void place(Fair& one, bool is_new);
  void note_lag(Fair& one) const;
  void protect(Fair& one) const;
  void insert(Fair& one);
  void erase(const Fair& one);
  void follow_average();

  const EevdfRules* rules_ = nullptr;
  Time base_slice_ = 0;
  Fair* current_ = nullptr;
  std::vector<Fair*> waiting_;  // by deadline
  unsigned delayed_ = 0;
  // Of those that wait, so that no sum is formed over them each time. Relative, so that nothing overflows.
  Time base_ = 0;
  std::int64_t keys_ = 0;
  std::int64_t weights_ = 0;
};

}  // namespace muster::smp
