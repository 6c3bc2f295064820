// Floating-point exception flags: which thread raised which, and what the serial part sees.
// muster-test: needs x86_64
// muster-test: folded >= 15
#include <fenv.h>

#include "trap.h"

static void show(const char* when) {
  int of[kMostThreads], before = fetestexcept(FE_ALL_EXCEPT), size = 0;
#pragma omp parallel
  {
    of[omp_get_thread_num()] = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID);
#pragma omp master
    size = omp_get_num_threads();
  }
  printf("%s: %x |", when, before & (FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID));
  for (int i = 0; i < size; ++i) printf(" %x", of[i]);
  printf(" | %x\n", fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID));
}

int main(void) {
  settle();
  show("at first");
  feraiseexcept(FE_OVERFLOW);
  show("overflow in the serial part");
  show("still");
  feclearexcept(FE_ALL_EXCEPT);
  show("cleared there");
#pragma omp parallel
  if (omp_get_thread_num() == 0) feraiseexcept(FE_DIVBYZERO);
  show("division by the primary");
  settle();
  feclearexcept(FE_ALL_EXCEPT);
#pragma omp parallel
  feclearexcept(FE_ALL_EXCEPT);
  show("cleared by all");
#pragma omp parallel
  if (omp_get_thread_num() == 2) feraiseexcept(FE_INVALID);
  show("invalid by a worker");
  settle();
  show("later");
  // Where libomp's join or fork finds another control word, it loads the whole of the old one, whose
  // flags are none.
  feclearexcept(FE_ALL_EXCEPT);
#pragma omp parallel
  if (omp_get_thread_num() == 0) feraiseexcept(FE_OVERFLOW), fesetround(FE_UPWARD);
  show("raised by the primary, which rounds up");
#pragma omp parallel
  if (omp_get_thread_num() == 1) feraiseexcept(FE_OVERFLOW), fesetround(FE_UPWARD);
  show("raised by a worker, which rounds up");
#pragma omp parallel
  feraiseexcept(FE_DIVBYZERO);
  fesetround(FE_DOWNWARD);
  show("raised by all, rounding set by the serial part");
  fesetround(FE_TONEAREST);
  show("set back");
  settle();
  // A setter closes the fold: what the serial part has set and raised since it was opened stays.
  fesetround(FE_UPWARD);
  feraiseexcept(FE_OVERFLOW);
  omp_set_num_threads(omp_get_max_threads());
  printf("after a setter: rounds up %d, flags %x\n", fegetround() == FE_UPWARD,
         fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID));
  fesetround(FE_TONEAREST);
  return finish();
}
