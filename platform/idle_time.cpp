#include "platform/idle_time.h"

#include <atomic>
#include <cerrno>

#include "platform/missing.h"

namespace muster {
namespace {

struct Adder {
  const AffinityMask& mask;
  unsigned except;
  SumOfTimes& sum;

  void operator()(const CpuTimes& times) const {
    if (times.cpu == except || !mask.has(times.cpu)) return;
    sum.idle_ns += times.idle_ns;
    sum.stolen_ns += times.stolen_ns;
    ++sum.cpus;
  }
};

constinit std::atomic<bool> g_in_use{false};

}  // namespace

SumOfTimes sum_of_times_in(const char* text, const AffinityMask& mask, unsigned except) {
  SumOfTimes sum;
  visit_cpu_times_in(text, Adder{mask, except, sum});
  return sum;
}

SumOfTimes sum_of_times(const AffinityMask& mask, unsigned except, Files how) {
  SumOfTimes sum;
  const long read = visit_cpu_times(how, kCpuTimesFile, Adder{mask, except, sum});
  if (sum.cpus == 0 && read != -EBUSY) {
    note_missing(Missing::kIdleTime, read < 0 ? static_cast<int>(-read) : 0);
  }
  return sum;
}

std::uint64_t idle_ns_elsewhere(unsigned except) {
  static AffinityMask mask;  // 128 bytes
  if (g_in_use.exchange(true, std::memory_order_acquire)) return kIdleTimeUnknown;
  const std::uint64_t idle_ns = mask.read() ? idle_ns_elsewhere(mask, except) : kIdleTimeUnknown;
  g_in_use.store(false, std::memory_order_release);
  return idle_ns;
}

void idle_time_after_fork_in_child() { g_in_use.store(false, std::memory_order_relaxed); }

void keep_idle_time() { keep_file(kCpuTimesFile); }

}  // namespace muster
