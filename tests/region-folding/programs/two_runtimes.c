// libgomp in the same process, by a module: its regions have nothing to do with libomp's open fold,
// and the names that both export are asked for by each.
// muster-test: skip libgomp: its module calls the same libgomp, past Muster
// muster-test: libgomp-module regions
// muster-test: folded >= 30
// muster-test: auto
#include <dlfcn.h>

#include "trap.h"

int main(void) {
  settle();
  void* module = dlopen(getenv("TRAP_MODULE"), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (module == NULL) {
    printf("%s\n", dlerror());
    return 1;
  }
  int (*other)(int) = (int (*)(int))dlsym(module, "module_regions");
  for (int round = 0; round < 6; ++round) {
    printf("theirs %d, ours %ld, %d at most\n", other(3), regions(3), omp_get_max_threads());
  }
  int sum = 0;
#pragma omp parallel
#pragma omp master
  sum = other(1) > 0;
  printf("theirs inside ours: %d\n", sum);
  return finish();
}
