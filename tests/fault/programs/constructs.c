// constructs [elsewhere]: a little of each: barriers, loops, reductions, copyprivate, tasks, nested regions, other team
// sizes, root threads. `elsewhere`: in a thread other than the initial one.
#include <pthread.h>

#include "check.h"

static long g_cell[kMaxThreads];
static long g_sum;

static void barriers(int size) {
#pragma omp parallel num_threads(size)
  {
    const int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= 4; ++round) {
      late(round);
      g_cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(g_cell[i] == round);
#pragma omp barrier
    }
  }
}

static void constructs(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    long given = 0;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 40; ++i) sum += i;
#pragma omp single copyprivate(given)
    given = 7;
    expect(given == 7);
#pragma omp sections
    {
#pragma omp section
      sum += 1;
#pragma omp section
      sum += 2;
    }
#pragma omp single
    for (int i = 0; i < 8; ++i) {
#pragma omp task
      {
#pragma omp atomic
        g_sum += i;
      }
    }
#pragma omp master
    {
#pragma omp parallel num_threads(2)
      {
#pragma omp barrier
      }
    }
  }
  expect(sum == 783);
}

static void* root(void* unused) {
  for (int i = 0; i < 5; ++i) {
#pragma omp parallel num_threads(2)
    for (int round = 0; round < 20; ++round) {
#pragma omp barrier
    }
  }
  return unused;
}

static void* all(void* unused) {
  for (int i = 0; i < 4; ++i) constructs();
  for (int i = 0; i < 4; ++i) barriers(2 + i % 3);
  for (int i = 0; i < 4; ++i) barriers(4);
  pthread_t thread;
  pthread_create(&thread, NULL, root, NULL);
  root(NULL);
  pthread_join(thread, NULL);
  return unused;
}

int main(int count, char** arguments) {
  (void)arguments;
  pthread_t thread;
  if (count == 1) all(NULL);
  if (count > 1) pthread_create(&thread, NULL, all, NULL);
  if (count > 1) pthread_join(thread, NULL);
  return verdict("constructs", g_sum);
}
