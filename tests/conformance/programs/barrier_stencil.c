// A one-dimensional Jacobi iteration in integers: a thread let through early mixes two sweeps.
// muster-test: replaced >= 100
#include "check.h"

enum { kPoints = 2000, kSweeps = 60 };
static long grid[2][kPoints];

static long serial(void) {
  static long old[kPoints], next[kPoints];
  for (int i = 0; i < kPoints; ++i) old[i] = (i * 37L) % 1001 * 4096;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int i = 1; i + 1 < kPoints; ++i) next[i] = (old[i - 1] + old[i] + old[i + 1]) / 3;
    for (int i = 1; i + 1 < kPoints; ++i) old[i] = next[i];
  }
  long sum = 0;
  for (int i = 0; i < kPoints; ++i) sum = sum * 31 + old[i];
  return sum;
}

int main(void) {
  for (int i = 0; i < kPoints; ++i) grid[0][i] = grid[1][i] = (i * 37L) % 1001 * 4096;
#pragma omp parallel
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const long* old = grid[sweep & 1];
    long* next = grid[(sweep + 1) & 1];
    if (sweep < kRounds) late(sweep);
#pragma omp for schedule(static)  // MUTANT: nowait
    for (int i = 1; i < kPoints - 1; ++i) next[i] = (old[i - 1] + old[i] + old[i + 1]) / 3;
  }
  long sum = 0;
  for (int i = 0; i < kPoints; ++i) sum = sum * 31 + grid[kSweeps & 1][i];
  expect(sum == serial());
  return verdict("barrier_stencil", sum);
}
