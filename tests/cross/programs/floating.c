// Each thread's rounding and flags, region after region: whatever the runtime makes of them, Muster
// makes the same.
#include <fenv.h>
#include <omp.h>
#include <stdio.h>

enum { kThreads = 3, kRegions = 40 };

int main(void) {
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int region = 0; region < kRegions; ++region) {
    int rounding[kThreads], flags[kThreads];
    if (region % 4 == 1) fesetround(modes[region / 4 % 4]);
    if (region % 8 == 2) feraiseexcept(FE_DIVBYZERO);
#pragma omp parallel num_threads(kThreads)
    {
      const int me = omp_get_thread_num();
      rounding[me] = fegetround();
      flags[me] = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW);
#pragma omp barrier
      if (me == region % kThreads) {
        fesetround(modes[region % 4]);
        feraiseexcept(FE_OVERFLOW);
      }
    }
    printf("%d:", region);
    for (int i = 0; i < kThreads; ++i) printf(" %x %x", (unsigned)rounding[i], (unsigned)flags[i]);
    printf(" | %x %x\n", (unsigned)fegetround(),
           (unsigned)fetestexcept(FE_DIVBYZERO | FE_OVERFLOW));
  }
  return 0;
}
