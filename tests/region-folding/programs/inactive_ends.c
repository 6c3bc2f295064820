// A region of one thread in which the process ends, forks, or its thread ends, while a fold is open.
// muster-test: folded >= 10
// muster-test: closed >= 1
// muster-test: auto
// muster-test: case exit
// muster-test: arguments exit
// muster-test: status 5
// muster-test: case fork
// muster-test: arguments fork
// muster-test: case thread
// muster-test: arguments thread
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trap.h"

static void at_exit(void) {
  printf("level %d, %d thread(s), parallel %d\n", omp_get_level(), omp_get_num_threads(),
         omp_in_parallel());
}

static void forks(void) {
#pragma omp parallel num_threads(1)
  {
    const pid_t child = fork();
    if (child == 0) {
      printf("child: level %d of %d\n", omp_get_level(), omp_get_num_threads());
      _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child: %d, parent: level %d\n", WEXITSTATUS(status), omp_get_level());
  }
}

// Old versions of libgomp free what they did not allocate when a thread ends in such a region.
static void* thread(void* ends) {
  printf("%ld in a thread\n", regions(kSettle));
#pragma omp parallel num_threads(1)
  if (ends != NULL && !on_libgomp()) pthread_exit(NULL);
  return NULL;
}

static void threads(void) {
  for (int i = 0; i < 4; ++i) {
    pthread_t other;
    pthread_create(&other, NULL, thread, i % 2 != 0 ? &other : NULL);
    pthread_join(other, NULL);
  }
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  settle();
  if (strcmp(how, "exit") == 0) {
    atexit(at_exit);
#pragma omp parallel num_threads(1)
    exit(5);
  }
  if (strcmp(how, "fork") == 0) forks();
  if (strcmp(how, "thread") == 0) threads();
  return finish();
}
