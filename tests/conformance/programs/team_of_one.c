// Teams of one: by a clause, by `if`, inside another team. For gcc's code they are regions like any other.
// muster-test: replaced >= 64
// muster-test: env OMP_MAX_ACTIVE_LEVELS=2
#include "check.h"

static long cell[kMaxThreads], own[kMaxThreads];

__attribute__((noinline)) static long constructs(int round) {
  long sum = 0, copied = 0;
#pragma omp barrier
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 10; ++i) {
#pragma omp atomic
    sum += i;
  }
#pragma omp sections
  {
#pragma omp section
    sum += 1;
#pragma omp section
    sum += 2;
  }
#pragma omp single copyprivate(copied)
  copied = round;
#pragma omp barrier
  return sum + copied;
}

int main(void) {
  long long checksum = 0;
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel num_threads(1)
    {
      expect(constructs(round) == 48 + round);
      expect(omp_get_level() == 1 && omp_get_active_level() == 0);
    }
#pragma omp parallel
    {
      const int me = omp_get_thread_num(), n = omp_get_num_threads();
      late(round);
      cell[me] = mark(round, me);
      if (me == round % n || round % 4 == 0) {
#pragma omp parallel num_threads(1)
        own[me] = constructs(round);
      }
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp parallel if (round % 3 == 0) num_threads(2)
      expect(omp_get_num_threads() == (round % 3 == 0 ? 2 : 1));
#pragma omp parallel if (0)
      expect(constructs(round) == 48 + round);
#pragma omp barrier
      expect(own[round % n] == 48 + round);
#pragma omp barrier
    }
    checksum += own[0];
  }
  return verdict("team_of_one", checksum);
}
