// A program that uses PAPI itself: reads Muster's counts while it runs. Called with the events' names.
#include <omp.h>
#include <papi.h>
#include <stdio.h>

enum { kMost = 16 };

static int failed(const char* what, int error) {
  printf("%s: %s\n", what, PAPI_strerror(error));
  return 1;
}

static void barriers(int threads, int count) {
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < count; ++i) {
#pragma omp barrier
  }
}

int main(int argc, char** argv) {
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return failed("init", PAPI_EINVAL);
  barriers(2, 10);  // before the start: not counted
  int set = PAPI_NULL;
  long long values[kMost] = {0};
  int error = PAPI_create_eventset(&set);
  for (int i = 1; i < argc && i <= kMost && error == PAPI_OK; ++i)
    error = PAPI_add_named_event(set, argv[i]);
  if (error != PAPI_OK) return failed("add", error);
  if ((error = PAPI_start(set)) != PAPI_OK) return failed("start", error);
  barriers(4, 100);
  if ((error = PAPI_read(set, values)) != PAPI_OK) return failed("read", error);
  printf("at first %lld\n", values[0]);
  barriers(3, 50);
  barriers(2, 50);
  barriers(5, 50);
  barriers(6, 50);
  barriers(7, 50);  // more sizes than a team keeps
  if ((error = PAPI_stop(set, values)) != PAPI_OK) return failed("stop", error);
  for (int i = 1; i < argc && i <= kMost; ++i) printf("%s %lld\n", argv[i], values[i - 1]);
  return 0;
}
