// Handlers of fork() that run regions, in the process that forks: some before Muster's own, some after it.
// muster-test: folded >= 20
// muster-test: closed "fork" >= 3
// muster-test: auto
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trap.h"

static void before(void) { printf("before: %ld\n", regions(4)); }
static void after(void) { printf("after: %ld\n", regions(4)); }

static int forked(void) {
  const pid_t child = fork();
  if (child == 0) _exit(omp_get_level() * 10 + omp_get_num_threads());
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

int main(void) {
  // So many that the first fold is opened after them, and others before them.
  printf("%ld\n", regions(1));
  pthread_atfork(before, after, NULL);
  settle();
  pthread_atfork(before, after, NULL);
  for (int round = 0; round < 3; ++round) {
    settle();
    printf("child: %d\n", forked());
  }
  return finish();
}
