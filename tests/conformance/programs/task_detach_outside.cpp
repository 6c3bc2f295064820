// Detached tasks fulfilled by a std::thread that belongs to no team.
// muster-test: reason task
// muster-test: fails-stock once in 1,300 runs: libomp hangs or lets the team through too early
// muster-test: skip gcc-O2: the GOMP layer of libomp knows no detached tasks
// muster-test: skip gnu-O2: libgomp 12 and 14 hang in each run
#include <atomic>
#include <thread>

#include "check.h"

static std::atomic<int> ready{0};
static omp_event_handle_t handle;
static long body, after;

static void fulfil_all() {
  for (int round = 1; round <= kRounds; ++round) {
    while (ready.load(std::memory_order_acquire) != round) nap(20);
    nap(kLateMicroseconds);
    after = mark(round, 5);
    omp_fulfill_event(handle);
  }
}

int main() {
  std::thread outside(fulfil_all);
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
#pragma omp single
    {
      omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(round)
      body = mark(round, 1);
      handle = event;
      ready.store(round, std::memory_order_release);
    }
    expect(body == mark(round, 1));
    expect(after == mark(round, 5));
#pragma omp barrier
    // An instance of its own with no task about.
#pragma omp barrier
  }
  outside.join();
  // A region without tasks.
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp single
    body = -round;
    expect(body == -round);
#pragma omp barrier
  }
  return verdict("task_detach_outside", body + after);
}
