// exhausted WHAT WARM [SIZES]: regions after something has come to its end.
//   keys     all thread-specific keys are taken
//   memory   the address space is full
// SIZES: with teams of other sizes between. libgomp ends threads then, and may not get new ones.
// WARM: what the team did before: `nothing`, `region` or `barriers`.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "check.h"

static long g_cell[kMaxThreads];
static long g_sum;

static void region(int size, int barriers) {
#pragma omp parallel num_threads(size)
  {
    const int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= barriers; ++round) {
      g_cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(g_cell[i] == round);
#pragma omp barrier
    }
#pragma omp atomic
    g_sum += n;
  }
}

static void take_keys(void) {
  pthread_key_t key;
  while (pthread_key_create(&key, NULL) == 0) {
  }
}

static void take_memory(void) {
  const struct rlimit none = {0, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &none);
  expect(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
}

static void give_memory_back(void) {
  const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &all);
}

static void* root(void* unused) {
  for (int i = 0; i < 5; ++i) region(2, 3);
  return unused;
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "keys";
  const char* warm = count > 2 ? arguments[2] : "nothing";
  if (strcmp(warm, "nothing") != 0) region(4, strcmp(warm, "barriers") == 0 ? 3 : 0);
  if (strcmp(what, "keys") == 0) take_keys();
  if (strcmp(what, "memory") == 0) take_memory();
  for (int i = 0; i < 20; ++i) region(4, 3);
  for (int i = 0; count > 3 && i < 20; ++i) region(2 + i % 3, 3);
  for (int i = 0; i < 20; ++i) region(4, 3);
  if (strcmp(what, "memory") == 0) give_memory_back();
  for (int i = 0; i < 10; ++i) region(4, 3);
  if (strcmp(what, "keys") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, root, NULL);
    pthread_join(thread, NULL);
  }
  return verdict("exhausted", g_sum);
}
