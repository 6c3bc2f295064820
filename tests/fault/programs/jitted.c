// Calls from code that belongs to no object, like that of a just-in-time compiler: a stub for each call, in anonymous
// memory. x86-64 only.
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
void GOMP_barrier(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);

static void* stub(const void* function) {
  static unsigned char* place;
  if (place == NULL) {
    place =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  // sub $8, %rsp; mov $function, %rax; call *%rax; add $8, %rsp; ret
  static const unsigned char kCode[] =
      "\x48\x83\xec\x08\x48\xb8........\xff\xd0\x48\x83\xc4\x08\xc3";
  unsigned char* made = place;
  memcpy(made, kCode, sizeof(kCode));
  memcpy(made + 6, &function, sizeof(function));
  place += 32;
  return made;
}

static void (*barrier)(void);
static void (*begin_critical)(void);
static void (*end_critical)(void);
static long g_cell[kMaxThreads];
static long g_sum;

static void body(void* data) {
  const int me = omp_get_thread_num(), n = omp_get_num_threads();
  for (int round = 1; round <= 20; ++round) {
    g_cell[me] = round;
    barrier();
    for (int i = 0; i < n; ++i) expect(g_cell[i] == round);
    barrier();
  }
  begin_critical();
  *(long*)data += n;
  end_critical();
}

int main(void) {
  barrier = stub(GOMP_barrier);
  begin_critical = stub(GOMP_critical_start);
  end_critical = stub(GOMP_critical_end);
  void (*parallel)(void (*)(void*), void*, unsigned, unsigned) = stub(GOMP_parallel);
  int (*most)(void) = stub(omp_get_max_threads);
  void (*set)(int) = stub(omp_set_num_threads);
  for (int i = 0; i < 20; ++i) {
    if (i > 15) set(2);
    parallel(body, &g_sum, 0, 0);
    g_sum += most();
#pragma omp parallel
    body(&g_sum);
  }
  return verdict("jitted", g_sum);
}
