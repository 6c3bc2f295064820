// Two runtimes that are both replaced, in a program of a third: a fold is one runtime's, and a thread has
// one fold.
// muster-test: libgomp-program
// muster-test: module sums
// muster-test: libiomp5-module sums
// muster-test: env KMP_DUPLICATE_LIB_OK=TRUE
// muster-test: folded >= 100
// muster-test: closed "another runtime" >= 9
// muster-test: auto
// muster-test: skip gnu libiomp5: both modules would have the same
#include <dlfcn.h>

#include "trap.h"

typedef long (*Sum)(int);

static Sum module_in(const char* variable) {
  void* module = dlopen(getenv(variable), RTLD_NOW | RTLD_LOCAL);
  Sum sum = module != NULL ? (Sum)dlsym(module, "module_sum") : NULL;
  if (sum == NULL) {
    printf("%s\n", dlerror());
    exit(1);
  }
  return sum;
}

int main(void) {
  settle();
  Sum first = module_in("TRAP_MODULE"), second = module_in("TRAP_SECOND_MODULE");
  for (int round = 1; round <= 5; ++round) {
    printf("%ld, %ld\n", first(round), second(round));
  }
  printf("%ld\n", first(30));
  printf("%ld\n", second(30));
  // Each in regions of the third's, by several threads.
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 6; ++i) {
    long sum = (i % 2 == 0 ? first : second)(10);
    if (sum != 28 * 55) printf("%d: %ld\n", i, sum);
  }
  return finish();
}
