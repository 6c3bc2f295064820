// `target` without a device runs on the host, also as a task of its own that a barrier must finish.
// muster-test: skip gcc-O2: the GOMP layer of libomp has no GOMP_target_ext
// muster-test: any-replacement
#include "check.h"

static long item[20];

int main(void) {
  long long checksum = 0;
  for (int round = 0; round < 6; ++round) {
#pragma omp target map(tofrom : item)
    for (int i = 0; i < 20; ++i) item[i] = mark(round, i);
    for (int i = 0; i < 20; ++i) expect(item[i] == mark(round, i));
#pragma omp parallel
    {
#pragma omp single nowait
      {
#pragma omp target map(tofrom : item) nowait
        for (int i = 0; i < 20; ++i) item[i] = mark(round + 100, i);
      }
#pragma omp barrier
      for (int i = 0; i < 20; ++i) expect(item[i] == mark(round + 100, i));
#pragma omp barrier
    }
    checksum += item[19];
  }
  return verdict("target_host", checksum);
}
