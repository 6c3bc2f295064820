// Locks, critical sections and atomics between barriers, and a lock held across a barrier.
// muster-test: replaced >= 64
#include "check.h"

static long plain, named, locked, nested, counted, captured;

int main(void) {
  long long checksum = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel
  {
    long n = omp_get_num_threads();
    for (int round = 1; round <= kRounds; ++round) {
      late(round);
#pragma omp critical
      ++plain;
#pragma omp critical(other)
      ++named;
      omp_set_lock(&lock);
      ++locked;
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      ++nested;
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
#pragma omp atomic
      ++counted;
      long mine;
#pragma omp atomic capture
      mine = ++captured;
      expect(mine >= 1);
      while (round % 4 == 0 && !omp_test_lock(&lock)) nap(10);
      if (round % 4 == 0) omp_unset_lock(&lock);
#pragma omp barrier  // MUTANT: remove
      expect(plain == n * round && named == n * round && counted == n * round);
      expect(locked == n * round && nested == n * round && captured == n * round);
#pragma omp barrier
      if (omp_get_thread_num() == 0) omp_set_lock(&lock);
#pragma omp barrier
      expect(omp_get_thread_num() == 0 || !omp_test_lock(&lock));
#pragma omp barrier
      if (omp_get_thread_num() == 0) omp_unset_lock(&lock);
#pragma omp barrier
    }
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  checksum = plain + named + locked + nested + counted + captured;
  return verdict("locks", checksum);
}
