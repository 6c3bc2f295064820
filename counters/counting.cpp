#include "counters/counting.h"

#include <cstring>
#include <new>

#include "platform/pages.h"
#include "platform/place_for.h"

namespace muster {
namespace {

const char* g_setting = nullptr;  // null: not requested
Events* g_events = nullptr;
bool g_forked = false;
std::atomic<ThreadCounters*> g_first{nullptr};

// Estimates that decreased by more than they increased are meaningless.
std::uint64_t not_negative(std::uint64_t sum) {
  return static_cast<std::int64_t>(sum) < 0 ? 0 : sum;
}

void collect_event(unsigned place, unsigned threads, EventTotals& out) {
  const Event& event = g_events->events[place];
  out.name = event.name;
  out.source = event.source;
  out.reason = event.reason;
  for (unsigned s = 0; s < g_events->set_count; ++s) {
    const EventSet& set = g_events->sets[s];
    for (unsigned i = 0; i < set.count; ++i) {
      if (set.events[i] == place) out.multiplexed = set.multiplexed;
    }
  }
  if (event.source == EventSource::kUnavailable) return;
  const unsigned missed = event.missed.load(std::memory_order_relaxed);
  if (missed > 0) out.reason.set("could not be counted, or not to the end, in %u threads", missed);
  out.counted = threads > 0;
  for (const ThreadCounters* thread = g_first.load(std::memory_order_acquire); thread != nullptr;
       thread = thread->next) {
    out.waiting += thread->waiting(place);
    out.rest += thread->rest(place);
  }
  out.waiting = not_negative(out.waiting);
  out.rest = not_negative(out.rest);
}

}  // namespace

const Events& begin_counting(const char* setting, const char* papi_path) {
  static PlaceFor<Events> place;
  Events& events = place.make();
  g_setting = setting;
  g_events = &events;
  parse_events(setting, events);
  prepare_events(events, papi_path, papi::Shared::kNo);
  detail::g_counting.store(events.available() > 0, std::memory_order_release);
  return events;
}

ThreadCounters* new_thread_counters() {
  std::atomic_thread_fence(
      std::memory_order_acquire);  // after counting(): sees the result of set-up
  void* pages = map_pages(sizeof(ThreadCounters));
  if (pages == nullptr) return nullptr;
  auto* counters = ::new (pages) ThreadCounters(*g_events);
  counters->next = g_first.load(std::memory_order_relaxed);
  while (!g_first.compare_exchange_weak(counters->next, counters, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  return counters;
}

void collect(ThreadCounters* mine, CounterTotals& out) {
  if (g_setting == nullptr) return;
  out.asked = true;
  out.setting = g_setting;
  if (g_events->papi.version[0] != '\0') out.library = g_events->papi.version;
  if (mine != nullptr && !g_forked) mine->now();
  out.threads = g_forked ? 0 : threads_counted();
  out.count = g_events->count;
  for (unsigned i = 0; i < out.count; ++i) collect_event(i, out.threads, out.events[i]);
  if (g_forked) {
    out.unavailable.set("the child of a fork is not counted");
  } else if (g_events->available() == 0) {
    const bool of_papi = g_events->wants_papi && !g_events->papi.usable;
    out.unavailable = of_papi ? g_events->papi.reason : papi::Reason{};
    if (!of_papi) out.unavailable.set("none of the events is available");
  } else if (out.threads == 0) {
    out.unavailable.set("no thread ran in a team of Muster's");
  }
}

void counters_after_fork() {
  if (g_setting == nullptr) return;
  g_forked = true;
  detail::g_counting.store(false, std::memory_order_relaxed);
  for (ThreadCounters* thread = g_first.load(std::memory_order_relaxed); thread != nullptr;
       thread = thread->next) {
    thread->after_fork();
  }
}

}  // namespace muster
