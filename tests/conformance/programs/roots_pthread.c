// Concurrent root threads: pthreads that each open parallel regions of their own, exit, and come
// anew.
// muster-test: threads 9
// muster-test: replaced >= 200
#include <pthread.h>

#include "check.h"

enum { kRoots = 3 };
static long cell[kRoots][kMaxThreads], result[kRoots];

static void* root(void* argument) {
  int number = (int)(long)argument;
  for (int region = 0; region < 6; ++region) {
#pragma omp parallel num_threads(3 - region % 2)
    {
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      for (int round = 0; round < 4; ++round) {
        late(round);
        cell[number][me] = mark(region * 10 + round, me);
#pragma omp barrier
        for (int i = 0; i < n; ++i) {
          expect(cell[number][i] == mark(region * 10 + round, i));
        }
#pragma omp barrier
      }
#pragma omp single
      ++result[number];
    }
  }
  return NULL;
}

int main(void) {
  long long checksum = 0;
  for (int generation = 0; generation < 3; ++generation) {
    pthread_t thread[kRoots];
    for (long i = 1; i < kRoots; ++i) pthread_create(&thread[i], NULL, root, (void*)i);
    root((void*)0);
    for (int i = 1; i < kRoots; ++i) pthread_join(thread[i], NULL);
    for (int i = 0; i < kRoots; ++i) expect(result[i] == 6 * (generation + 1));
  }
  for (int i = 0; i < kRoots; ++i) checksum += result[i] + cell[i][0];
  return verdict("roots_pthread", checksum);
}
