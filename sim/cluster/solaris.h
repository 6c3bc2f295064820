// Solaris' time-sharing class, of one processor, for processes that only ever sleep and run in user
// mode (they hold no kernel resource, so they never have a kernel priority):
//
// - the ready process of the highest priority runs; one that becomes ready with a higher one than the process
//   that runs preempts it at once, and that one goes to the front of its queue and keeps its quantum;
// - at each tick of the clock, 10 ms, the one that runs loses a tick of its quantum. At its end it falls to
//   tqexp and goes to the end of that queue. One that runs below a ready one's priority goes, too;
// - once a second the dispwait of every process is incremented; it is set to zero whenever a quantum ends or a
//   priority is raised. A process with more than maxwait is raised: a ready one to lwait at the end of that
//   queue, one that runs to slpret, one that sleeps to slpret when it goes to sleep or wakes;
// - a process that wakes goes to the end of its queue, but to the front if it ran within the same tick.
//
// Rules: OpenSolaris' and illumos' uts/common/disp/ts.c (ts_tick, ts_update_list, ts_trapret, ts_wakeup,
// ts_sleep, ts_preempt) and disp.c (setbackdq, setfrontdq, swtch: t_disp_time); the table of
// dispatch_tables.h; ts_dptbl(4). Processes begin in the middle, at 29 (ts_enterclass).
#pragma once

#include <vector>

#include "sim/cluster/dispatch_tables.h"
#include "sim/cluster/local_scheduler.h"

namespace muster::cluster {

class Solaris : public LocalScheduler {
 public:
  // Once a second, when `update_tick` of its ticks have passed, priorities are updated.
  Solaris(const DispatchTable& table, unsigned update_tick, bool raise_every_sleep = false)
      : table_(table),
        update_tick_(update_tick % kTicksASecond),
        raise_every_sleep_(raise_every_sleep) {}

  void add(unsigned process) override;
  int pick() override;
  void requeue(unsigned process) override;
  void sleeps(unsigned process) override;
  void ends(unsigned process) override;
  bool wakes(unsigned process, int running) override;
  bool tick(int running) override;
  int priority(unsigned process) const override;

 private:
  enum class State { kReady, kRunning, kSleeping, kEnded };
  struct Thread {
    unsigned process;
    State state = State::kReady;
    int priority = (kPriorities - 1) / 2;
    int ticks_left = 0;
    int dispwait = 0;
    bool to_the_back = false;
    std::uint64_t left = ~std::uint64_t{0};  // the tick in which it last ran
  };

  const Level& level(const Thread& thread) const {
    return table_[static_cast<std::size_t>(thread.priority)];
  }
  Thread& find(unsigned process);
  void raise(Thread& thread, int priority);
  void raise_if_it_has_waited(Thread& thread);
  void enqueue(Thread& thread, bool at_the_back);
  void dequeue(const Thread& thread);
  bool is_outranked(const Thread& running) const;
  bool update(int running);

  const DispatchTable& table_;
  unsigned update_tick_;
  bool raise_every_sleep_;
  std::uint64_t ticks_ = 0;
  unsigned updates_ = 0;
  std::vector<Thread> threads_;
  std::vector<unsigned> queue_;  // places in threads_, the highest priority first
};

}  // namespace muster::cluster
