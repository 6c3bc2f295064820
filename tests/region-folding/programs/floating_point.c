// Floating-point control: rounding, flush-to-zero, x87 precision. What the serial part sets, all
// threads of the next region have; what a region's threads set, the runtime's join undoes or not.
// muster-test: needs x86_64
// muster-test: folded >= 30
// muster-test: auto
// muster-test: case inherited
// muster-test: case not-inherited
// muster-test: env KMP_INHERIT_FP_CONTROL=0
#include <fenv.h>
#include <fpu_control.h>
#include <xmmintrin.h>

#include "trap.h"

enum { kFlags = 0x3f };  // what operations leave behind: not control

struct control {
  unsigned mxcsr, x87;
};

static struct control control(void) {
  fpu_control_t x87;
  _FPU_GETCW(x87);
  return (struct control){_mm_getcsr() & ~(unsigned)kFlags, x87};
}

static void show(const char* when) {
  struct control of[kMostThreads], before = control();
  int size = 0;
#pragma omp parallel
  {
    of[omp_get_thread_num()] = control();
#pragma omp master
    size = omp_get_num_threads();
  }
  struct control after = control();
  printf("%s: %x %x |", when, before.mxcsr, before.x87);
  for (int i = 0; i < size; ++i) printf(" %x %x,", of[i].mxcsr, of[i].x87);
  printf(" | %x %x\n", after.mxcsr, after.x87);
}

static void reset(void) {
  fesetenv(FE_DFL_ENV);
  settle();
}

static void set(int what) {
  fpu_control_t x87 = _FPU_DOUBLE | _FPU_MASK_IM | _FPU_MASK_DM | _FPU_MASK_ZM | _FPU_MASK_OM |
                      _FPU_MASK_UM | _FPU_MASK_PM | _FPU_RC_NEAREST;
  if (what == 0) fesetround(FE_UPWARD);
  if (what == 1) _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
  if (what == 2) _FPU_SETCW(x87);
  if (what == 3) feclearexcept(FE_ALL_EXCEPT), fesetround(FE_TOWARDZERO);
}

int main(void) {
  settle();
  for (int what = 0; what < 4; ++what) {
    printf("setting %d\n", what);
    set(what);
    show("set by the serial part");
    show("still");
    settle();
    show("later");
    reset();
    show("reset");
#pragma omp parallel
    if (omp_get_thread_num() == 0) set(what);
    show("set by a region's primary");
    show("still");
    reset();
#pragma omp parallel
    if (omp_get_thread_num() == 2) set(what);
    show("set by a worker");
    show("still");
    reset();
#pragma omp parallel
    set(what);
    show("set by all");
    show("still");
    reset();
    // The serial part's own changes, then a region's.
    fesetround(FE_DOWNWARD);
#pragma omp parallel
    set(what);
    show("over another");
    reset();
  }
  // Results, not only words.
  volatile double one = 1, three = 3, tiny = 1e-308;
  fesetround(FE_UPWARD);
  double quotient[kMostThreads];
#pragma omp parallel
  quotient[omp_get_thread_num()] = one / three;
  for (int i = 0; i < omp_get_max_threads(); ++i) printf("%a ", quotient[i]);
  reset();
  set(1);
#pragma omp parallel
  quotient[omp_get_thread_num()] = tiny / 1e10;
  for (int i = 0; i < omp_get_max_threads(); ++i) printf("%a ", quotient[i]);
  printf("\n");
  reset();
  return finish();
}
