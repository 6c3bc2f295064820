// The floating-point environment of every thread, around every construct: what the thread set is what it finds.
// Arguments: `flags` or `traps`, milliseconds. Stock's guided loops compute in floating point, so there are none here.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xmmintrin.h>

enum { kMasks = 0x3f };  // of MXCSR seven bits further up

struct environment {
  unsigned mxcsr;
  unsigned short control, status;  // of the x87
};

static struct environment current(void) {
  struct environment now = {.mxcsr = _mm_getcsr()};
  __asm__ volatile("fnstcw %0" : "=m"(now.control));
  __asm__ volatile("fnstsw %0" : "=m"(now.status));
  return now;
}

static int traps;
static atomic_int printed;
static _Thread_local struct environment expected;
static _Thread_local int is_set;

// Each thread has exceptions of its own raised. With traps, none is raised and all are unmasked.
static void set(void) {
  static const unsigned kRaised[] = {0, 0x08, 0x14, 0x01};
  const unsigned flags = traps ? 0 : kRaised[omp_get_thread_num() % 4];
  const unsigned masks = traps ? 0 : kMasks;
  unsigned x87[7];
  __asm__ volatile("fnstenv %0" : "=m"(x87));
  x87[0] = (x87[0] & ~(unsigned)kMasks) | masks;
  x87[1] = (x87[1] & ~0xffU) | flags;
  __asm__ volatile("fldenv %0" : : "m"(x87));
  _mm_setcsr(masks << 7 | flags);
  expected = current();
  is_set = 1;
}

static void check(const char* after) {
  if (!is_set) set();  // the thread's first construct
  struct environment now = current();
  if (memcmp(&now, &expected, sizeof now) == 0) return;
  if (atomic_fetch_add(&printed, 1) < 5) {
    printf("after %s: mxcsr %x, was %x; x87 control %x, was %x; x87 status %x, was %x\n", after,
           now.mxcsr, expected.mxcsr, now.control, expected.control, now.status, expected.status);
  }
  set();
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static long cells[64];

static void constructs(void) {
  static long sum, least;
  long mine = omp_get_thread_num();
  check("a fork");
  for (int i = 0; i < 200; ++i) {
    cells[mine & 63] += i;
#pragma omp barrier
    check("a barrier");
  }
#pragma omp for
  for (int i = 0; i < 64; ++i) cells[i] += i;
  check("a loop");
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < 64; ++i) cells[i] += i;
  check("a dynamic loop");
#pragma omp for reduction(+ : sum) reduction(min : least)
  for (int i = 0; i < 64; ++i) sum += i, least = i < least ? i : least;
  check("a reduction");
#pragma omp single copyprivate(mine)
  mine = 5;
  check("a copyprivate");
#pragma omp single
  ++sum;
  check("a single");
#pragma omp critical
  sum += mine;
  check("a critical");
#pragma omp sections
  {
#pragma omp section
    check("the start of a section");
#pragma omp section
    check("the start of another");
  }
  check("sections");
#pragma omp master
#pragma omp task
  check("the start of a task");
#pragma omp taskwait
  check("a taskwait");
#pragma omp barrier
  check("a barrier with tasks");
#pragma omp parallel num_threads(1)
  check("an inner fork");
  set();  // libomp clears the flags at an inner join
}

int main(int count, char** arguments) {
  traps = count > 2 && strcmp(arguments[1], "traps") == 0;
  const long end = milliseconds() + (count > 2 ? atol(arguments[2]) : 500);
  set();  // libomp gives it to the others, and undoes at a join what a region sets
  int threads = omp_get_max_threads();
  do {
#pragma omp parallel
    constructs();
    check("a join");
    for (int i = 0; i < 50; ++i) {
#pragma omp parallel
      check("a fork");
      check("a join");
    }
#pragma omp parallel num_threads(1)
    check("a fork of one thread");
    check("a join of one thread");
    omp_set_num_threads(threads);  // closes a fold
    check("a setter");
  } while (milliseconds() < end);
  printf("%d changes\n", atomic_load(&printed));
  return atomic_load(&printed) != 0;
}
