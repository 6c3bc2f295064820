/* The worst case of region folding: R parallel regions, then a call in the serial part that closes the fold, and again.
 * Prints the time of a region, including the call. A plain OpenMP program that does not depend on Muster.
 *
 *   short_folds [--closer none|setter|getter|serialized] [--regions R[,R...]] [--samples N] [--test-time US]
 *                [--warm-up MS] [--csv]
 *
 * To measure a library that adapts itself, use one R in each run: it may have adapted to an earlier one. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostThreads = 1024, kMostLengths = 64, kMostSamples = 10000, kBadInput = 2 };

/* How often each thread was in a region: on a line of its own, and checked at the end. */
static struct {
  _Alignas(128) unsigned long value;
} counts[kMostThreads];

static int threads;

static void close_by_nothing(void) {}
static void close_by_setter(void) { omp_set_num_threads(threads); }
static void close_by_getter(void) { (void)omp_get_place_num(); }
static void close_by_serialized(void) {
#pragma omp parallel if (0)
  __asm__ volatile("" : : : "memory");
}

struct closer {
  const char* name;
  void (*run)(void);
};
static const struct closer closers[] = {{"none", close_by_nothing},
                                        {"setter", close_by_setter},
                                        {"getter", close_by_getter},
                                        {"serialized", close_by_serialized}};

struct options {
  const struct closer* closer;
  long lengths[kMostLengths];
  int length_count;
  long samples;
  long test_time_us;
  long warm_up_ms;
  int csv;
};

struct result {
  long cycles;
  double median_us;
  double min_us;
};

static unsigned long regions_run;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* The time of one region. */
static double run_us(void (*closer)(void), long regions, long cycles) {
  const double start = now_us();
  for (long cycle = 0; cycle < cycles; ++cycle) {
    for (long r = 0; r < regions; ++r) {
#pragma omp parallel
      ++counts[omp_get_thread_num()].value;
    }
    closer();
  }
  regions_run += (unsigned long)(cycles * regions);
  return (now_us() - start) / (double)(cycles * regions);
}

static int ascending(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

static struct result measure(const struct options* options, long regions) {
  static double times[kMostSamples];
  void (*const closer)(void) = options->closer->run;
  struct result result = {.cycles = 1};
  /* Until the threads have found a CPU each, and a library that adapts itself has. */
  const double until = now_us() + (double)options->warm_up_ms * 1e3;
  while (now_us() < until) run_us(closer, regions, 1);
  /* Twice, as in syncbench: one run alone may have been long for an interruption. */
  for (;; result.cycles *= 2) {
    const double least = (double)options->test_time_us / (double)(result.cycles * regions);
    if (run_us(closer, regions, result.cycles) >= least &&
        run_us(closer, regions, result.cycles) >= least) {
      break;
    }
  }
  for (long i = 0; i < options->samples; ++i) times[i] = run_us(closer, regions, result.cycles);
  qsort(times, (size_t)options->samples, sizeof(times[0]), ascending);
  const long half = options->samples / 2;
  result.median_us = options->samples % 2 != 0 ? times[half] : (times[half - 1] + times[half]) / 2;
  result.min_us = times[0];
  return result;
}

static int all_were_run(void) {
  for (int t = 0; t < threads; ++t) {
    if (counts[t].value != regions_run) return 0;
  }
  return 1;
}

static int find_runtime(struct dl_phdr_info* object, size_t size, void* out) {
  (void)size;
  const char* slash = strrchr(object->dlpi_name, '/');
  const char* name = slash != NULL ? slash + 1 : object->dlpi_name;
  if (strncmp(name, "libomp", 6) != 0 && strncmp(name, "libiomp", 7) != 0 &&
      strncmp(name, "libgomp", 7) != 0) {
    return 0;
  }
  *(const char**)out = object->dlpi_name;
  return 1;
}

static void bad_input(const char* option, const char* value) {
  fprintf(stderr, "short_folds: %s %s: not a value it takes\n", option, value);
  exit(kBadInput);
}

static long number(const char* option, const char* text, char** end, long most) {
  errno = 0;
  const long value = strtol(text, end, 10);
  if (*end == text || errno != 0 || value < 1 || value > most) bad_input(option, text);
  return value;
}

static long whole_number(const char* option, const char* text, long most) {
  char* end = NULL;
  const long value = number(option, text, &end, most);
  if (*end != '\0') bad_input(option, text);
  return value;
}

static void read_lengths(const char* text, struct options* options) {
  options->length_count = 0;
  for (const char* at = text;;) {
    char* end = NULL;
    if (options->length_count == kMostLengths) bad_input("--regions", text);
    options->lengths[options->length_count++] = number("--regions", at, &end, 1000000);
    if (*end == '\0') return;
    if (*end != ',') bad_input("--regions", text);
    at = end + 1;
  }
}

static const struct closer* find_closer(const char* name) {
  for (size_t i = 0; i < sizeof(closers) / sizeof(closers[0]); ++i) {
    if (strcmp(closers[i].name, name) == 0) return &closers[i];
  }
  bad_input("--closer", name);
  return NULL;
}

static struct options read_options(int count, char** arguments) {
  struct options options = {
      .closer = &closers[1], .samples = 20, .test_time_us = 1000, .warm_up_ms = 100};
  read_lengths("1,2,3,4,8,16,64", &options);
  for (int i = 1; i < count; ++i) {
    const char* option = arguments[i];
    if (strcmp(option, "--csv") == 0) {
      options.csv = 1;
      continue;
    }
    const char* value = i + 1 < count ? arguments[++i] : "(nothing)";
    if (strcmp(option, "--closer") == 0) {
      options.closer = find_closer(value);
    } else if (strcmp(option, "--regions") == 0) {
      read_lengths(value, &options);
    } else if (strcmp(option, "--samples") == 0) {
      options.samples = whole_number(option, value, kMostSamples);
    } else if (strcmp(option, "--test-time") == 0) {
      options.test_time_us = whole_number(option, value, 100000000);
    } else if (strcmp(option, "--warm-up") == 0) {
      options.warm_up_ms = whole_number(option, value, 1000000);
    } else {
      bad_input(option, "");
    }
  }
  return options;
}

int main(int count, char** arguments) {
  const struct options options = read_options(count, arguments);
#pragma omp parallel
  {
#pragma omp master
    threads = omp_get_num_threads();
  }
  if (threads > kMostThreads) bad_input("OMP_NUM_THREADS", "above 1024");

  const char* runtime = "unknown";
  dl_iterate_phdr(find_runtime, &runtime);
  if (options.csv) {
    printf("closer,regions,threads,cycles,region_median_us,region_min_us\n");
  } else {
    printf(
        "{\"program\": \"short_folds\", \"runtime\": \"%s\", \"threads\": %d, \"closer\": \"%s\", "
        "\"lengths\": [",
        runtime, threads, options.closer->name);
  }
  for (int i = 0; i < options.length_count; ++i) {
    const struct result result = measure(&options, options.lengths[i]);
    if (options.csv) {
      printf("%s,%ld,%d,%ld,%f,%f\n", options.closer->name, options.lengths[i], threads,
             result.cycles, result.median_us, result.min_us);
    } else {
      printf(
          "%s\n  {\"regions\": %ld, \"cycles\": %ld, \"region_us\": {\"median\": %f, \"min\": %f}}",
          i == 0 ? "" : ",", options.lengths[i], result.cycles, result.median_us, result.min_us);
    }
  }
  if (!options.csv) printf("]}\n");
  if (all_were_run()) return 0;
  fprintf(stderr, "short_folds: a thread missed a region\n");
  return 1;
}
