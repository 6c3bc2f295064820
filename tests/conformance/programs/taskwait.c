// Waiting for tasks other than by barriers: taskwait, taskwait with dependences, taskgroup,
// taskyield. The tasks are gone when the barrier comes; it must work all the same.
// muster-test: skip clang-O0 libomp14: that runtime has no __kmpc_omp_taskwait_deps_51
// muster-test: skip clang-O2 libomp14: that runtime has no __kmpc_omp_taskwait_deps_51
#include "check.h"

int main(void) {
  long long checksum = 0;
#pragma omp parallel reduction(+ : checksum)
  {
    int me = omp_get_thread_num();
    for (int round = 0; round < kRounds; ++round) {
      long a = 0, b = 0, c = 0;
#pragma omp task shared(a)
      a = mark(round, me);
#pragma omp task shared(b)
      b = mark(round, me);
#pragma omp taskwait
      expect(a == mark(round, me) && b == mark(round, me));
#pragma omp barrier
#pragma omp task shared(c) depend(out : c)
      c = mark(round, 3);
#pragma omp task shared(c) depend(inout : c)
      c += 5;
#pragma omp taskwait depend(in : c)
      expect(c == mark(round, 3) + 5);
#pragma omp taskwait
#pragma omp barrier
#pragma omp taskgroup
      {
#pragma omp task shared(a)
        {
#pragma omp task shared(a)
          a = 7;
#pragma omp taskyield
        }
      }
      expect(a == 7);
      late(round);
#pragma omp barrier
      // No task here.
#pragma omp barrier
      if (me == 0) checksum += b + c;
    }
  }
  return verdict("taskwait", checksum);
}
