// soak KIND COUNT [MODULE]: does the same thing COUNT times, and tells what the process has in the middle and at the end:
// kB resident, kB of address space, descriptors, mappings, threads. Status 1 where a value is wrong.
#include <dirent.h>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long g_sum;

static long lines_of(const char* path) {
  FILE* file = fopen(path, "r");
  long lines = 0;
  for (int c; (c = getc(file)) != EOF;) lines += c == '\n';
  fclose(file);
  return lines;
}

static long descriptors(void) {
  DIR* folder = opendir("/proc/self/fd");
  long count = 0;
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static long status_value(const char* name) {
  FILE* file = fopen("/proc/self/status", "r");
  char line[256];
  long value = -1;
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, name, strlen(name)) == 0) value = atol(line + strlen(name));
  }
  fclose(file);
  return value;
}

// Threads that a runtime has sent home are still on their way: until as many are there for a while.
static void wait_for_threads(void) {
  const struct timespec time = {0, 100000000};
  for (long before = -1, now; (now = status_value("Threads:")) != before; before = now) {
    nanosleep(&time, NULL);
  }
}

static void tell(const char* when) {
  wait_for_threads();
  const long rss = status_value("VmRSS:");
  const long size = status_value("VmSize:");
  printf("%s rss_kb=%ld size_kb=%ld descriptors=%ld mappings=%ld threads=%ld\n", when, rss, size,
         descriptors(), lines_of("/proc/self/maps"), status_value("Threads:"));
  fflush(stdout);
}

static void check(long got, long expected, const char* what) {
  if (got == expected) return;
  fprintf(stderr, "%s: %ld, expected %ld\n", what, got, expected);
  exit(1);
}

static void region(long i) {
  (void)i;
  int arrived = 0, size = 0;
#pragma omp parallel
  {
#pragma omp atomic
    ++arrived;
#pragma omp barrier
#pragma omp single
    size = omp_get_num_threads();
  }
  check(arrived, size, "region");
}

static void loop(long i) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long k = 0; k < 16; ++k) sum += k + i;
  check(sum, 120 + 16 * i, "loop");
}

static void dynamic(long i) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (long k = 0; k < 8; ++k) sum += k + i;
  check(sum, 28 + 8 * i, "dynamic");
}

static void sections(long i) {
  long first = 0, second = 0;
#pragma omp parallel sections
  {
#pragma omp section
    first = i;
#pragma omp section
    second = i + 1;
  }
  check(first + second, 2 * i + 1, "sections");
}

static void sizes(long i) {
  int count = 0;
#pragma omp parallel num_threads(1 + i % 4) reduction(+ : count)
  ++count;
  check(count, 1 + i % 4, "sizes");
}

static void serialized(long i) {
  int count = 0;
#pragma omp parallel if (i < 0) reduction(+ : count)
  ++count;
  check(count, 1, "serialized");
}

static void tasks(long i) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int k = 0; k < 4; ++k) {
#pragma omp task shared(sum)
      {
#pragma omp atomic
        sum += i + k;
      }
    }
#pragma omp taskwait
  }
  check(sum, 4 * i + 6, "tasks");
}

static void nested(long i) {
  (void)i;
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  {
    int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
    ++inner;
    count += inner;
  }
  check(count, 4, "nested");
}

static void* root(void* i) {
  region((long)i);
  return NULL;
}

static void roots(long i) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, root, (void*)i) != 0) abort();
  pthread_join(thread, NULL);
}

// The C library keeps the stacks of threads that have ended. How many it needs depends on how soon a thread that a
// runtime has sent home is gone; so it gets more than any team needs before anything is counted.
enum { kStacks = 16, kStackBytes = 512 * 1024 };

static void* meet(void* barrier) {
  pthread_barrier_wait(barrier);
  return NULL;
}

static void fill_stack_cache(void) {
  pthread_t threads[kStacks];
  pthread_barrier_t barrier;
  pthread_attr_t attributes;
  pthread_barrier_init(&barrier, NULL, kStacks);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  for (int i = 0; i < kStacks; ++i) {
    if (pthread_create(&threads[i], &attributes, meet, &barrier) != 0) abort();
  }
  for (int i = 0; i < kStacks; ++i) pthread_join(threads[i], NULL);
  pthread_attr_destroy(&attributes);
  pthread_barrier_destroy(&barrier);
}

static const char* g_module;

static void modules(long i) {
  void* module = dlopen(g_module, RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  long (*sum)(long);
  *(void**)&sum = dlsym(module, "sum");
  check(sum(i), 8 * i, "modules");
  g_sum += i;
  dlclose(module);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*once)(long);
  } kinds[] = {
      {"region", region}, {"loop", loop},      {"dynamic", dynamic}, {"sections", sections},
      {"sizes", sizes},   {"tasks", tasks},    {"nested", nested},   {"serialized", serialized},
      {"roots", roots},   {"modules", modules}};
  if (argc < 3) return 2;
  const long count = atol(argv[2]);
  if (argc > 3) g_module = argv[3];
  fill_stack_cache();
  if (strcmp(argv[1], "nested") == 0) omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
    if (strcmp(kinds[k].name, argv[1]) != 0) continue;
    for (long i = 0; i < count; ++i) {
      if (i == count / 2) tell("half");
      kinds[k].once(i);
    }
    tell("end");
    return 0;
  }
  return 2;
}
