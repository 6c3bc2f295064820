// Reductions that take every method of the runtime: one to ten variables, by themselves and in
// arrays, with and without a barrier at the end, in teams of one to nine. Exact in any order.
#pragma once

#include "check.h"

enum { kItems = 40, kLargestTeam = 9, kReductions = 24 };

static long sum_to(long n) { return n * (n + 1) / 2; }

// With the barrier: the value is there for all when it is over.
static void reduce_with_barrier(int round, long* one, long* two, int* three, double* four) {
#pragma omp for reduction(+ : one[0])
  for (int i = 1; i <= kItems; ++i) *one += i * round;
  expect(*one == sum_to(kItems) * round);
#pragma omp barrier
#pragma omp for reduction(- : two[0 : 2]) reduction(max : three[0]) schedule(dynamic, 3)
  for (int i = 1; i <= kItems; ++i) {
    two[i % 2] -= i + round;
    if (i + round > *three) *three = i + round;
  }
  expect(labs(two[0]) + labs(two[1]) == sum_to(kItems) + kItems * round);
  expect(*three == kItems + round);
#pragma omp barrier
#pragma omp sections reduction(+ : one[0], four[0]) reduction(| : three[0])
  {
#pragma omp section
    *one += 1;
#pragma omp section
    *four += 0.5;
#pragma omp section
    *three |= 1 << 20;
  }
  expect(*one == sum_to(kItems) * round + 1 && *four == 0.5);
  expect(*three == (kItems + round | 1 << 20));
#pragma omp barrier
}

// Without: it is there after the next barrier.
static void reduce_nowait(int round, long* one, unsigned* many) {
#pragma omp for reduction(+ : one[0]) nowait
  for (int i = 1; i <= kItems; ++i) *one += i;
#pragma omp for reduction(^ : many[0 : 40]) nowait
  for (int i = 0; i < kItems; ++i) many[i] ^= 1u + (unsigned)(i * round);
#pragma omp barrier
  expect(*one == sum_to(kItems));
  for (int i = 0; i < 40; ++i) expect(many[i] == 1u + (unsigned)(i * round));
#pragma omp barrier
}

static long team_of(int threads) {
  long one = 0, total = 0;
  long pair[2];
  int most;
  double halves;
  unsigned many[40];
#pragma omp parallel num_threads(threads) reduction(+ : total)
  for (int round = 1; round <= kReductions; ++round) {
#pragma omp single
    {
      one = pair[0] = pair[1] = most = 0;
      halves = 0;
    }
    if (round % 16 == 0) late(round);
    reduce_with_barrier(round, &one, pair, &most, &halves);
#pragma omp single
    {
      one = 0;
      for (int i = 0; i < 40; ++i) many[i] = 0;
    }
    reduce_nowait(round, &one, many);
    total += round;
  }
  expect(total == threads * sum_to(kReductions));
  // Ten variables, joined with the region.
  long a = 0, b = 0, c = 0, d = 0, e = 1 << 20, f = 0;
  unsigned g = ~0u;
  int h = 1, i = 0;
  double j = 1;
#pragma omp parallel num_threads(threads) reduction(+ : a, b, c, d) reduction(min : e) \
    reduction(max : f) reduction(& : g) reduction(&& : h) reduction(|| : i) reduction(* : j)
  {
    const int me = omp_get_thread_num() + 1;
    a += me;
    b += 2 * me;
    c -= me;
    d += 1;
    e = me < e ? me : e;
    f = me > f ? me : f;
    g &= ~(1u << me);
    h = h && me > 0;
    i = i || me == threads;
    j *= 2;
  }
  expect(a == sum_to(threads) && b == 2 * a && c == -a && d == threads && e == 1 && f == threads);
  expect(g == ~((2u << threads) - 2) && h == 1 && i == 1 && j == (double)(1 << threads));
  return total + a;
}

static long all_teams(void) {
  long checksum = 0;
  for (int threads = 1; threads <= kLargestTeam; ++threads) checksum += team_of(threads);
  return checksum;
}
