// Reductions in nested teams at the same time, in serialized regions inside regions, and after a
// nested region in the same one.
// muster-test: env OMP_MAX_ACTIVE_LEVELS=2
// muster-test: threads 12
// muster-test: replaced >= 300
#include "check.h"

static long inner(int threads, int round, int parallel) {
  long sum = 0;
  double halves = 0;
#pragma omp parallel num_threads(threads) if (parallel) reduction(+ : sum)
  {
    if (round % 4 == 0) late(round);
    sum += omp_get_thread_num() + round;
#pragma omp for reduction(+ : halves)
    for (int i = 0; i < 20; ++i) halves += 0.5;
    expect(halves == 10);
  }
  const long n = parallel ? threads : 1;
  expect(sum == n * (n - 1) / 2 + n * round);
  return sum;
}

int main(void) {
  long long checksum = 0;
  for (int outer = 2; outer <= 6; outer += 2) {
    long total = 0, twos = 0;
    int most = 0;
#pragma omp parallel num_threads(outer) reduction(+ : total)
    for (int round = 1; round <= 2 * kRounds; ++round) {
      total += inner(round % 2 == 0 ? 2 : 6 / outer * 2, round, round % 3 != 0);
#pragma omp for reduction(+ : twos) reduction(max : most)
      for (int i = 0; i < 30; ++i) {
        twos += 2;
        if (round > most) most = round;
      }
      expect(twos == 60L * round && most == round);
#pragma omp barrier
    }
    checksum += total + twos;
  }
  return verdict("reduction_nested", checksum);
}
