// Calls that show something, from the serial part and from regions.
// muster-test: skip gcc: its name for C is another function in libomp, with a length as Fortran has it
// muster-test: case calls
// muster-test: folded >= 15
// muster-test: closed "runtime call" >= 2
// muster-test: case variable
// muster-test: unfolded "affinity displayed" >= 15
// muster-test: env OMP_DISPLAY_AFFINITY=true
// muster-test: env OMP_AFFINITY_FORMAT=level %L thread %n of %N, ancestor %a
// muster-test: unordered
#include <string.h>

#include "trap.h"

void omp_display_env(int verbose);

int main(void) {
  char text[200];
  settle();
  for (int round = 0; round < 3; ++round) {
    omp_display_env(0);
    settle();
    omp_display_affinity("thread %n of %N, level %L, ancestor %a, team %t of %T");
    settle();
    size_t length = omp_capture_affinity(text, sizeof(text), "%n/%N/%L/%a");
    printf("captured %zu: %s\n", length, text);
    settle();
#pragma omp parallel
    {
#pragma omp master
      omp_display_affinity("region: thread %n of %N, level %L, ancestor %a");
#pragma omp barrier
    }
    settle();
    omp_set_affinity_format("%n %N");
    memset(text, 0, sizeof(text));
    length = omp_get_affinity_format(text, sizeof(text));
    printf("format %zu: %s\n", length, text);
  }
  return finish();
}
