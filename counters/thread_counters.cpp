#include "counters/thread_counters.h"

#include <pthread.h>

#include <cerrno>
#include <cstring>

namespace muster {
namespace {

std::atomic<unsigned> g_threads{0};

// PAPI's functions may contain cancellation points and set errno, but the thread is at a barrier.
class Quietly {
 public:
  explicit Quietly(bool& busy) : busy_(busy), errno_(errno) {
    busy_ = true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
  }
  ~Quietly() {
    pthread_setcancelstate(cancel_, nullptr);
    busy_ = false;
    errno = errno_;
  }
  Quietly(const Quietly&) = delete;
  Quietly& operator=(const Quietly&) = delete;

 private:
  bool& busy_;
  const int errno_;
  int cancel_ = 0;
};

}  // namespace

unsigned threads_counted() { return g_threads.load(std::memory_order_relaxed); }
void forget_threads_counted() { g_threads.store(0, std::memory_order_relaxed); }

ThreadCounters::ThreadCounters(Events& events) : WaitMeter{}, events_(events) {
  wait_begins = [](WaitMeter& self, const WaitStats&) {
    static_cast<ThreadCounters&>(self).wait_begins_here();
  };
  wait_ends = [](WaitMeter& self, const WaitStats&) {
    static_cast<ThreadCounters&>(self).wait_ends_here();
  };
  for (int& set : sets_) set = papi::kNull;
}

void ThreadCounters::missed(unsigned event) {
  counted_[event] = false;
  events_.events[event].missed.fetch_add(1, std::memory_order_relaxed);
}

// The sums lack the events that this thread cannot count; the report lists the reason.
bool ThreadCounters::start() {
  bool any = false;
  for (unsigned i = 0; i < events_.count; ++i) {
    const Event& event = events_.events[i];
    counted_[i] = event.source != EventSource::kUnavailable && event.of_kernel != nullptr;
    if (!counted_[i]) continue;
    if (event.of_kernel->event == KernelEvent::kMigrations && migrations_.open() != 0) {
      missed(i);
    }
    any |= counted_[i];
  }
  if (events_.set_count > 0) events_.papi.call.PAPI_register_thread();
  for (unsigned s = 0; s < events_.set_count; ++s) {
    const EventSet& set = events_.sets[s];
    const bool runs = start_set(events_, set, sets_[s]) == papi::kOk;
    if (!runs) end_set(events_, sets_[s]);
    for (unsigned i = 0; i < set.count; ++i) {
      counted_[set.events[i]] = runs;
      if (!runs) missed(set.events[i]);
    }
    any |= runs;
  }
  if (any) g_threads.fetch_add(1, std::memory_order_relaxed);
  return any;
}

void ThreadCounters::take(unsigned event, std::uint64_t value, Goes goes) {
  // Wraps around if an estimate (multiplexing) has decreased; so do the sums.
  const std::uint64_t more = value - last_[event];
  if (goes == Goes::kToWaiting) waiting_[event].add(more);
  if (goes == Goes::kOutsideWaits) rest_[event].add(more);
  last_[event] = value;
}

void ThreadCounters::read(Goes goes) {
  KernelCounts kernel(migrations_);
  for (unsigned i = 0; i < events_.count; ++i) {
    if (!counted_[i] || events_.events[i].of_kernel == nullptr) continue;
    std::uint64_t value = 0;
    if (kernel.read(events_.events[i].of_kernel->event, value)) take(i, value, goes);
  }
  for (unsigned s = 0; s < events_.set_count; ++s) {
    if (sets_[s] == papi::kNull) continue;
    long long values[kMostEvents];
    const EventSet& set = events_.sets[s];
    if (events_.papi.call.PAPI_read(sets_[s], values) != papi::kOk) [[unlikely]] {
      end_set(events_, sets_[s]);  // it cannot recover: what it counted so far stays
      for (unsigned i = 0; i < set.count; ++i) missed(set.events[i]);
      continue;
    }
    for (unsigned i = 0; i < set.count; ++i) {
      take(set.events[i], static_cast<std::uint64_t>(values[i]), goes);
    }
  }
}

void ThreadCounters::region_begins(const void* region, bool outermost) {
  if (busy_ || refused_ || (region_ != nullptr && !outermost)) return;
  const Quietly quietly(busy_);
  if (!started_) {
    started_ = start();
    refused_ = !started_;
    if (refused_) return;
  }
  region_ = region;
  waits_ = false;
  read(Goes::kNowhere);
}

void ThreadCounters::region_ends(const void* region) {
  if (busy_ || region_ != region) return;
  const Quietly quietly(busy_);
  read(Goes::kOutsideWaits);
  region_ = nullptr;
}

void ThreadCounters::wait_begins_here() {
  if (busy_ || !started_) return;
  const Quietly quietly(busy_);
  read(region_ != nullptr ? Goes::kOutsideWaits : Goes::kNowhere);
  waits_ = true;
}

void ThreadCounters::wait_ends_here() {
  if (busy_ || !started_ || !waits_) return;
  const Quietly quietly(busy_);
  waits_ = false;
  read(Goes::kToWaiting);
}

void ThreadCounters::now() {
  if (busy_ || !started_) return;
  const Quietly quietly(busy_);
  if (waits_) {
    read(Goes::kToWaiting);
  } else if (region_ != nullptr) {
    read(Goes::kOutsideWaits);
  }
}

void ThreadCounters::thread_ends() {
  now();
  if (started_ && !busy_) {
    const Quietly quietly(busy_);
    for (int& set : sets_) end_set(events_, set);
    migrations_.close();
    if (events_.set_count > 0) events_.papi.call.PAPI_unregister_thread();
  }
  started_ = false;
  refused_ = false;
  busy_ = false;
  waits_ = false;
  region_ = nullptr;
}

}  // namespace muster
