// Floating-point reductions whose result depends on the order of combining. Where the runtime's
// order is fixed, the checksum is the same, to the last bit, in every run and in all of them.
#pragma once

#include <stdint.h>
#include <string.h>

#include "check.h"

enum { kTerms = 500, kRepetitions = 6, kLargestTeam = 19 };

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Terms of very different sizes, so that each order rounds otherwise.
static double term(int i, int round) {
  const double size[] = {1e-9, 3.7, 1e7 / 3, 1e-3, 7e11 / 9};
  return size[(i * 7 + round) % 5] * (i % 2 == 0 ? 1 : -1) / (i + 1);
}

static uint64_t sums_of(int threads, int round) {
  double one = 0, product = 1;
  float narrow = 0;
  double bins[12] = {0};
#pragma omp parallel num_threads(threads) reduction(+ : narrow)
  {
    if (round % 8 == 0) late(round);
#pragma omp for schedule(static) reduction(+ : one) reduction(* : product)
    for (int i = 0; i < kTerms; ++i) {
      one += term(i, round);
      product *= 1 + 1.0 / (i + 3 + round);
    }
#pragma omp for schedule(static, 3) reduction(+ : bins) nowait
    for (int i = 0; i < kTerms; ++i) bins[i % 12] += term(i, round);
    narrow += (float)term(omp_get_thread_num(), round);
  }
  uint64_t mixed = bits_of(one) ^ bits_of(product) * 3 ^ bits_of(narrow) * 5;
  for (int i = 0; i < 12; ++i) mixed = mixed * 31 + bits_of(bins[i]);
  return mixed;
}

static uint64_t sums(int smallest_team) {
  uint64_t mixed = 0;
  for (int threads = smallest_team; threads <= kLargestTeam; threads += threads < 9 ? 1 : 5) {
    for (int round = 1; round <= kRepetitions; ++round) {
      const uint64_t first = sums_of(threads, round);
      expect(sums_of(threads, round) == first);
      mixed = mixed * 33 + first;
    }
  }
  return mixed;
}
