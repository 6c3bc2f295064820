#include "platform/idle_time.h"

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

void keep_idle_time() { keep_file(kCpuTimesFile); }

}  // namespace muster
