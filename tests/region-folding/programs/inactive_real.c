// Regions of one thread while a fold is open, each with something that only a region of the runtime's own can do.
// muster-test: folded >= 100
// muster-test: closed >= 100
// muster-test: auto
#include "trap.h"

enum { kRounds = 30, kKinds = 9 };

static int inner_size(void) {
  int size = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
  size = omp_get_num_threads();
  return size;
}

static long worksharing(void) {
  long sum = 0;
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 10; ++i) sum += i;
#pragma omp single
  sum += 100;
#pragma omp sections
  {
#pragma omp section
    sum += 1000;
#pragma omp section
    sum += 10000;
  }
  return sum;
}

static long tasks(void) {
  long sum = 0;
  for (int i = 0; i < 5; ++i) {
#pragma omp task shared(sum) firstprivate(i)
    {
#pragma omp atomic
      sum += i;
    }
  }
#pragma omp taskwait
  return sum;
}

// Settings of a region end with it.
static long settings(void) {
  omp_set_num_threads(5);
  omp_set_max_active_levels(4);
  return omp_get_max_threads() * 10 + omp_get_max_active_levels();
}

static long of_kind(int kind) {
  long result = 0;
#pragma omp parallel num_threads(1)
  {
    result = 100000 * omp_get_level();
    switch (kind) {
      case 0: {
#pragma omp barrier
        break;
      }
      case 1:
        result += worksharing();
        break;
      case 2:
        result += tasks();
        break;
      case 3:
        result += settings();
        break;
      case 4:
        result += inner_size();
        break;
      case 5:
        result += omp_get_thread_limit() > 0 && omp_in_final() == 0;
        break;
      case 6: {
#pragma omp parallel num_threads(1)
        {
          result += omp_get_level() * 10 + omp_get_active_level();
          result += worksharing();
        }
        break;
      }
      case 7: {
        omp_nest_lock_t nest;
        omp_init_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        result += omp_test_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_destroy_nest_lock(&nest);
        break;
      }
      default: {
        // A task that is left to the end of the region.
#pragma omp task shared(result)
        result += 7;
      }
    }
    if (kind != 8) result += 1000000 * (omp_get_level() + omp_get_num_threads());
  }
  return result;
}

int main(void) {
  settle();
  for (int round = 0; round < kRounds; ++round) {
    for (int kind = 0; kind < kKinds; ++kind) {
      const long result = of_kind(kind);
      const long after = omp_get_max_threads() * 10 + omp_get_max_active_levels() % 10;
      if (round % 10 == 0) printf("%d: %ld, then %ld\n", kind, result, after);
      if (regions(2) < 2) printf("%d: regions are missing\n", kind);
    }
  }
  return finish();
}
