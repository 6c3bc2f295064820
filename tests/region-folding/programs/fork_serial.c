// fork() in the serial part. The child has none of the workers: a fold that it took for open would
// wait for them forever. Parent and child both continue with regions.
// muster-test: folded >= 20
// muster-test: closed "fork" >= 3
// muster-test: auto
// muster-test: case child-exits
// muster-test: arguments exit
// muster-test: skip libgomp: stock hangs in a region of a child whose parent has had some
// muster-test: case child-quits
// muster-test: arguments quit
// muster-test: skip libgomp: stock hangs in a region of a child whose parent has had some
// muster-test: case parent-ends-first
// muster-test: arguments daemon
// muster-test: skip libgomp: stock hangs in a region of a child whose parent has had some
// muster-test: case grandchild
// muster-test: arguments grandchild
// muster-test: skip libgomp: stock hangs in a region of a child whose parent has had some
// muster-test: case child-without-regions
// muster-test: arguments idle
// muster-test: skip any libomp16: stock asserts at the end of a child that had no regions, and hangs
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trap.h"

static int reap(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static int without_regions = 0;
static void at_end(void) { printf("atexit: %ld\n", without_regions ? 0 : regions(4)); }

static void child(const char* how, int round) {
  without_regions = strcmp(how, "idle") == 0;
  if (without_regions) exit(omp_get_level() + 3);
  printf("child %d: %ld, at most %d\n", round, regions(12), omp_get_max_threads());
  if (strcmp(how, "grandchild") == 0) {
    pid_t pid = fork();
    if (pid == 0) {
      printf("grandchild: %ld\n", regions(12));
      _exit(6);
    }
    printf("child again: %ld, %d\n", regions(3), reap(pid));
  }
  if (strcmp(how, "quit") == 0) _exit(5);
  exit(5);
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "exit";
  atexit(at_end);
  settle();
  if (strcmp(how, "daemon") == 0) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    for (int i = 0; i < 2; ++i) {
      if (fork() == 0) _exit(0);
      wait(NULL);
      settle();
    }
    if (fork() != 0) return 0;
    char byte;
    close(ends[1]);  // the parent's end closes with the parent
    if (read(ends[0], &byte, 1) != 0) return 1;
    settle();
    return finish();
  }
  for (int round = 0; round < 4; ++round) {
    pid_t pid = fork();
    if (pid == 0) child(how, round);
    printf("ended with %d\n", reap(pid));  // first: the two would write in any order
    settle();
  }
  // Without a region in the child, and twice in a row.
  for (int i = 0; i < 2; ++i) {
    pid_t pid = fork();
    if (pid == 0) _exit(9);
    printf("%d\n", reap(pid));
  }
  return finish();
}
