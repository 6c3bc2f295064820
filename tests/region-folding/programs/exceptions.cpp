// Exceptions: thrown and caught inside regions by each thread, through frames of the serial part
// between regions, and one that is not caught.
// muster-test: case caught
// muster-test: folded >= 15
// muster-test: auto
// muster-test: case uncaught
// muster-test: arguments uncaught
// muster-test: status -6
// muster-test: no-report
// muster-test: case uncaught-in-serial-part
// muster-test: arguments serial
// muster-test: status -6
// muster-test: no-report
#include <cstring>
#include <stdexcept>

#include "trap.h"

__attribute__((noinline)) static void thrower(int value) {
  if (value % 2 == 0) throw std::runtime_error("even");
  throw value;
}

static int caught_inside() {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    try {
      thrower(omp_get_thread_num());
    } catch (const std::exception&) {
      sum += 1;
    } catch (int value) {
      sum += 10 * value;
    }
#pragma omp barrier
  }
  return sum;
}

static void with_regions_around(int depth) {
  printf("down %d: %ld\n", depth, regions(2));
  if (depth == 0) thrower(2);
  try {
    with_regions_around(depth - 1);
  } catch (...) {
    printf("up %d: %ld\n", depth, regions(2));
    throw;
  }
}

int main(int count, char** arguments) {
  settle();
  for (int round = 0; round < 10; ++round) {
    printf("%d\n", caught_inside());
    try {
      with_regions_around(3);
    } catch (const std::exception& error) {
      printf("%s; %ld\n", error.what(), regions(2));
    }
  }
  if (count > 1 && std::strcmp(arguments[1], "serial") == 0) thrower(2);
  if (count > 1) {
#pragma omp parallel
    if (omp_get_thread_num() == 1) thrower(1);
  }
  return finish();
}
