// A program of libgomp's, one module of libomp's: what one runtime is asked is not answered for the
// other's fold, a region of one closes the other's, and libgomp's threads are root threads of libomp.
// muster-test: libgomp-program
// muster-test: module sums
// muster-test: folded >= 80
// muster-test: opened <= 6
// muster-test: auto
#include <dlfcn.h>

#include "trap.h"

static long (*theirs)(int);

static void ask(const char* when) {
  printf("%s: thread %d of %d, level %d, at most %d\n", when, omp_get_thread_num(),
         omp_get_num_threads(), omp_get_level(), omp_get_max_threads());
}

int main(void) {
  settle();
  void* module = dlopen(getenv("TRAP_MODULE"), RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  theirs = (long (*)(int))dlsym(module, "module_sum");
  // A fold of libomp's is open now and stays open: libgomp has another number of threads, and its
  // setters, constructs and regions are its own business.
  omp_set_num_threads(3);
  printf("theirs %ld\n", theirs(20));
  ask("beside their fold");
  omp_set_num_threads(2);
  ask("after a setter of ours");
#pragma omp single
  printf("ours alone\n");
  printf("ours %ld, theirs %ld\n", regions(3), theirs(20));

  // In each of libgomp's threads.
  char lines[3][200] = {{0}};
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num();
    long sum = theirs(20);
    int length = snprintf(lines[me], sizeof(lines[me]), "%ld %d of %d, level %d; ", sum,
                          omp_get_thread_num(), omp_get_num_threads(), omp_get_level());
#pragma omp barrier
    sum = 0;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 30; ++i) {
#pragma omp atomic
      sum += theirs(1) / 28;
    }
    snprintf(lines[me] + length, sizeof(lines[me]) - (size_t)length, "%d of %d",
             omp_get_thread_num(), omp_get_num_threads());
#pragma omp critical
    printf("%s\n", sum >= 0 ? "done" : "");
  }
  for (int i = 0; i < 3; ++i) printf("%s\n", lines[i]);
  printf("theirs %ld\n", theirs(20));
  return finish();
}
