// One thread's counting: what its events counted while it waited at barriers, and in the rest of its
// regions. Read where a region or a wait begins or ends; the difference to the last reading goes to the
// one or the other.
#pragma once

#include <atomic>
#include <cstdint>

#include "counters/events.h"
#include "counters/kernel_events.h"
#include "waiting/wait_meter.h"
#include "waiting/wait_stats.h"

namespace muster {

class ThreadCounters : private WaitMeter {
 public:
  explicit ThreadCounters(Events& events);

  // By the thread itself. A region is known by the address of something of it; regions inside it
  // belong to it. `outermost`: there is none around it, so one that never ended is over.
  void region_begins(const void* region, bool outermost);
  void region_ends(const void* region);

  // Its thread ends: another may go on with the sums.
  void thread_ends();

  // In the child of a fork: nothing of PAPI or the kernel is touched, but for the descriptor.
  void after_fork() { migrations_.close(); }

  // For a region or wait that the process ends in: counted up to here. By the thread itself.
  void now();

  WaitMeter* meter() { return this; }

  // By anybody at any time.
  std::uint64_t waiting(unsigned event) const { return waiting_[event].read(); }
  std::uint64_t rest(unsigned event) const { return rest_[event].read(); }
  ThreadCounters* next = nullptr;  // all ever made

 private:
  enum class Goes : std::uint8_t { kNowhere, kToWaiting, kOutsideWaits };

  bool start();
  void read(Goes goes);
  void missed(unsigned event);
  void take(unsigned event, std::uint64_t value, Goes goes);
  void wait_begins_here();
  void wait_ends_here();

  Events& events_;
  int sets_[kMostSets];
  bool started_ = false;
  bool refused_ = false;  // this thread cannot be counted
  bool busy_ = false;     // a signal handler, or something that PAPI calls, is back here
  bool waits_ = false;
  bool counted_[kMostEvents] = {};  // of this thread
  const void* region_ = nullptr;
  MigrationCounter migrations_;
  std::uint64_t last_[kMostEvents] = {};
  Tally waiting_[kMostEvents];
  Tally rest_[kMostEvents];
};

// Threads that were counted.
unsigned threads_counted();
void forget_threads_counted();

}  // namespace muster
