// The default allocator is a thread's: set in the serial part, workers take it over at the fork, as
// far as the runtime does that; set in a region it ends with that.
// muster-test: folded >= 15
// muster-test: closed >= 1
// muster-test: auto
#include "trap.h"

static void show(const char* when) {
  long of[kMostThreads];
  int size = 0, usable = 0;
#pragma omp parallel reduction(+ : usable)
  {
    of[omp_get_thread_num()] = (long)omp_get_default_allocator();
    void* memory = omp_alloc(64, omp_null_allocator);
    usable += memory != NULL;
    omp_free(memory, omp_null_allocator);
#pragma omp master
    size = omp_get_num_threads();
  }
  printf("%s: serial %ld, region", when, (long)omp_get_default_allocator());
  for (int i = 0; i < size; ++i) printf(" %ld", of[i]);
  printf(", %d usable\n", usable);
}

int main(void) {
  settle();
  show("at first");
  omp_set_default_allocator(omp_low_lat_mem_alloc);
  show("set");
  settle();
  show("still");
#pragma omp parallel
  if (omp_get_thread_num() == 1) omp_set_default_allocator(omp_const_mem_alloc);
  show("after a worker's");
  settle();
#pragma omp parallel
  if (omp_get_thread_num() == 0) omp_set_default_allocator(omp_thread_mem_alloc);
  show("after the primary's");
  settle();
  omp_set_default_allocator(omp_default_mem_alloc);
  show("set back");
  return finish();
}
