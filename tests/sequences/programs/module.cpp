// A module with regions in its constructor, in a function and in its destructor. It notes the constructor's by what its
// function returns first.
#include <omp.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<long> kept = -1;  // steps of two threads may call at once

long region() {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    sum += 1 + 10 * omp_in_parallel() + 100 * omp_get_level();
#pragma omp barrier
  }
  return omp_get_dynamic() ? 1 : sum;
}

struct Constructor {
  Constructor() { kept = region(); }
  ~Constructor() {
    if (region() <= 0) _exit(98);
  }
} constructor;

}  // namespace

extern "C" long module_sum() {
  const long sum = kept;
  kept = region();
  return sum;
}
