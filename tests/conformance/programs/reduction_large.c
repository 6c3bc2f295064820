// Arrays so large that combining two of them takes long: the tree's groups get smaller.
// muster-test: threads 11
// muster-test: replaced >= 200
#include "check.h"

enum { kLength = 20000 };

static long field[kLength];

int main(void) {
  long long checksum = 0;
  for (int threads = 5; threads <= 11; threads += 3) {
    for (int round = 1; round <= 6; ++round) {
      long small = 0;
      for (int i = 0; i < kLength; ++i) field[i] = 0;
#pragma omp parallel num_threads(threads)
      {
#pragma omp for reduction(+ : field)
        for (int i = 0; i < 3 * kLength; ++i) field[i % kLength] += i;
        expect(field[round] == 3L * round + 3L * kLength);
#pragma omp for reduction(+ : small)
        for (int i = 0; i < 50; ++i) small += i;
        expect(small == 49 * 25);
      }
      for (int i = 0; i < kLength; ++i) checksum += field[i];
    }
  }
  return verdict("reduction_large", checksum);
}
