// Inclusive and exclusive scans: the compiler puts barriers of its own between the two passes.
// muster-test: skip gcc-O2: the GOMP layer of libomp knows no scans
#include "check.h"

enum { kItems = 300 };
static long in[kItems], out[kItems];

int main(void) {
  long long checksum = 0;
  for (int i = 0; i < kItems; ++i) in[i] = i * 7 % 13;
  for (int round = 0; round < kRounds; ++round) {
    long sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < kItems; ++i) {
      sum += in[i];
#pragma omp scan inclusive(sum)
      out[i] = sum;
    }
    long running = 0;
    for (int i = 0; i < kItems; ++i) expect(out[i] == (running += in[i]));
    sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < kItems; ++i) {
      out[i] = sum;
#pragma omp scan exclusive(sum)
      sum += in[i];
    }
    running = 0;
    for (int i = 0; i < kItems; ++i) {
      expect(out[i] == running);
      running += in[i];
    }
    checksum += running;
  }
  return verdict("scan", checksum);
}
