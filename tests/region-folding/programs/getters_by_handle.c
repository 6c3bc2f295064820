// Getters by pointers from the runtime's own handle: no interposition sees these calls. In regions the
// runtime itself answers right. In the serial part it answers for the open fold: that is a limit of
// folding, so only what thread pool controllers ask there is asked here.
// muster-test: folded >= 15
#include <dlfcn.h>

#include "trap.h"

static const char* const names[] = {"omp_get_num_threads", "omp_get_thread_num", "omp_in_parallel",
                                    "omp_get_level", "omp_get_max_threads"};
enum { kNames = 5 };

int main(void) {
  void* runtime = dlopen(on_libgomp() ? "libgomp.so.1" : "libomp.so.5", RTLD_NOW | RTLD_NOLOAD);
  if (runtime == NULL) return 1;
  for (int round = 0; round < 3; ++round) {
    int of[kMostThreads][kNames];
    printf("at most %d\n", ((int (*)(void))dlsym(runtime, "omp_get_max_threads"))());
#pragma omp parallel
    for (int i = 0; i < kNames; ++i) {
      of[omp_get_thread_num()][i] = ((int (*)(void))dlsym(runtime, names[i]))();
    }
    for (int i = 0; i < kNames; ++i) printf("%s %d %d\n", names[i], of[0][i], of[3][i]);
    settle();
  }
  return finish();
}
