// Reductions with tasks pending: those of the blocking ones are finished when they are over, and
// with them whatever they create. Small teams (atomics) and large ones (the tree).
// muster-test: threads 7
// muster-test: replaced >= 100
// muster-test: reason tasks
#include "check.h"

enum { kItems = 50, kReductions = 40 };

static long done;

static void create(int depth) {
#pragma omp task
  {
    if (depth == 0) nap(20);
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    if (depth < 2) create(depth + 1);
  }
}

static long team_of(int threads) {
  long sum = 0, other = 0, total = 0;
  double halves = 0;
  done = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
  for (int round = 1; round <= kReductions; ++round) {
    const int me = omp_get_thread_num();
    late(round);
    if (me == round % threads && round % 4 != 0) create(0);
    if (round % 8 == 7) create(0);
#pragma omp for reduction(+ : sum) reduction(max : halves)
    for (int i = 1; i <= kItems; ++i) {
      sum += i;
      if (i * 0.5 > halves) halves = i * 0.5;
    }
    expect(sum == round * (kItems * (kItems + 1L) / 2) && halves == kItems * 0.5);
    const int some = round - round / 4 - (round + 1) / 8 + (round + 1) / 8 * (threads + 1);
    expect(__atomic_load_n(&done, __ATOMIC_RELAXED) == 3L * some);
#pragma omp barrier
    if (me == 0 && round % 3 == 0) {
#pragma omp task
      nap(20);
    }
#pragma omp for reduction(+ : other) nowait
    for (int i = 1; i <= kItems; ++i) other += i;
#pragma omp barrier
    expect(other == round * (kItems * (kItems + 1L) / 2));
    total += round;
#pragma omp barrier
  }
  return total + sum + other + done;
}

int main(void) {
  long long checksum = 0;
  for (int threads = 2; threads <= 7; ++threads) checksum += team_of(threads);
  return verdict("reduction_tasks", checksum);
}
