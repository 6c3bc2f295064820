// executing PROGRAM ARGUMENT...: runs a region, then becomes another program, from outside of any
// region.
#include <unistd.h>

#include "check.h"

int main(int count, char** arguments) {
  if (count < 2) return 2;
  long total = 0;
#pragma omp parallel reduction(+ : total)
  {
#pragma omp barrier
    total += 1;
  }
  expect(total == omp_get_max_threads());
  execv(arguments[1], arguments + 1);
  return 2;
}
