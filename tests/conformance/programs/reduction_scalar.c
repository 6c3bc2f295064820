// Scalar reductions on `for`, `sections` and `parallel`, each operator.
#include "check.h"

enum { kItems = 200 };

int main(void) {
  long sum = 0, difference = 0, most = -1, least = 1 << 30;
  unsigned bits_or = 0, bits_and = ~0u, bits_xor = 0;
  int all = 1, any = 0;
  long long product = 1, checksum = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    late(round);
#pragma omp for reduction(+ : sum) reduction(max : most) reduction(min : least)
    for (int i = 0; i < kItems; ++i) {
      sum += i;
      if (i > most) most = i;
      if (i < least) least = i;
    }
    expect(sum == (round + 1) * (kItems * (kItems - 1L) / 2));
    expect(most == kItems - 1 && least == 0);
#pragma omp barrier
    late(round);
#pragma omp for reduction(| : bits_or) reduction(& : bits_and) reduction(^ : bits_xor) \
    schedule(dynamic, 5)
    for (int i = 0; i < 31; ++i) {
      bits_or |= 1u << i;
      bits_and &= ~(1u << i);
      bits_xor ^= 1u << i;
    }
    expect(bits_or == 0x7fffffffu && bits_and == 0x80000000u);
    expect(bits_xor == (round % 2 == 0 ? 0x7fffffffu : 0u));
#pragma omp barrier
    late(round);
#pragma omp for reduction(&& : all) reduction(|| : any) reduction(- : difference)
    for (int i = 0; i < kItems; ++i) {
      all = all && i >= 0;
      any = any || i == 77;
      difference -= 1;
    }
    expect(all == 1 && any == 1);
    expect(labs(difference) == (round + 1L) * kItems);
#pragma omp barrier
    late(round);
#pragma omp sections reduction(* : product)
    {
#pragma omp section
      product *= 3;
#pragma omp section
      product *= 5;
#pragma omp section
      product *= 7;
    }
    expect(product % 105 == 0);
#pragma omp barrier
#pragma omp single
    product = 1;
  }
  for (int round = 0; round < kRounds; ++round) {
    long total = round;
#pragma omp parallel reduction(+ : total)
    {
      late(round);
      total += omp_get_thread_num() + 1;
#pragma omp barrier
    }
    long n = omp_get_max_threads();
    expect(total == round + n * (n + 1) / 2);
    checksum += total;
    double mean = 0;
#pragma omp parallel for reduction(+ : mean)
    for (int i = 0; i < kItems; ++i) mean += 0.5;  // exact in any order
    expect(mean == kItems * 0.5);
  }
  return verdict("reduction_scalar", checksum + sum + difference);
}
