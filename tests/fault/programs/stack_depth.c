// stack_depth KIND: the stack depth that a thread reaches, on stderr: of a root thread (`fork`), of a team's other
// thread (`worker`), of a signal handler that meets a barrier (`signal`). The stack is filled with a pattern first.
// Then regions of a root with the smallest stack that there is. Workers' stacks: OMP_STACKSIZE.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { kSize = 256 * 1024, kSmallest = 16 * 1024, kRegions = 20, kPattern = 0xA5, kAtGuard = 128 };

static long g_cell[kMaxThreads];
static long g_sum;
static int g_fills = 0, g_raises = 0;
static char *g_begin, *g_end;  // of the worker's stack
static char* g_handlers;

static void fill_rest_of_stack(void) {
  pthread_attr_t attributes;
  void* begin;
  size_t size;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  g_begin = begin;
  g_end = g_begin + size;
  char here;
  for (volatile char* byte = &here - 64; byte > g_begin + kAtGuard / 2; --byte)
    *byte = (char)kPattern;
}

static void handler(int signal) {
  (void)signal;
#pragma omp barrier
  __atomic_fetch_add(&g_sum, 1, __ATOMIC_RELAXED);  // the call is not a jump
}

static void raise_on_another_stack(int me) {
  stack_t stack = {.ss_sp = g_handlers + me * kSize, .ss_size = kSize};
  sigaltstack(&stack, NULL);
  raise(SIGUSR1);
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, NULL);
}

static void region(int size) {
#pragma omp parallel num_threads(size)
  {
    const int me = omp_get_thread_num(), n = omp_get_num_threads();
    if (g_fills && me == 1) fill_rest_of_stack();
    if (g_raises) raise_on_another_stack(me);
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

static char* filled(size_t size) {
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(memory, kPattern, size);
  return memory;
}

static char* run_on_stack_of(size_t size) {
  char* stack = filled(size);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, size);
  pthread_t thread;
  pthread_create(&thread, &attributes, root, NULL);
  pthread_join(thread, NULL);
  return stack;
}

static long depth(const char* begin, const char* end) {
  const char* byte = begin + kAtGuard;
  while (byte < end && (unsigned char)*byte == kPattern) ++byte;
  return end - byte;
}

int main(int count, char** arguments) {
  const char kind = count > 1 ? arguments[1][0] : 'f';
  region(2);
  long bytes;
  if (kind == 'w') {
    g_fills = 1;
    region(2);
    g_fills = 0;
    for (int i = 0; i < kRegions; ++i) region(2);
    bytes = depth(g_begin, g_end);
  } else if (kind == 's') {
    g_handlers = filled(3 * kSize);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    g_raises = 1;
    for (int i = 0; i < kRegions; ++i) region(2);
    g_raises = 0;
    bytes = depth(g_handlers + kSize, g_handlers + 2 * kSize);
  } else {
    const char* stack = run_on_stack_of(kSize);
    bytes = depth(stack, stack + kSize);
  }
  fprintf(stderr, "%ld bytes\n", bytes);
  run_on_stack_of(kSmallest);
  return verdict("stack_depth", g_sum);
}
