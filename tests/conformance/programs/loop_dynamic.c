// Worksharing loops with dynamic, guided, runtime and auto schedules.
// muster-test: env OMP_SCHEDULE=dynamic,5
// muster-test: replaced >= 64
#include "check.h"

enum { kItems = 127 };
static long item[kItems];

static void put(int round, int i) {
  // One iteration is slow: the thread that runs it arrives late at the end of the loop.
  if (i == round % kItems) nap(kLateMicroseconds);
  item[i] = mark(round, i);
}

static void verify(int round) {
  for (int i = 0; i < kItems; ++i) expect(item[i] == mark(round, i));
}

int main(void) {
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp for schedule(dynamic)  // MUTANT: nowait
    for (int i = 0; i < kItems; ++i) put(round, i);
    verify(round);
#pragma omp barrier
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < kItems; ++i) put(round + 100, i);
    verify(round + 100);
#pragma omp barrier
#pragma omp for schedule(guided)  // MUTANT: nowait
    for (int i = 0; i < kItems; ++i) put(round + 200, i);
    verify(round + 200);
#pragma omp barrier
#pragma omp for schedule(guided, 4)
    for (int i = 0; i < kItems; ++i) put(round + 300, i);
    verify(round + 300);
#pragma omp barrier
#pragma omp for schedule(runtime)
    for (int i = 0; i < kItems; ++i) put(round + 400, i);
    verify(round + 400);
#pragma omp barrier
#pragma omp for schedule(auto)
    for (int i = 0; i < kItems; ++i) put(round + 500, i);
    verify(round + 500);
#pragma omp barrier
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < kItems; ++i) put(round + 600, i);
    verify(round + 600);
#pragma omp barrier
#pragma omp for schedule(nonmonotonic : dynamic, 2)
    for (int i = 0; i < kItems; ++i) put(round + 700, i);
    verify(round + 700);
#pragma omp barrier
  }
  long long checksum = 0;
  for (int i = 0; i < kItems; ++i) checksum += item[i];
  return verdict("loop_dynamic", checksum);
}
