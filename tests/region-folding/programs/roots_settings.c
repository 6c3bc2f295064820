// Settings, clauses and queries of root threads at the same time: each has its own.
// muster-test: folded >= 100
// muster-test: closed "setting changed" >= 2
// muster-test: closed "other team size" >= 2
// muster-test: unfolded "a clause" >= 3
// muster-test: skip gcc: gcc passes proc_bind with the region itself
// muster-test: skip gnu: the same
#include <pthread.h>

#include "trap.h"

enum { kRoots = 3 };

static pthread_barrier_t meet;

static int ask(char* line, int size) {
  return snprintf(line, (size_t)size, "%d of %d at level %d, at most %d, bind %d, dynamic %d; ",
                  omp_get_thread_num(), omp_get_num_threads(), omp_get_level(),
                  omp_get_max_threads(), (int)omp_get_proc_bind(), omp_get_dynamic());
}

static void* root(void* argument) {
  char* line = argument;
  char* const end = line + 1000;
  int number = line[0];
  // Its first region has a clause, which is for that one only.
  int bound = 0;
#pragma omp parallel proc_bind(close)
#pragma omp atomic
  ++bound;
  line += snprintf(line, 100, "%d: ", bound);
  line += ask(line, (int)(end - line));
  line += snprintf(line, 100, "sum %ld; ", regions(20));
  pthread_barrier_wait(&meet);  // all have a fold open
  line += ask(line, (int)(end - line));
  omp_set_num_threads(number + 1);
  pthread_barrier_wait(&meet);
  line += ask(line, (int)(end - line));
  line += snprintf(line, 100, "sum %ld; ", regions(20));
  // By a region's code: not for the next one.
#pragma omp parallel
  omp_set_num_threads(2);
  pthread_barrier_wait(&meet);
  line += snprintf(line, 100, "sum %ld; ", regions(5));
  int size = 0;
  for (int i = 0; i < 5; ++i) {
#pragma omp parallel num_threads(4 - number)
#pragma omp atomic
    ++size;
  }
  line += snprintf(line, 100, "%d, then ", size);
  pthread_barrier_wait(&meet);
  ask(line, (int)(end - line));
  return NULL;
}

static void* another(void* unused) {
  (void)unused;
  printf("another: %ld\n", regions(12));
  return NULL;
}

int main(void) {
  settle();
  pthread_t threads[kRoots];
  static char lines[kRoots][1000];
  pthread_barrier_init(&meet, NULL, kRoots);
  for (int i = 0; i < kRoots; ++i) {
    lines[i][0] = (char)i;
    pthread_create(&threads[i], NULL, root, lines[i]);
  }
  for (int i = 0; i < kRoots; ++i) {
    pthread_join(threads[i], NULL);
    printf("%s\n", lines[i]);
  }
  // Threads are given back where no region of this thread needs them.
  pthread_create(&threads[0], NULL, another, NULL);
  pthread_join(threads[0], NULL);
  printf("paused: %d\n", omp_pause_resource_all(omp_pause_soft));
  return finish();
}
