// Sections, single, master and barriers in the serial part: each would wait for the parked workers or
// leave the work to one of them.
// muster-test: folded >= 40
// muster-test: closed "runtime call" >= 5
#include "trap.h"

enum { kCounts = 9 };
static long count[kCounts], copied;
#pragma omp threadprivate(copied)

#define ADD(i) __atomic_fetch_add(&count[i], 1, __ATOMIC_RELAXED)

__attribute__((noinline)) static void sections(void) {
#pragma omp sections
  {
#pragma omp section
    ADD(0);
#pragma omp section
    ADD(1);
#pragma omp section
    ADD(2);
  }
}

__attribute__((noinline)) static void sections_nowait(void) {
#pragma omp sections nowait
  {
#pragma omp section
    ADD(1);
#pragma omp section
    ADD(2);
  }
}

__attribute__((noinline)) static void single(void) {
#pragma omp single
  ADD(3);
}

__attribute__((noinline)) static void single_nowait(void) {
#pragma omp single nowait
  ADD(4);
#pragma omp barrier
}

__attribute__((noinline)) static void single_copy(void) {
#pragma omp single copyprivate(copied)
  {
    ADD(5);
    copied = count[5];
  }
  if (copied != count[5]) printf("copyprivate did not copy\n");
}

__attribute__((noinline)) static void master(void) {
#pragma omp master
  ADD(6);
#pragma omp barrier
}

__attribute__((noinline)) static void barrier(void) {
#pragma omp barrier
#pragma omp barrier
}

__attribute__((noinline)) static void critical(void) {
#pragma omp critical(named)
  ++count[7];
#pragma omp flush
#pragma omp critical
  ++count[8];  // not [7]: the two sections do not exclude each other
}

static void (*const blocks[])(void) = {sections,    sections_nowait, single,  single_nowait,
                                       single_copy, master,          barrier, critical};

int main(void) {
  settle();
  for (unsigned k = 0; k < sizeof(blocks) / sizeof(blocks[0]); ++k) {
    blocks[k]();
    printf("block %u:", k);
    for (int i = 0; i < kCounts; ++i) printf(" %ld", count[i]);
#pragma omp parallel
    blocks[k]();
    printf(" then");
    for (int i = 0; i < kCounts; ++i) printf(" %ld", count[i]);
    printf("; %ld\n", regions(3));
  }
  return finish();
}
