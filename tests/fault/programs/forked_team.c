// forked_team WHAT: fork() where the parent's thread has had a team. In the child, libgomp waits for the team's other
// threads, which do not exist there. WHAT is what the child does, or what comes before the fork. A count of threads is
// printed only where stock has it as well: what begins with "lost" ends only with Muster.
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kItems = 1000, kSum = kItems * (kItems - 1) / 2 };

static int reap(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static int size_of_team(void) {
  int size = 0;
#pragma omp parallel
#pragma omp masked
  size = omp_get_num_threads();
  return size;
}

// Every kind of region and what depends on its size.
static void all_kinds(int expected) {
  long sum = 0;
  int most = omp_get_max_threads();
#pragma omp parallel reduction(+ : sum)
  {
    expect(omp_get_num_threads() == expected && omp_get_thread_num() < expected);
    expect(omp_get_level() == 1 && omp_get_active_level() == (expected > 1) &&
           omp_in_parallel() == (expected > 1));
    expect(omp_get_team_size(1) == expected && omp_get_ancestor_thread_num(0) == 0);
#pragma omp for
    for (int i = 0; i < kItems; ++i) sum += i;
#pragma omp barrier
#pragma omp single
    expect(omp_get_num_threads() == expected);
  }
  expect(sum == kSum && omp_get_level() == 0 && omp_get_max_threads() == most);
  sum = 0;
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum) num_threads(3)
  for (int i = 0; i < kItems; ++i) sum += i;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (int i = 0; i < kItems; ++i) sum += i;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < kItems; ++i) sum += i;
#pragma omp parallel for schedule(monotonic : dynamic) reduction(+ : sum)
  for (int i = 0; i < kItems; ++i) sum += i;
#pragma omp parallel for schedule(static, 3) ordered reduction(+ : sum)
  for (int i = 0; i < kItems; ++i) {
#pragma omp ordered
    sum += i;
  }
  expect(sum == 5 * kSum);
  int sections = 0;
#pragma omp parallel sections reduction(+ : sections)
  {
#pragma omp section
    ++sections;
#pragma omp section
    ++sections;
#pragma omp section
    ++sections;
  }
  expect(sections == 3);
  long tasks = 0;
#pragma omp parallel reduction(task, + : tasks)
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : tasks)
    tasks += i;
  }
  expect(tasks == 190);
  int inner = 0;
#pragma omp parallel reduction(+ : inner)
#pragma omp parallel reduction(+ : inner)
  inner += omp_get_num_threads();
  expect(inner ==
         expected);  // nested regions have one thread, inside a team and in the place of one
}

static void in_child(void (*what)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    what();
    fflush(stdout);
    exit(errors_seen == 0 ? 7 : 8);
  }
  expect(reap(child) == 7);
}

static void regions_alone(void) {
  for (int i = 0; i < 3; ++i) all_kinds(1);
}

static void grandchild(void) {
  regions_alone();
  in_child(regions_alone);
  regions_alone();
}

// The regions of the code of gcc before 4.9.
void GOMP_parallel_start(void (*)(void*), void*, unsigned);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_dynamic_start(void (*)(void*), void*, unsigned, long, long, long, long);
bool GOMP_loop_dynamic_next(long*, long*);
void GOMP_loop_end_nowait(void);

static int arrived = 0;
static void arrive(void* data) {
  (void)data;
  __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
}
static void take(void* data) {
  long begin, end;
  while (GOMP_loop_dynamic_next(&begin, &end))
    __atomic_fetch_add((long*)data, end - begin, __ATOMIC_RELAXED);
  GOMP_loop_end_nowait();
}
static void started(void) {
  GOMP_parallel_start(arrive, NULL, 4);
  arrive(NULL);
  int inner = size_of_team();
  GOMP_parallel_end();
  long taken = 0;
  GOMP_parallel_loop_dynamic_start(take, &taken, 4, 0, 100, 1, 3);
  take(&taken);
  GOMP_parallel_end();
  expect(arrived == 1 && inner == 1 && taken == 100);
}

static void ends_at_once(void) { expect(size_of_team() == 1), _exit(errors_seen == 0 ? 7 : 8); }

static void league(void) {
#pragma omp teams num_teams(2)
  expect(size_of_team() == 1);
}

static void pauses(void) {
  expect(omp_pause_resource_all(omp_pause_soft) != 0);
  expect(omp_pause_resource(omp_pause_hard, omp_get_initial_device()) != 0);
  regions_alone();
}

// From here on what works without Muster.

static void print_size(void) { printf("%d threads\n", size_of_team()); }

static void* fork_after_a_team(void* unused) {
  all_kinds(omp_get_max_threads());
  in_child(regions_alone);
  return unused;
}

static void* print_in_thread(void* unused) {
  print_size();
  return unused;
}

static void in_thread(void* (*what)(void*)) {
  pthread_t thread;
  expect(pthread_create(&thread, NULL, what, NULL) == 0);
  pthread_join(thread, NULL);
}

static void new_thread(void) { in_thread(print_in_thread); }

static void* fork_in_thread(void* unused) {
  in_child(print_size);
  return unused;
}

static void nested(void) {
#pragma omp parallel num_threads(1)
  print_size();
}

// The region of a child that was forked inside it does not end, but nested ones do.
static void inside(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int thread = 0; thread < 2; ++thread) {
#pragma omp barrier
    if (omp_get_thread_num() != thread) continue;
    const pid_t child = fork();
    if (child == 0) {
      int size = 0;
#pragma omp parallel num_threads(3) reduction(+ : size)
      ++size;
      printf("%d threads inside\n", size);
      fflush(stdout);
      _exit(7);
    }
    expect(reap(child) == 7);
  }
  omp_set_max_active_levels(1);
}

static void target(void) {
#pragma omp target
  print_size();
}

static void executes(void) { execl("/bin/sh", "sh", "-c", "echo executed; exit 7", (char*)NULL); }

static void idle(void) { printf("%d, %d\n", omp_get_max_threads(), omp_get_num_threads()); }

// Pages that the parent holds.
static long resident(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) expect(0);
  if (file != NULL) fclose(file);
  return pages;
}

static void many(int forks) {
  long before = 0;
  for (int i = 0; i < forks; ++i) {
    if (i == forks / 10) before = resident();
    in_child(ends_at_once);
    if (i % 16 == 0) expect(size_of_team() == omp_get_max_threads());
  }
  expect(resident() - before < 64);
}

static const struct {
  const char* name;
  void (*child)(void);
} kChildren[] = {
    {"lost", regions_alone},   {"lost-grandchild", grandchild},
    {"lost-started", started}, {"lost-league", league},
    {"lost-pause", pauses},    {"new-thread", new_thread},
    {"nested", nested},        {"target", target},
    {"exec", executes},        {"idle", idle},
};

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const char* what = arguments[1];
  if (strcmp(what, "first") == 0) in_child(print_size);
  if (strcmp(what, "small") == 0) {
    for (int i = 0; i < 5; ++i) {
#pragma omp parallel num_threads(1)
      expect(omp_get_num_threads() == 1);
    }
    in_child(print_size);
  }
  if (strcmp(what, "targets") == 0) {
    target();
    in_child(print_size);
  }
  all_kinds(omp_get_max_threads());
  for (int i = 0; i < 20; ++i) expect(size_of_team() == omp_get_max_threads());
  if (strcmp(what, "paused") == 0) {
    expect(omp_pause_resource_all(omp_pause_soft) == 0);
    in_child(print_size);
  }
  if (strcmp(what, "inside") == 0) inside();
  if (strcmp(what, "other-thread") == 0) in_thread(fork_in_thread);
  if (strcmp(what, "lost-thread") == 0) in_thread(fork_after_a_team);
  if (strcmp(what, "lost-many") == 0) many(count > 2 ? atoi(arguments[2]) : 200);
  for (unsigned i = 0; i < sizeof(kChildren) / sizeof(kChildren[0]); ++i) {
    if (strcmp(what, kChildren[i].name) != 0) continue;
    in_child(kChildren[i].child);
    in_child(kChildren[i].child);
  }
  all_kinds(omp_get_max_threads());
  return verdict("forked_team", size_of_team());
}
