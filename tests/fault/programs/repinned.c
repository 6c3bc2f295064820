// Barriers without end, for a test that moves the threads from outside: until a byte arrives on
// standard input. The last line tells whether the barriers were correct.
#include <poll.h>
#include <unistd.h>

#include "check.h"

static int cell[kMaxThreads];

static int told_to_stop(void) {
  struct pollfd input = {0, POLLIN, 0};
  return poll(&input, 1, 0) != 0;
}

int main(void) {
  int stop = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; stop == 0; ++round) {
      cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == round);
#pragma omp barrier
      if (me == 0 && round % 16 == 0 && told_to_stop()) stop = 1;
#pragma omp barrier
    }
  }
  char byte;
  if (read(0, &byte, 1) < 0) return 2;
  printf("masks\n");
  fflush(stdout);
  if (read(0, &byte, 1) < 0) return 2;  // the test looks at the masks in between
  return verdict("repinned", 1);
}
