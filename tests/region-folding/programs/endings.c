// All ways to end, with an open fold and inside a folded region.
// muster-test: auto
// muster-test: case return
// muster-test: arguments return
// muster-test: folded >= 9
// muster-test: closed "end" >= 1
// muster-test: case exit
// muster-test: arguments exit
// muster-test: status 3
// muster-test: closed "end" >= 1
// muster-test: case exit-with-workers-asleep
// muster-test: arguments exit-later
// muster-test: status 3
// muster-test: closed "end" >= 1
// muster-test: case _exit
// muster-test: arguments _exit
// muster-test: status 4
// muster-test: no-report
// muster-test: case quick_exit
// muster-test: arguments quick_exit
// muster-test: status 5
// muster-test: no-report
// muster-test: case abort
// muster-test: arguments abort
// muster-test: status -6
// muster-test: no-report
// muster-test: case kill
// muster-test: arguments kill
// muster-test: status -15
// muster-test: no-report
// muster-test: case exit-in-primary
// muster-test: arguments exit primary
// muster-test: status 3
// muster-test: case exit-in-worker
// muster-test: arguments exit worker
// muster-test: status 3
// muster-test: case _exit-in-worker
// muster-test: arguments _exit worker
// muster-test: status 4
// muster-test: no-report
// muster-test: case abort-in-worker
// muster-test: arguments abort worker
// muster-test: status -6
// muster-test: no-report
// muster-test: case exit-in-nested
// muster-test: arguments exit nested
// muster-test: status 3
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trap.h"

static void at_end(void) { printf("atexit\n"); }

static void end(const char* how) {
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "_exit") == 0) _exit(4);
  if (strcmp(how, "quick_exit") == 0) quick_exit(5);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "kill") == 0) raise(SIGTERM);
  if (strcmp(how, "exit-later") == 0) {
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    exit(3);
  }
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "return";
  const char* where = count > 2 ? arguments[2] : "serial";
  atexit(at_end);
  settle();
  if (strcmp(where, "serial") == 0) end(how);
#pragma omp parallel
  {
#pragma omp barrier
    int me = omp_get_thread_num();
    if (strcmp(where, "primary") == 0 && me == 0) end(how);
    if (strcmp(where, "worker") == 0 && me == 1) end(how);
    if (strcmp(where, "nested") == 0 && me == 0) {
#pragma omp parallel
      if (omp_get_thread_num() == 0) end(how);
    }
#pragma omp barrier
  }
  return 0;
}
