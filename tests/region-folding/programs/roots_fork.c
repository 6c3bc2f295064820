// A process forks while several root threads have folds open: the child continues with one of them.
// muster-test: skip libgomp: stock hangs in a region of a child whose parent has had some
// muster-test: folded >= 60
// muster-test: closed "fork" >= 8
// muster-test: auto
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trap.h"

static pthread_barrier_t meet;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static long fork_and_go_on(int status) {
  long before = regions(5);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    // Regions and a thread of the child, and a thread created by that thread.
    long sum = regions(12);
#pragma omp for
    for (int i = 0; i < 3; ++i) sum += i;
    child = fork();
    if (child == 0) _exit(regions(5) == 5 * 6 / 2 * 4 ? 1 : 99);
    int ended = 0;
    waitpid(child, &ended, 0);
    _exit(sum == 12 * 13 / 2 * 4 + 3 ? status + WEXITSTATUS(ended) : 98);
  }
  int ended = 0;
  waitpid(child, &ended, 0);
  return before + regions(5) + 1000 * WEXITSTATUS(ended);
}

static void* root(void* value) {
  *(long*)value = regions(12);
  pthread_barrier_wait(&meet);  // all have a fold open
  pthread_mutex_lock(&one_at_a_time);
  *(long*)value += fork_and_go_on(10);
  pthread_mutex_unlock(&one_at_a_time);
  pthread_barrier_wait(&meet);
  *(long*)value += regions(3);
  return NULL;
}

int main(void) {
  settle();
  for (int round = 0; round < 2; ++round) {
    pthread_t threads[3];
    long values[3];
    pthread_barrier_init(&meet, NULL, 4);
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, root, &values[i]);
    long own = regions(5);
    pthread_barrier_wait(&meet);
    pthread_mutex_lock(&one_at_a_time);
    own += fork_and_go_on(20);
    pthread_mutex_unlock(&one_at_a_time);
    pthread_barrier_wait(&meet);
    for (int i = 0; i < 3; ++i) {
      pthread_join(threads[i], NULL);
      printf("%ld ", values[i]);
    }
    printf("own %ld, %ld\n", own, regions(3));
  }
  return finish();
}
