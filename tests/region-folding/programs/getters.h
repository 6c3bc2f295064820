// Everything that can be asked without an argument, and what is asked for an own level.
#pragma once

#include "trap.h"

#define GETTERS(X)                   \
  X(omp_get_num_threads)             \
  X(omp_get_thread_num)              \
  X(omp_in_parallel)                 \
  X(omp_get_level)                   \
  X(omp_get_active_level)            \
  X(omp_get_max_threads)             \
  X(omp_get_dynamic)                 \
  X(omp_get_nested)                  \
  X(omp_get_max_active_levels)       \
  X(omp_get_supported_active_levels) \
  X(omp_get_thread_limit)            \
  X(omp_get_cancellation)            \
  X(omp_get_proc_bind)               \
  X(omp_get_num_places)              \
  X(omp_get_place_num)               \
  X(omp_get_partition_num_places)    \
  X(omp_get_default_device)          \
  X(omp_get_num_devices)             \
  X(omp_get_initial_device)          \
  X(omp_is_initial_device)           \
  X(omp_get_team_num)                \
  X(omp_get_num_teams)               \
  X(omp_in_final)                    \
  X(omp_get_max_task_priority)       \
  X(ancestor_below)                  \
  X(ancestor_0)                      \
  X(ancestor_1)                      \
  X(ancestor_2)                      \
  X(size_below)                      \
  X(size_0)                          \
  X(size_1)                          \
  X(size_2)                          \
  X(schedule)                        \
  X(chunk)

static inline int ancestor_below(void) { return omp_get_ancestor_thread_num(-1); }
static inline int ancestor_0(void) { return omp_get_ancestor_thread_num(0); }
static inline int ancestor_1(void) { return omp_get_ancestor_thread_num(1); }
static inline int ancestor_2(void) { return omp_get_ancestor_thread_num(2); }
static inline int size_below(void) { return omp_get_team_size(-1); }
static inline int size_0(void) { return omp_get_team_size(0); }
static inline int size_1(void) { return omp_get_team_size(1); }
static inline int size_2(void) { return omp_get_team_size(2); }

static inline int schedule(void) {
  omp_sched_t kind;
  int size;
  omp_get_schedule(&kind, &size);
  return (int)kind;
}

static inline int chunk(void) {
  omp_sched_t kind;
  int size;
  omp_get_schedule(&kind, &size);
  return size;
}

#define GETTER_INDEX(name) index_of_##name,
enum { GETTERS(GETTER_INDEX) kGetters };
#undef GETTER_INDEX

struct answers {
  int of[kGetters];
};

static struct answers ask(void) {
  struct answers answers;
#define GETTER_ASK(name) answers.of[index_of_##name] = name();
  GETTERS(GETTER_ASK)
#undef GETTER_ASK
  return answers;
}

static void print_answers(const char* where, const struct answers* answers) {
  printf("%s:", where);
#define GETTER_PRINT(name) printf(" %s=%d", #name, answers->of[index_of_##name]);
  GETTERS(GETTER_PRINT)
#undef GETTER_PRINT
  printf("\n");
}
