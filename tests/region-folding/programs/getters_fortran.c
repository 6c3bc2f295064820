// The names that Fortran compilers call, with arguments by address: they need the same answers.
// muster-test: folded >= 20
// muster-test: auto
#include "trap.h"

#define NAMES(X)                \
  X(omp_get_num_threads_)       \
  X(omp_get_thread_num_)        \
  X(omp_in_parallel_)           \
  X(omp_get_level_)             \
  X(omp_get_active_level_)      \
  X(omp_get_max_threads_)       \
  X(omp_get_dynamic_)           \
  X(omp_get_nested_)            \
  X(omp_get_max_active_levels_) \
  X(omp_get_thread_limit_)      \
  X(omp_get_proc_bind_)         \
  X(omp_get_default_device_)    \
  X(omp_get_team_num_)          \
  X(omp_get_num_teams_)         \
  X(omp_in_final_)

#define DECLARE(name) int name(void);
NAMES(DECLARE)
int omp_get_ancestor_thread_num_(const int* level);
int omp_get_team_size_(const int* level);
void omp_get_schedule_(int* kind, int* chunk);
void omp_set_num_threads_(const int* count);
void omp_set_schedule_(const int* kind, const int* chunk);
void omp_set_dynamic_(const int* flag);
void omp_set_max_active_levels_(const int* levels);
double omp_get_wtime_(void);

enum { kNames = 15 + 4 + 4 + 1 };

static void ask(int* to) {
  int i = 0, levels[] = {-1, 0, 1, 2};
#define ASK(name) to[i++] = name();
  NAMES(ASK)
  for (int k = 0; k < 4; ++k) to[i++] = omp_get_ancestor_thread_num_(&levels[k]);
  for (int k = 0; k < 4; ++k) to[i++] = omp_get_team_size_(&levels[k]);
  to[i++] = omp_get_wtime_() > 0;
}

static void print(const char* where, const int* answers) {
  printf("%s:", where);
  for (int i = 0; i < kNames; ++i) printf(" %d", answers[i]);
  printf("\n");
}

static void ask_all(void) {
  int serial[kNames], all[kMostThreads][kNames], kind, chunk;
  ask(serial);
  print("serial", serial);
  omp_get_schedule_(&kind, &chunk);
  printf("schedule %d %d\n", kind, chunk);
#pragma omp parallel
  ask(all[omp_get_thread_num()]);
  for (int i = 0; i < omp_get_max_threads_(); ++i) print("region", all[i]);
}

int main(void) {
  ask_all();
  settle();
  ask_all();
  settle();
  const int three = 3, zero = 0, one = 1, kind = 2, chunk = 5;
  omp_set_num_threads_(&three);
  ask_all();
  settle();
  omp_set_schedule_(&kind, &chunk);
  omp_set_dynamic_(&zero);
  ask_all();
  settle();
  omp_set_max_active_levels_(&one);
  ask_all();
  return finish();
}
