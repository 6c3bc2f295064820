// A preload that measures, as TAU's wrappers do: it stands in for some of the runtimes' functions, counts the calls and
// goes on to the next definition. The counts go to stderr at the end, if WRAPPER_TELLS is set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static long g_regions, g_queries;

static void* next(const char* name) { return dlsym(RTLD_NEXT, name); }

static void count(long* what) { __atomic_fetch_add(what, 1, __ATOMIC_RELAXED); }

void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  count(&g_regions);
  void (*real)(void (*)(void*), void*, unsigned, unsigned);
  *(void**)&real = next("GOMP_parallel");
  real(function, data, threads, flags);
}

typedef void Microtask(int*, int*, ...);

void __kmpc_fork_call(void* where, int many, Microtask* function, ...);
void __kmpc_fork_call(void* where, int many, Microtask* function, ...) {
  count(&g_regions);
  void* a[8] = {0};
  va_list list;
  va_start(list, function);
  for (int i = 0; i < many && i < 8; ++i) a[i] = va_arg(list, void*);
  va_end(list);
  void (*real)(void*, int, Microtask*, ...);
  *(void**)&real = next("__kmpc_fork_call");
  real(where, many, function, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

int omp_get_max_threads(void);
int omp_get_max_threads(void) {
  count(&g_queries);
  int (*real)(void);
  *(void**)&real = next("omp_get_max_threads");
  return real();
}

void omp_set_num_threads(int number);
void omp_set_num_threads(int number) {
  count(&g_queries);
  void (*real)(int);
  *(void**)&real = next("omp_set_num_threads");
  real(number);
}

__attribute__((destructor)) static void tell(void) {
  if (getenv("WRAPPER_TELLS") != NULL)
    fprintf(stderr, "wrapper: %ld regions, %ld queries\n", g_regions, g_queries);
}
