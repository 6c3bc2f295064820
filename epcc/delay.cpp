// See delay.h. In a file of its own so that no caller's optimiser sees into the loop.
#include "epcc/delay.h"

#include <time.h>

#include <algorithm>

namespace epcc {
namespace {

// The CPU time of this thread, in us: calibration on a busy machine must not count other people's
// turns.
double thread_cpu_us() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

double time_us(long iterations) {
  const double start = thread_cpu_us();
  delay(iterations);
  return thread_cpu_us() - start;
}

}  // namespace

[[gnu::noinline]] void delay(long iterations) {
  // Each multiplication waits for the one before, so their latency bounds the loop, and a busy SMT sibling does not
  // change that. A loop that only counts takes twice the time beside one, and a calibration at such a moment would
  // halve the work from then on. The empty asm claims to change x, so the loop can be neither skipped nor vectorised.
  unsigned long x = 1;
  for (long i = 0; i < iterations; ++i) {
    x = x * 0x9E3779B97F4A7C15UL + 1;
    asm volatile("" : "+r"(x));
  }
}

double delay_iterations_per_us() {
  constexpr double kLongEnoughUs = 500;  // against the cost of reading the clock
  constexpr int kTrials = 8;             // the first ones bring the CPU up to speed

  long iterations = 1000;
  while (time_us(iterations) < kLongEnoughUs) iterations *= 2;
  double best = time_us(iterations);
  for (int trial = 1; trial < kTrials; ++trial) best = std::min(best, time_us(iterations));
  return static_cast<double>(iterations) / best;
}

}  // namespace epcc
