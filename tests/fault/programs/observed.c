// Every construct with a barrier, many times, with results that are checked. No loop has a schedule that compilers end
// with a function that old runtimes lack.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int sum;

static void constructs(int round) {
  int total = 0, copied = 0;
  double values[16];
#pragma omp parallel num_threads(2 + round % 3) private(copied)
  {
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 16; ++i) values[i] = i;
#pragma omp for reduction(+ : total)
    for (int i = 0; i < 16; ++i) total += (int)values[i];
#pragma omp for reduction(+ : total) nowait
    for (int i = 0; i < 16; ++i) total += (int)values[i];
#pragma omp single
    ++sum;
#pragma omp sections
    {
#pragma omp section
      values[0] = 1;
#pragma omp section
      values[1] = 2;
    }
#pragma omp single copyprivate(copied)
    copied = round;
    if (copied != round) abort();
#pragma omp master
    ++sum;
#pragma omp barrier
#pragma omp barrier
  }
  if (total != 240) abort();
}

static void tasks(int detaches) {
  int done = 0;
#pragma omp parallel num_threads(4)
  {
    for (int i = 0; i < 5; ++i) {
#pragma omp barrier
#pragma omp single
      for (int j = 0; j < 8; ++j) {
#pragma omp task shared(done)
        {
#pragma omp task shared(done)
#pragma omp atomic
          ++done;
#pragma omp atomic
          ++done;
        }
      }
#pragma omp barrier
      if (done != 16 * (i + 1)) abort();
#pragma omp barrier
      if (omp_get_thread_num() == 1) {
#pragma omp taskloop num_tasks(4)
        for (int j = 0; j < 4; ++j) sum += 0;
      }
#pragma omp barrier
    }
#pragma omp barrier
    if (detaches && omp_get_thread_num() == 2) {
      omp_event_handle_t event;
#pragma omp task detach(event)
      ++sum;
      omp_fulfill_event(event);
    }
#pragma omp barrier
#pragma omp barrier
  }
}

static void nested(void) {
  int inner = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp atomic
      ++inner;
#pragma omp barrier
      int arrived;
#pragma omp atomic read
      arrived = inner;  // the other inner team may still add
      if (arrived < 2) abort();
#pragma omp parallel num_threads(2)  // serialized
      {
#pragma omp barrier
      }
#pragma omp barrier
    }
#pragma omp barrier
#pragma omp parallel if (0)
    {
#pragma omp barrier
    }
#pragma omp barrier
  }
  if (inner != 4) abort();
  omp_set_max_active_levels(1);
}

// The compiler may make this call the last thing that a region does: then only the runtime's frame is left below it.
static __attribute__((noinline)) void meet(void) {
#pragma omp barrier
}

static void tail_calls(void) {
#pragma omp parallel num_threads(4)
  {
    meet();
    if (omp_get_thread_num() % 2 == 0) {
      meet();
#pragma omp atomic
      ++sum;
    } else {
      meet();
    }
  }
}

int main(void) {
  omp_get_wtime();  // initializes no runtime, and Muster does not see it
  for (int round = 0; round < 30; ++round) constructs(round);
  for (int i = 0; i < 3; ++i) tasks(i == 1);
  for (int i = 0; i < 5; ++i) nested();
  for (int i = 0; i < 20; ++i) tail_calls();
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 100; ++i) {
#pragma omp barrier
  }
  printf("%d\n", sum);
  return 0;
}
