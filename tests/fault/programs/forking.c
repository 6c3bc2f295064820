// forking WHEN: forks before any region, after one, or inside one; the child opens regions of its
// own (from inside: only where it forked outside) and both go on.
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int cell[kMaxThreads];

static void region(int rounds) {
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= rounds; ++round) {
      cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == round);
#pragma omp barrier
    }
  }
}

// The child's status, as the parent sees it.
static int reap(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static int fork_outside(void) {
  pid_t child = fork();
  if (child < 0) return 2;
  region(30);
  if (child == 0) exit(errors_seen == 0 ? 7 : 8);
  expect(reap(child) == 7);
  region(30);
  return 0;
}

static void fork_inside(void) {
#pragma omp parallel
  for (int round = 0; round < 20; ++round) {
#pragma omp barrier
    if (round == 10 && omp_get_thread_num() == omp_get_num_threads() - 1) {
      pid_t child = fork();
      if (child == 0) _exit(7);
      expect(reap(child) == 7);
    }
#pragma omp barrier
  }
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const char* when = arguments[1];
  if (strcmp(when, "first") != 0) region(30);
  if (strcmp(when, "inside") == 0) {
    fork_inside();
  } else if (fork_outside() != 0) {
    return 2;
  }
  return verdict("forking", cell[0]);
}
