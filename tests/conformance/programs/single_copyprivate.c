// Single with copyprivate: the value reaches every thread, and no thread leaves before it has it.
#include "check.h"

struct Pair {
  long first, second;
};

int main(void) {
  long long checksum = 0;
#pragma omp parallel reduction(+ : checksum)
  for (int round = 0; round < kRounds; ++round) {
    struct Pair pair = {-1, -1};
    double scale = 0;
    late(round);
#pragma omp single copyprivate(pair, scale)
    {
      pair.first = mark(round, 1);
      pair.second = mark(round, 2);
      scale = round;
    }
    expect(pair.first == mark(round, 1) && pair.second == mark(round, 2) && scale == round);
    if (omp_get_thread_num() == 0) checksum += pair.first + pair.second;
    // A private copy of ours must not disturb a teammate that still copies.
    pair.first = pair.second = 0;
#pragma omp barrier
  }
  return verdict("single_copyprivate", checksum);
}
