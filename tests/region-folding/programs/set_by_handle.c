// omp_set_num_threads by a pointer from the runtime's own handle, as thread pool controllers do: no
// interposition sees the call, and the next region must have the new size all the same.
// muster-test: folded >= 40
// muster-test: auto
#include <dlfcn.h>

#include "trap.h"

int main(void) {
  void* runtime = dlopen(on_libgomp() ? "libgomp.so.1" : "libomp.so.5", RTLD_NOW | RTLD_NOLOAD);
  void (*set)(int) = runtime != NULL ? (void (*)(int))dlsym(runtime, "omp_set_num_threads") : NULL;
  int (*most)(void) = runtime != NULL ? (int (*)(void))dlsym(runtime, "omp_get_max_threads") : NULL;
  int (*level)(void) = runtime != NULL ? (int (*)(void))dlsym(runtime, "omp_get_level") : NULL;
  if (set == NULL || most == NULL || level == NULL) {
    printf("no handle\n");
    return 1;
  }
  settle();
  const int sizes[] = {2, 4, 3, 1, 4, 8, 4};
  for (int i = 0; i < 7; ++i) {
    set(sizes[i]);
    printf("%d: %d, %d; %ld\n", sizes[i], most(), omp_get_max_threads(), regions(1));
    settle();
  }
#pragma omp parallel
  if (omp_get_thread_num() == 0) set(3);
  printf("in a region: %d, %d; %ld\n", most(), omp_get_max_threads(), regions(3));
  return finish();
}
