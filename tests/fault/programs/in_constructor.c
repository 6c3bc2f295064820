// A shared object that uses OpenMP while it is loaded: the thread that runs its constructor holds the
// loader's lock all the while. IN_CONSTRUCTOR=
//   region   a region
//   library  a region whose barriers are another object's (orphaned.c), which has not called OpenMP before
//   thread   a thread of its own runs regions, and is joined
//   getters  as thread, and asks for settings besides
#include <pthread.h>
#include <string.h>

#include "check.h"

void orphaned_barrier(void);
int plugin(void);

static long g_cell[kMaxThreads];
static long g_regions;

static void region(int by_library) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= 10; ++round) {
      g_cell[me] = round;
      if (by_library) {
        orphaned_barrier();
      } else {
#pragma omp barrier
      }
      for (int i = 0; i < n; ++i) expect(g_cell[i] == round);
#pragma omp barrier
    }
#pragma omp single
    ++g_regions;
  }
}

static void* regions(void* how) {
  if (strcmp(how, "getters") == 0) omp_set_num_threads(omp_get_max_threads() - 1);
  for (int i = 0; i < 5; ++i) region(0);
  return NULL;
}

__attribute__((constructor)) static void construct(void) {
  char* how = getenv("IN_CONSTRUCTOR");
  if (how == NULL) return;
  if (strcmp(how, "thread") == 0 || strcmp(how, "getters") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, regions, how);
    pthread_join(thread, NULL);
  } else {
    for (int i = 0; i < 5; ++i) region(strcmp(how, "library") == 0);
  }
}

int plugin(void) {
  region(1);
  return verdict("in_constructor", g_regions);
}
