// Counting in this process: switched on once, then every thread counts for itself.
#pragma once

#include <atomic>
#include <cstdint>

#include "counters/events.h"
#include "counters/thread_counters.h"

namespace muster {

namespace detail {
inline constinit std::atomic<bool> g_counting{false};
}

// Whether threads are to count. One load of a line that nobody writes.
inline bool counting() { return detail::g_counting.load(std::memory_order_relaxed); }

// Decides what can be counted of `setting` and begins. Once, with none of Muster's locks held: it loads
// and calls libpapi. Returns what was decided; it stays. `papi_path`: null for the usual names.
const Events& begin_counting(const char* setting, const char* papi_path);

// The calling thread's, made on first use; null without memory.
ThreadCounters* new_thread_counters();

// What was counted, for the report.
struct EventTotals {
  const char* name = "";
  EventSource source = EventSource::kUnavailable;
  papi::Reason reason;  // why it is not available, or not complete
  bool multiplexed = false;
  bool counted = false;  // else there are no values
  std::uint64_t waiting = 0;
  std::uint64_t rest = 0;
};

struct CounterTotals {
  bool asked = false;  // else nothing else is meant
  const char* setting = "";
  const char* library = nullptr;  // PAPI's version
  papi::Reason unavailable;       // why nothing was counted
  unsigned threads = 0;
  unsigned count = 0;
  EventTotals events[kMostEvents];
};

// As it stands now, with the calling thread's counts up to here. `mine` is its own, or null.
void collect(ThreadCounters* mine, CounterTotals& out);

// In the child of a fork: it is not counted. Its threads' event sets are the parent's.
void counters_after_fork();

}  // namespace muster
