// What all generated programs share: the checksum, the checks, and the model of what the runtime
// must answer.
//
// A program is deterministic if the set of its notes is: any thread may take a note at any time,
// the checksum is their sum. RANDOM_TRACE=1 prints each note, to find the first that differs.
#pragma once

#include <fenv.h>
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Not inlined: there are thousands of calls, which would take long to compile.
#define HELPER static __attribute__((noinline, unused))

enum { kMost = 64 };  // more threads than any team has

static unsigned long long checksum;
static int tracing;
// Zero, which no compiler knows: clauses that are evaluated at run time.
static volatile int zero;

HELPER void failed(int line, const char* what) {
  char text[200];
  int length = snprintf(text, sizeof(text), "line %d: not so: %s\n", line, what);
  // Past stdio and past the runtime, which may hang: the message must appear in any case.
  if (write(1, text, (size_t)length) != length) _exit(2);
  _exit(1);
}

#define expect(condition) ((condition) ? (void)0 : failed(__LINE__, #condition))

HELPER void note(int tag, long value) {
  unsigned long long mixed = (unsigned long long)value * 0x9e3779b97f4a7c15u + (unsigned)tag;
  mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 32)) * 0x94d049bb133111ebu;
  __atomic_fetch_add(&checksum, mixed ^ (mixed >> 31), __ATOMIC_RELAXED);
  if (tracing) fprintf(stderr, "note %d: %ld\n", tag, value);
}

// muster-test: race checkpoint: notes of a league; Archer does not see a league begin or end
HELPER void checkpoint(int number) { printf("%d: %016llx\n", number, checksum); }

HELPER void nap(int microseconds) {
  struct timespec time = {0, microseconds * 1000L};
  nanosleep(&time, NULL);
}

// Never 0, and another one for each place, round and writer.
HELPER long mark(int tag, int round, int writer) {
  return 1 + tag * 1000000L + round * 1000L + writer;
}

// The internal control variables of one task, as far as the runtime must have them.
typedef struct {
  int threads, level, active, most_active;
  int kind, chunk;  // of omp_set_schedule; kind 0: never set
} Icvs;

HELPER int setting(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text == NULL ? otherwise : atoi(text);
}

HELPER Icvs first_icvs(void) {
  Icvs icvs = {setting("OMP_NUM_THREADS", 1), 0, 0, setting("OMP_MAX_ACTIVE_LEVELS", 1), 0, 0};
  return icvs;
}

// The size of a region's team; `wanted` 0: no clause.
HELPER int team_size(const Icvs* outer, int wanted, int condition) {
  if (!condition || outer->active >= outer->most_active) return 1;
  return wanted > 0 ? wanted : outer->threads;
}

// A region's implicit task, seen from itself.
HELPER Icvs inside(const Icvs* outer, int size) {
  Icvs inner = *outer;
  ++inner.level;
  inner.active += size > 1;
  return inner;
}

HELPER void check_schedule(const Icvs* icvs) {
  if (icvs->kind == 0) return;
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  expect((int)kind == icvs->kind);
  if (icvs->chunk > 0) expect(chunk == icvs->chunk);
}

HELPER void check_levels(const Icvs* icvs) {
  expect(omp_get_level() == icvs->level);
  expect(omp_get_active_level() == icvs->active);
  expect(omp_in_parallel() == (icvs->active > 0));
  expect(omp_get_max_active_levels() == icvs->most_active);
}

// Everything that thread `me` of a region of `size` threads can ask.
HELPER void check_icvs(const Icvs* icvs, int me, int size) {
  check_levels(icvs);
  check_schedule(icvs);
  expect(omp_get_max_threads() == icvs->threads);
  expect(omp_get_ancestor_thread_num(icvs->level) == me);
  expect(omp_get_team_size(icvs->level) == size);
  expect(omp_get_ancestor_thread_num(icvs->level + 1) == -1);
  expect(omp_get_team_size(icvs->level + 1) == -1);
  expect(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
  expect(omp_get_dynamic() == 0);
}

// The same of the serial part.
HELPER void check_serial(const Icvs* icvs) {
  expect(omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
  check_icvs(icvs, 0, 1);
}

// A thread-private variable keeps its value from one active region to the next of the same size.
typedef struct {
  long before, now;  // `before` 0: nothing to compare with
} Kept;

static long kept;
static long passed;  // by copyin
#pragma omp threadprivate(kept, passed)
static struct {
  int team;
  long stamp;
} last_region;

HELPER Kept next_kept(int size) {
  Kept result = {0, 0};
  if (size <= 1) return result;
  if (size == last_region.team) result.before = last_region.stamp;
  last_region.team = size;
  last_region.stamp += kMost;
  result.now = last_region.stamp;
  return result;
}

HELPER void visit_kept(const Kept* region, int me) {
  if (region->now == 0) return;
#ifndef FORGETFUL
  if (region->before != 0) expect(kept == region->before + me);
#endif
  kept = region->now + me;
}

// A region that no thread enters.
HELPER void pass_kept(int size) {
  if (size > 1 && size != last_region.team) last_region.team = 0;
}

// A region of another size, or of a kind that need not keep them, lies between.
HELPER void forget_kept(void) { last_region.team = 0; }

HELPER void add_one(long* value) { __atomic_fetch_add(value, 1, __ATOMIC_RELAXED); }

// 1/3, which tells the rounding mode.
HELPER long third(void) {
  volatile double one = 1, three = 3;
  double quotient = one / three;
  long bits;
  memcpy(&bits, &quotient, sizeof(bits));
  return bits;
}

// The signals of this thread's mask that programs change.
HELPER int blocked_signals(void) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  return sigismember(&mask, SIGUSR1) + 2 * sigismember(&mask, SIGUSR2);
}

HELPER void change_mask(int how, int number) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, number);
  pthread_sigmask(how, &mask, NULL);
}

// For a reduction that the user declares: the sum and the largest.
typedef struct {
  long sum, most;
} Summary;

HELPER void add_summary(Summary* into, const Summary* from) {
  into->sum += from->sum;
  if (from->most > into->most) into->most = from->most;
}

HELPER void add_value(Summary* into, long value) {
  Summary single = {value, value};
  add_summary(into, &single);
}

#pragma omp declare reduction(summary:Summary : add_summary(&omp_out, &omp_in)) \
    initializer(omp_priv = {0, 0})

// Worksharing constructs without a region of their own: called from regions and from serial parts.
HELPER void orphan_static(long* hits, int count) {
#pragma omp for schedule(static)
  for (int i = 0; i < count; ++i) ++hits[i];
}

HELPER void orphan_dynamic(long* hits, int count, int chunk) {
#pragma omp for schedule(dynamic, chunk)
  for (int i = 0; i < count; ++i) ++hits[i];
}

HELPER void orphan_ordered(long* next, int count) {
#pragma omp for ordered schedule(runtime)
  for (int i = 0; i < count; ++i) {
#pragma omp ordered
    {
      expect(*next == i);
      ++*next;
    }
  }
}

HELPER void orphan_sections(long* hits) {
#pragma omp sections
  {
#pragma omp section
    ++hits[0];
#pragma omp section
    ++hits[1];
#pragma omp section
    ++hits[2];
  }
}

HELPER long orphan_single(long value) {
  long got;
#pragma omp single copyprivate(got)
  got = value + 1;
  return got;
}

HELPER void orphan_tasks(long* hits, int count) {
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(i)
    ++hits[i];
  }
}

HELPER void orphan_barriers(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp barrier
  }
}

// Regions inside each other, `depth` of them, each thread of each opening its own.
HELPER void recurse(const Icvs* outer, int wanted, int depth, long* count) {
  const int want = team_size(outer, wanted, 1);
#pragma omp parallel num_threads(wanted)
  {
    const Icvs inner = inside(outer, want);
    check_icvs(&inner, omp_get_thread_num(), want);
    add_one(count);
    if (depth > 1) recurse(&inner, wanted, depth - 1, count);
  }
}

HELPER long recursions(const Icvs* outer, int wanted, int depth) {
  if (depth == 0) return 0;
  const int size = team_size(outer, wanted, 1);
  const Icvs inner = inside(outer, size);
  return size * (1 + recursions(&inner, wanted, depth - 1));
}

HELPER void jump_back(jmp_buf* place) { longjmp(*place, 1); }
