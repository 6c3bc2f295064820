// Reductions over arrays and array sections, large enough to take every method of the runtime.
#include "check.h"

enum { kBins = 64, kItems = 1000 };
static long histogram[kBins];

int main(void) {
  long long checksum = 0;
  long* part = calloc(kBins, sizeof *part);
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    late(round);
#pragma omp for reduction(+ : histogram)
    for (int i = 0; i < kItems; ++i) histogram[i % kBins] += i;
    for (int bin = 0; bin < kBins; ++bin) {
      long expected = 0;
      for (int i = bin; i < kItems; i += kBins) expected += i;
      expect(histogram[bin] == expected * (round + 1));
    }
#pragma omp barrier
    late(round);
#pragma omp for reduction(+ : part[8 : 16]) schedule(dynamic, 10)
    for (int i = 0; i < kItems; ++i) part[8 + i % 16] += 1;
    long total = 0;
    for (int bin = 0; bin < kBins; ++bin) total += part[bin];
    expect(total == (round + 1L) * kItems);
#pragma omp barrier
  }
#pragma omp parallel reduction(+ : histogram)
  {
#pragma omp barrier
    histogram[omp_get_thread_num() % kBins] += 1;
  }
  for (int bin = 0; bin < kBins; ++bin) checksum += histogram[bin] + part[bin];
  free(part);
  return verdict("reduction_array", checksum);
}
