// See measure.h.
#include "epcc/measure.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace epcc {
namespace {

double run_us(Body body, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  body(work);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

// Doubles the repetitions until a run takes the test time. Two runs must: one alone may have been
// long only because the thread lost its CPU, and too few repetitions would spoil all that follows.
long enough_repetitions(Body body, Work work, double test_time_us) {
  constexpr long kFirst = 10;
  work.repetitions = kFirst;
  while (std::min(run_us(body, work), run_us(body, work)) < test_time_us) work.repetitions *= 2;
  return work.repetitions;
}

}  // namespace

Timing measure(Body body, const Settings& settings) {
  Work work{.repetitions = 0, .delay = settings.delay_iterations, .threads = settings.threads};
  work.repetitions = enough_repetitions(body, work, settings.test_time_us);

  run_us(body, work);  // discarded: caches and branch predictors settle
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(settings.outer_repetitions));
  for (int outer = 0; outer < settings.outer_repetitions; ++outer) {
    times.push_back(run_us(body, work) / static_cast<double>(work.repetitions));
  }
  return {.inner_repetitions = work.repetitions, .time_us = summarize(times)};
}

}  // namespace epcc
