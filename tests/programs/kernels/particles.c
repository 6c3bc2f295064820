// Particles in a box: a region moves them, each thread records those that hit a wall in a list of its own,
// which is threadprivate and lives from step to step; the serial part puts the lists together in the
// threads' order; a second region slows down those in the list. The step's settings are copied in.
//
// Positions are whole numbers and the loops are static, so the order of all hits is that of a serial
// run, whatever the number of threads. That run is made for comparison.
#include <omp.h>
#include <string.h>

#include "kernel.h"

enum { kDimensions = 3, kMostThreads = 1024 };

struct particle {
  int64_t place[kDimensions], speed[kDimensions];
};

struct settings {
  int64_t box, time_step;
};

struct list {
  int* items;
  int length, capacity;
};

static struct settings settings;
static struct list hits;
static long own_hits;  // of this thread, in all steps
#pragma omp threadprivate(settings, hits, own_hits)

static const struct list* lists[kMostThreads];

static void append(struct list* list, int item) {
  if (list->length == list->capacity) {
    list->capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
    list->items = realloc(list->items, (size_t)list->capacity * sizeof *list->items);
    if (list->items == NULL) abort();
  }
  list->items[list->length++] = item;
}

static void prepare(struct particle* particles, int n) {
  for (int i = 0; i < n; ++i) {
    for (int d = 0; d < kDimensions; ++d) {
      uint64_t drawn = scrambled((uint64_t)i * kDimensions + (uint64_t)d);
      particles[i].place[d] = (int64_t)(drawn % 1000000);
      particles[i].speed[d] = (int64_t)(drawn >> 40) % 20001 - 10000;
    }
  }
}

// Returns whether it was reflected.
static int move(struct particle* one) {
  int reflected = 0;
  for (int d = 0; d < kDimensions; ++d) {
    one->place[d] += one->speed[d] * settings.time_step;
    if (one->place[d] < 0 || one->place[d] >= settings.box) {
      one->speed[d] = -one->speed[d];
      one->place[d] += 2 * one->speed[d] * settings.time_step;
      reflected = 1;
    }
  }
  return reflected;
}

static void slow_down(struct particle* one) {
  for (int d = 0; d < kDimensions; ++d) one->speed[d] -= one->speed[d] / 16;
}

static struct settings settings_of(int step) {
  return (struct settings){1000000 - step * 16, 1 + step % 3};
}

// Returns `checksum` with the hits of this step, in their order.
static uint64_t parallel_step(struct particle* particles, int n, int step, uint64_t checksum) {
  static struct list together;
  settings = settings_of(step);
  int threads = 0;
#pragma omp parallel copyin(settings)
  {
    int me = omp_get_thread_num();
#pragma omp single nowait
    threads = omp_get_num_threads();
    hits.length = 0;
    lists[me] = &hits;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; ++i) {
      if (move(&particles[i])) append(&hits, i);
    }
    own_hits += hits.length;
  }
  together.length = 0;
  for (int thread = 0; thread < threads; ++thread) {
    for (int i = 0; i < lists[thread]->length; ++i) append(&together, lists[thread]->items[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < together.length; ++i) slow_down(&particles[together.items[i]]);

  for (int i = 0; i < together.length; ++i) checksum = mixed(checksum, together.items[i]);
  return mixed(checksum, step);
}

static uint64_t serial_step(struct particle* particles, int n, int step, uint64_t checksum) {
  settings = settings_of(step);
  for (int i = 0; i < n; ++i) {
    if (!move(&particles[i])) continue;
    slow_down(&particles[i]);
    checksum = mixed(checksum, i);
    ++own_hits;
  }
  return mixed(checksum, step);
}

// What all threads counted since the last call.
static long hits_counted(void) {
  long total = 0;
#pragma omp parallel reduction(+ : total)
  {
    total += own_hits;
    own_hits = 0;
  }
  return total;
}

int main(int count, char** words) {
  int n = (int)size_of(count, words, 2000, 1, 1 << 24),
      steps = (int)repetitions_of(count, words, 300);
  struct particle* particles = malloc((size_t)n * sizeof *particles);
  struct particle* expected = malloc((size_t)n * sizeof *expected);
  if (particles == NULL || expected == NULL) return 3;
  prepare(particles, n);
  prepare(expected, n);

  uint64_t checksum = 0, expected_checksum = 0;
  double begin = now();
  for (int step = 0; step < steps; ++step) {
    checksum = parallel_step(particles, n, step, checksum);
  }
  double seconds = now() - begin;
  long counted = hits_counted();

  for (int step = 0; step < steps; ++step) {
    expected_checksum = serial_step(expected, n, step, expected_checksum);
  }
  int good = checksum == expected_checksum && counted == own_hits &&
             memcmp(particles, expected, (size_t)n * sizeof *particles) == 0;
  free(particles);
  free(expected);
  return conclude("particles", good, mixed(checksum, counted), seconds);
}
