// The actor that runs a sequence, and how it reports what it saw. An actor is one run of the sequence in its context: a
// context whose team or loop runs it twice has two. Lines carry the actor's and the step's number, so that sorted they
// are the same in every run, and each is written at once, so that a crash shows how far the sequence came.
#pragma once

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How steps are compiled: in a file made for some sequences they become part of each (emitting.py).
#ifndef SHAPED
#define SHAPED
#endif

namespace sequences {

enum { kMostActors = 8, kMostSteps = 16, kMostThreads = 64, kMostLine = 400 };

struct Options {
  const char* context = "";
  int times = 1;          // regions that a step runs in a row
  int rounds = 1;         // how often the sequence is run in its context
  bool warm = false;      // a region at the root before the context and after it
  bool asks = false;      // the runtime's answers after every step
  bool asks_all = false;  // also what closes a fold
  int size = 3;           // OMP_NUM_THREADS
  int other_size = 2;     // another one
  const char* steps[kMostSteps] = {};
  int count = 0;
};
inline Options options;

struct Actor {
  int id = 0;
  int step = 0;
  int round = 0;
  bool dynamic =
      false;  // it has asked for dynamic adjustment: sizes of teams are the runtime's choice
  bool other_threads = false, other_schedule = false, other_levels = false;
  bool holds_lock = false, holds_nest_lock = false;
  omp_lock_t lock;
  omp_nest_lock_t nest_lock;
  long work = 0;  // what tasks did that may be pending
  int chain = 0;  // the order in which dependent tasks ran
  unsigned long checksum = 0;
};
inline Actor actors[kMostActors];

// Where a context's team decides which thread runs, thread numbers tell nothing.
inline bool has_own_number() {
  const char* const context = options.context;
  return strcmp(context, "single") != 0 && strcmp(context, "section") != 0 &&
         strcmp(context, "target_nowait") != 0;
}

// What the runtime answers here.
inline int state_of(char* text, size_t size) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  const int level = omp_get_level();
  const bool is_self = omp_get_ancestor_thread_num(level) == omp_get_thread_num() &&
                       omp_get_team_size(level) == omp_get_num_threads();
  return snprintf(text, size,
                  " | level %d active %d parallel %d threads %d me %d max %d dynamic %d levels %d "
                  "schedule %x,%d final %d%s",
                  level, omp_get_active_level(), omp_in_parallel(), omp_get_num_threads(),
                  has_own_number() ? omp_get_thread_num() : 0, omp_get_max_threads(),
                  omp_get_dynamic(), omp_get_max_active_levels(), unsigned(kind), chunk,
                  options.asks_all && omp_in_final(), is_self ? "" : " NOT ITS OWN ANCESTOR");
}

inline void write_line(const char* text, size_t length) {
  if (write(STDOUT_FILENO, text, length) < 0) _exit(99);
}

__attribute__((format(printf, 3, 4))) inline void note(Actor& actor, const char* name,
                                                       const char* format, ...) {
  char line[kMostLine];
  size_t used = size_t(snprintf(line, sizeof line, "%d.%02d %s: ", actor.id, actor.step, name));
  va_list values;
  va_start(values, format);
  used += size_t(vsnprintf(line + used, sizeof line - used, format, values));
  va_end(values);
  if (options.asks) used += size_t(state_of(line + used, sizeof line - used));
  for (size_t i = 0; i < used; ++i) actor.checksum = actor.checksum * 31 + (unsigned char)line[i];
  line[used++] = '\n';
  if (actor.round == 0) write_line(line, used);
}

}  // namespace sequences
