// More of everything than Muster keeps: regions nested deeper than there are spare teams, team sizes than states, and
// calls between regions, each from a different call site, than the report lists. crowded [CALLS]
#include <pthread.h>

#include "check.h"

static long g_sum;
static volatile int g_none = 0;

static void nested(int depth) {
#pragma omp parallel num_threads(2)
  {
    if (depth > 0) {
#pragma omp single
      nested(depth - 1);
    }
#pragma omp barrier
#pragma omp atomic
    g_sum += depth + 1;
  }
}

static void region(int size) {
#pragma omp parallel num_threads(size)
  {
#pragma omp barrier
#pragma omp atomic
    g_sum += omp_get_num_threads();
  }
}

static void fold(void) {
  for (int i = 0; i < 4; ++i) {
#pragma omp parallel
    {
#pragma omp barrier
    }
  }
}

#define ONE fold(), omp_set_dynamic(0);
#define FOUR ONE ONE ONE ONE
#define SIXTEEN FOUR FOUR FOUR FOUR

static void* root(void* unused) { ONE ONE return unused; }

int main(int count, char** arguments) {
  (void)arguments;
#ifdef __clang__  // gcc's code takes no notice of 0 and less
#pragma omp parallel num_threads(g_none)
#pragma omp atomic
  ++g_sum;
#endif
  omp_set_max_active_levels(8);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel if (g_none)
    {
#pragma omp task
      {
#pragma omp atomic
        ++g_sum;
      }
    }
#pragma omp barrier
  }
  for (int turn = 0; turn < 3; ++turn) nested(6);
  for (int size = 2; size < 12; ++size) region(size), region(2), region(size);
  if (count > 1) {
    SIXTEEN SIXTEEN SIXTEEN SIXTEEN FOUR
  }
#ifdef __clang__
  for (int i = 0; i < 8; ++i) {
    fold();
#pragma omp parallel num_threads(g_none)
#pragma omp atomic
    ++g_sum;
  }
#endif
  pthread_t thread;
  pthread_create(&thread, NULL, root, NULL);
  pthread_join(thread, NULL);
  return verdict("crowded", g_sum);
}
