// ending HOW WHERE: ends by return, exit, _exit, quick_exit, abort or raise, in a region (by which
// thread) or outside of any.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static void at_end(void) {
  if (write(1, "atexit\n", 7) != 7) abort();
}

static void end(const char* how) {
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "_exit") == 0) _exit(4);
  if (strcmp(how, "quick_exit") == 0) quick_exit(5);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "raise") == 0) raise(SIGKILL);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const char* how = arguments[1];
  const char* where = arguments[2];
  atexit(at_end);
#pragma omp parallel
  for (int round = 0; round < 20; ++round) {
    int me = omp_get_thread_num();
#pragma omp barrier
    if (round == 10 && strcmp(where, "primary") == 0 && me == 0) end(how);
    if (round == 10 && strcmp(where, "worker") == 0 && me == 1) end(how);
  }
  if (strcmp(where, "outside") == 0) end(how);
  return 6;
}
