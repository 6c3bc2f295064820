// Exceptions thrown and caught between barriers, inside regions and worksharing loops, and
// destructors at the end of a region.
// muster-test: replaced >= 32
#include <stdexcept>
#include <string>

#include "check.h"

static long cell[kMaxThreads], alive;

struct Guard {
  Guard() { __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED); }
  ~Guard() { __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED); }
};

int main() {
  long long checksum = 0;
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel
    {
      Guard guard;
      int me = omp_get_thread_num(), n = omp_get_num_threads();
      late(round);
      try {
        throw std::runtime_error(std::to_string(me));
      } catch (const std::exception& error) {
        cell[me] = mark(round, std::stoi(error.what()));
      }
#pragma omp barrier
      expect(alive == n);
      for (int i = 0; i < n; ++i) expect(cell[i] == mark(round, i));
#pragma omp barrier
#pragma omp for
      for (int i = 0; i < n; ++i) {
        try {
          if (i % 2 == 0) throw i;
          cell[i] = -1;
        } catch (int number) {
          cell[number] = -2;
        }
      }
      for (int i = 0; i < n; ++i) expect(cell[i] == (i % 2 == 0 ? -2 : -1));
#pragma omp barrier
    }
    expect(alive == 0);
    checksum += cell[0];
  }
  return verdict("exceptions", checksum);
}
