// Threadprivate data and copyin, whose end is a barrier, and copyprivate from it.
#include "check.h"

static long counter;
static struct {
  long value[4];
} block;
#pragma omp threadprivate(counter, block)

int main(void) {
  long long checksum = 0;
#pragma omp parallel
  counter = omp_get_thread_num();
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel
    {
      expect(counter == omp_get_thread_num() + round);
      ++counter;
#pragma omp barrier
      block.value[0] = omp_get_thread_num();
    }
    block.value[3] = mark(round, 3);
#pragma omp parallel copyin(block)
    {
      expect(block.value[3] == mark(round, 3));
      // The primary's own copy changes at once: copyin must have finished everywhere.
      block.value[3] = 0;
#pragma omp barrier
      late(round);
#pragma omp single copyprivate(block)
      block.value[1] = mark(round, 1);
      expect(block.value[1] == mark(round, 1));
    }
    checksum += block.value[1];
  }
  return verdict("threadprivate", checksum);
}
