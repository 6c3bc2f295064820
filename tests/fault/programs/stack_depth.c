// stack_depth: how deep a root thread's stack gets, told on stderr; then regions of a root with the smallest stack that
// there is. Workers' stacks: OMP_STACKSIZE.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { kSize = 256 * 1024, kSmallest = 16 * 1024, kRegions = 20 };

static long g_cell[kMaxThreads];
static long g_sum;

static void region(int size) {
#pragma omp parallel num_threads(size)
  {
    const int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= 20; ++round) {
      g_cell[me] = round;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(g_cell[i] == round);
#pragma omp barrier
    }
#pragma omp for schedule(dynamic) reduction(+ : g_sum)
    for (int i = 0; i < 100; ++i) g_sum += i;
  }
}

static void* root(void* unused) {
  for (int i = 0; i < kRegions; ++i) region(2 + i / 15);
  return unused;
}

static char* run_on_stack_of(size_t size) {
  char* stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(stack, 0xA5, size);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, size);
  pthread_t thread;
  pthread_create(&thread, &attributes, root, NULL);
  pthread_join(thread, NULL);
  return stack;
}

int main(void) {
  region(2);
  const char* stack = run_on_stack_of(kSize);
  int unused = 0;
  while ((unsigned char)stack[unused] == 0xA5) ++unused;
  fprintf(stderr, "%d bytes\n", kSize - unused);
  run_on_stack_of(kSmallest);
  return verdict("stack_depth", g_sum);
}
