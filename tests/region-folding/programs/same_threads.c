// Thread number t is the same thread of the system in every region, before, in and after a fold; so
// what a thread keeps by itself (thread-local storage of the language, its stack) stays with it.
// muster-test: folded >= 15
#include <pthread.h>
#include <threads.h>

#include "trap.h"

static thread_local int local;

int main(void) {
  pthread_t first[kMostThreads], other[kMostThreads];
  int of[kMostThreads];
#pragma omp parallel
  first[omp_get_thread_num()] = pthread_self();
  for (int round = 1; round < 12; ++round) {
#pragma omp parallel
    {
      other[omp_get_thread_num()] = pthread_self();
      of[omp_get_thread_num()] = ++local;
    }
    for (int i = 0; i < 4; ++i) {
      printf(" %d/%d", of[i], pthread_equal(first[i], other[i]) != 0);
    }
    printf(" %d\n", pthread_equal(pthread_self(), other[0]) != 0);
    if (round % 4 == 0) settle();
    if (round == 6) omp_set_dynamic(0);
  }
  return finish();
}
