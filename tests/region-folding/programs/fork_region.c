// fork() inside a folded region, by its primary thread and by a worker: the child may only _exit, the
// parent goes on.
// muster-test: folded >= 15
#include <sys/wait.h>
#include <unistd.h>

#include "trap.h"

int main(void) {
  settle();
  for (int who = 0; who < 3; ++who) {
    int status = 0;
#pragma omp parallel
    {
#pragma omp barrier
      if (omp_get_thread_num() == who) {
        pid_t child = fork();
        if (child == 0) _exit(7 + who);
        waitpid(child, &status, 0);
      }
#pragma omp barrier
    }
    printf("%d; %ld\n", WEXITSTATUS(status), regions(4));
  }
  return finish();
}
