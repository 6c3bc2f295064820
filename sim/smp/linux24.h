// The scheduler of Linux 2.2 and 2.4 (Tsafrir and Feitelson, appendix A; kernel/sched.c of Linux 2.4.5):
// one queue, epochs, goodness.
//
// A thread's counter is what is left of its allocation of this epoch, in ticks. Each tick takes one from
// whoever runs, and within a switch from whom it leaves. Where nobody who could run has any left, a new epoch begins: everybody, blocked or running
// too, gets the default and keeps half the rest. The best of all that can run is chosen for a processor:
// the higher counter, except that a thread is worth PROC_CHANGE_PENALTY less where it did not run last, and
// SAME_ADDRESS_SPACE_BONUS more after a thread of the same job.
//
// Where it differs from the appendix's words: the kernel gives the penalty as a bonus to those who do not
// move. That is the same order, but for the exhausted, whose goodness is zero: with a penalty a thread with
// little left would come after them.
#pragma once

#include <list>
#include <vector>

#include "sim/smp/scheduler.h"

namespace muster::smp {

// How a processor is found for each of several threads that wake at once (section 4.3).
enum class WakeUp : std::uint8_t {
  kOriginal,  // for each in turn, as if it were the only one: several may find the same processor
  kAp,        // "assigned processors": one that has been found is passed over
  kGv,        // "global view": the best pairs of all threads and all processors
};

// Whom a tick is taken from.
enum class Accounting : std::uint8_t {
  kSampled,  // whoever runs when the clock ticks, as in the kernel: all processors' at the same times
  kExact,    // whoever has run for a tick since its last one
};

// Whom sampled ticks within a switch are taken from.
enum class Switching : std::uint8_t {
  kPrevious,  // whom it leaves: it is the kernel's `current` until schedule() is nearly done
  kNext,
  kNobody,
};

struct Linux24Rules {
  Time tick = 5;  // 20 are the quantum of 100 steps
  Accounting accounting = Accounting::kSampled;
  Switching switching = Switching::kPrevious;
  int default_ticks = 20;
  int proc_change_penalty = 15;
  int same_address_space_bonus = 1;
  int preemption_threshold = 1;
  WakeUp wake_up = WakeUp::kOriginal;
};

class Linux24 : public Scheduler {
 public:
  explicit Linux24(const Linux24Rules& rules) : rules_(rules) {}

  void start(Machine& machine) override;
  void add(std::span<Task* const> tasks) override;
  void wake(std::span<Task* const> tasks, unsigned processor) override;
  Task* choose(unsigned processor, Task* previous, Left left) override;
  void released(Task& task) override { reschedule_idle(task); }
  void begins(unsigned processor) override;
  void switches(unsigned processor) override;
  bool timer(unsigned processor) override;

  // In the end, or in between.
  static int counter(const Task& task);
  std::uint64_t epochs() const { return epochs_; }

 private:
  struct Entry;
  static Entry& entry(const Task& task);

  int goodness(const Task& task, unsigned processor, unsigned job) const;
  // What `task` is better than who runs on the processor.
  int advantage(const Task& task, unsigned processor) const;
  bool may_use(const Task& task, unsigned processor) const;
  bool is_taken(unsigned processor) const;
  void make_ready(Task& task);
  void reschedule_idle(Task& task);
  unsigned find_processor(const Task& task) const;
  void pair_all(std::span<Task* const> tasks);
  void begin_epoch();
  int left(const Entry& one) const;
  void pays(Task& task, unsigned processor, Time until);
  void settle(Entry& one) const;
  void await_end(unsigned processor, const Task& task);

  const Linux24Rules rules_;
  Machine* machine_ = nullptr;
  std::list<Task*> runnable_;       // also those that run, as in the kernel
  std::vector<unsigned> last_job_;  // by processor: whose address space it has
  std::uint64_t epochs_ = 0;
};

}  // namespace muster::smp
