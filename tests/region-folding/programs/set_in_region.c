// Settings changed by the threads of a region are that region's own: the serial part and the next
// region have the old ones, while regions nested in it have the new ones.
// muster-test: folded >= 40
// muster-test: closed "setting changed" >= 4
// muster-test: auto
#include "trap.h"

static void say(const char* when) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  printf("%s: at most %d, levels %d, dynamic %d, schedule %d %d, device %d\n", when,
         omp_get_max_threads(), omp_get_max_active_levels(), omp_get_dynamic(), (int)kind, chunk,
         omp_get_default_device());
}

static void set(int what) {
  if (what == 0) omp_set_num_threads(3);
  if (what == 1) omp_set_dynamic(1);
  if (what == 2) omp_set_max_active_levels(2);
  if (what == 3) omp_set_schedule(omp_sched_guided, 7);
  if (what == 4) omp_set_default_device(1);
  if (what == 5) omp_set_nested(1);
}

// `who` -1: all threads.
static void region(int what, int who) {
  int most[kMostThreads], levels[kMostThreads], inner[kMostThreads], size = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    if (who == -1 || who == me) set(what);
#pragma omp barrier
    most[me] = omp_get_max_threads();
    levels[me] = omp_get_max_active_levels();
#pragma omp parallel
#pragma omp master
    inner[me] = omp_get_num_threads();
#pragma omp barrier
#pragma omp master
    size = omp_get_num_threads();
  }
  printf("setting %d by %d:", what, who);
  for (int i = 0; i < size; ++i) printf(" %d/%d/%d", most[i], levels[i], inner[i]);
  printf("\n");
}

int main(void) {
  settle();
  say("at first");
  for (int what = 0; what < 6; ++what) {
    for (int who = -1; who < 3; ++who) {
      region(what, who);
      say("then");
      printf("next: %ld\n", regions(4));
      region(-1, who);
      settle();
    }
  }
  return finish();
}
