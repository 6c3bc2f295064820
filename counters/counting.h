// Counting in this process: enabled once, then every thread counts for itself.
#pragma once

#include <atomic>
#include <cstdint>

#include "counters/events.h"
#include "counters/thread_counters.h"

namespace muster {

namespace detail {
inline constinit std::atomic<bool> g_counting{false};
}

// Whether threads count. One load of a line that is not written afterwards.
inline bool counting() { return detail::g_counting.load(std::memory_order_relaxed); }

// Determines which events of `setting` can be counted, and begins. To be called once, with none of Muster's locks held:
// it loads and calls libpapi. The result remains valid. `papi_path`: null for the usual names.
const Events& begin_counting(const char* setting, const char* papi_path);

// The calling thread's counters, made on first use; null if there is no memory.
ThreadCounters* new_thread_counters();

// What was counted, for the report.
struct EventTotals {
  const char* name = "";
  EventSource source = EventSource::kUnavailable;
  papi::Reason reason;  // why it is not available or incomplete
  bool multiplexed = false;
  bool counted = false;  // if not, there are no values
  std::uint64_t waiting = 0;
  std::uint64_t rest = 0;
};

struct CounterTotals {
  bool asked = false;  // if not, the other members have no meaning
  const char* setting = "";
  const char* library = nullptr;  // PAPI's version
  papi::Reason unavailable;       // why nothing was counted
  unsigned threads = 0;
  unsigned count = 0;
  EventTotals events[kMostEvents];
};

// The current state, including the calling thread's counts up to now. `mine` is the caller's counters, or null.
void collect(ThreadCounters* mine, CounterTotals& out);

// For the child of a fork, which is not counted: the event sets of its threads belong to the parent.
void counters_after_fork();

}  // namespace muster
