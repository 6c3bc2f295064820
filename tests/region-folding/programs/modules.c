// A module that owns the functions of regions is loaded and unloaded with a fold open: nothing may
// remember its code or its objects.
// muster-test: module regions
// muster-test: folded >= 30
// muster-test: auto
#include <dlfcn.h>

#include "trap.h"

int main(void) {
  settle();
  for (int round = 0; round < 8; ++round) {
    void* module = dlopen(getenv("TRAP_MODULE"), round % 2 == 0 ? RTLD_NOW : RTLD_LAZY);
    if (module == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    int (*own)(int) = (int (*)(int))dlsym(module, "module_regions");
    printf("%d, ", own(round % 4 + 1));
    if (round % 3 == 0) printf("%ld, ", regions(3));
    dlclose(module);
    printf("closed: %ld\n", regions(round % 2 == 0 ? 3 : 1));
  }
  return finish();
}
