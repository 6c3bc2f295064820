// A shared object whose functions end with calls of the runtime. Compilers make jumps of these, and so the runtime's
// functions return to whoever called this object: the return address does not tell that the call is this object's.
#include <omp.h>

#define EXPORTED __attribute__((visibility("default")))

enum { kMost = 64, kRounds = 10 };

static long g_members;
static long g_levels;
static long g_missed;
static long g_cell[kMost];

static __attribute__((noinline)) void body(void) {
  const int me = omp_get_thread_num();
  const int n = omp_get_num_threads();
#pragma omp atomic
  g_members += 1;
#pragma omp atomic
  g_levels += omp_get_level();
  for (long round = 1; round <= kRounds; ++round) {
    g_cell[me] = round;
#pragma omp barrier
    for (int i = 0; i < n; ++i) {
      if (g_cell[i] != round) {
#pragma omp atomic
        g_missed += 1;
      }
    }
#pragma omp barrier
  }
}

EXPORTED void run(void) {
#pragma omp parallel
  body();
}
EXPORTED void run_other(void (*other)(void)) {
#pragma omp parallel
  other();
}
EXPORTED void set_num_threads(int size) { omp_set_num_threads(size); }
EXPORTED int get_max_threads(void) { return omp_get_max_threads(); }
EXPORTED int get_thread_num(void) { return omp_get_thread_num(); }
EXPORTED int get_num_threads(void) { return omp_get_num_threads(); }
EXPORTED int get_level(void) { return omp_get_level(); }
EXPORTED void barrier(void) {
#pragma omp barrier
}

// Since the last call: members of regions, the sum of their levels, and barriers that let one through early.
EXPORTED long take(int which) {
  long* const counts[] = {&g_members, &g_levels, &g_missed};
  const long count = *counts[which];
  *counts[which] = 0;
  return count;
}

#ifdef AT_LOAD
// As constructors, these return to the loader.
static void set_at_load(void) { omp_set_num_threads(AT_LOAD); }
static void ask_at_load(void) { (void)omp_get_max_threads(); }

typedef void Constructor(void);
#define TEN(name) name, name, name, name, name, name, name, name, name, name
__attribute__((section(".init_array"), used,
               aligned(sizeof(void*)))) static Constructor* const g_constructors[] = {
    set_at_load, TEN(ask_at_load), TEN(ask_at_load), TEN(ask_at_load)};
#endif
