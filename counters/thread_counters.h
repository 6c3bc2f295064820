// The counting of one thread: what its events counted while it waited at barriers, and in the rest of its regions. The
// events are read where a region or a wait begins or ends; the difference to the last reading is added to one of the
// two.
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

  // To be called by the thread itself. A region is identified by an address of something in it; nested regions belong
  // to it. `outermost`: no region encloses it, so one that never ended is over.
  void region_begins(const void* region, bool outermost);
  void region_ends(const void* region);

  // For the end of the thread: another may continue with the sums.
  void thread_ends();

  // For the child of a fork: closes the descriptor and calls nothing else of PAPI or the kernel.
  void after_fork() { migrations_.close(); }

  // For a region or wait in which the process ends: counts up to here. To be called by the thread itself.
  void now();

  WaitMeter* meter() { return this; }

  // Any thread may call these at any time.
  std::uint64_t waiting(unsigned event) const { return waiting_[event].read(); }
  std::uint64_t rest(unsigned event) const { return rest_[event].read(); }
  ThreadCounters* next = nullptr;  // of the list of all that were made

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
  bool busy_ = false;     // re-entered by a signal handler or by a function that PAPI calls
  bool waits_ = false;
  bool counted_[kMostEvents] = {};  // whether this thread counts the event
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
