// User-declared reductions of classes: memory of their own, and an order that matters, so only what
// does not depend on it is compared.
// muster-test: threads 9
// muster-test: replaced >= 500
#include <algorithm>
#include <string>
#include <vector>

#include "check.h"

struct Largest {
  double value = -1;
  int where = -1;
};

static void take_larger(Largest& into, const Largest& from) {
  if (from.value > into.value || (from.value == into.value && from.where < into.where)) into = from;
}

#pragma omp declare reduction( \
        append : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))
#pragma omp declare reduction(longer : std::string : omp_out = \
                                  omp_in.size() > omp_out.size() ? omp_in : omp_out)
#pragma omp declare reduction(largest:Largest : take_larger(omp_out, omp_in))

static long team_of(int threads) {
  long checksum = 0;
  for (int round = 1; round <= 20; ++round) {
    std::vector<int> all;
    std::string longest;
    Largest largest;
#pragma omp parallel num_threads(threads)
    {
      late(round);
#pragma omp for reduction(append : all) reduction(longer : longest) schedule(dynamic, 4)
      for (int i = 0; i < 100; ++i) {
        all.push_back(i * round);
        if (std::size_t(i) > longest.size()) longest.assign(i, 'x');
      }
      expect(all.size() == 100 && longest.size() == 99);
#pragma omp for reduction(largest : largest) nowait
      for (int i = 0; i < 100; ++i) take_larger(largest, {double(i * 37 % 101), i});
    }
    std::ranges::sort(all);
    for (int i = 0; i < 100; ++i) expect(all[std::size_t(i)] == i * round);
    expect(largest.value == 100 && largest.where == 30);
    checksum += all[99] + largest.where;
  }
  return checksum;
}

int main() {
  long long checksum = 0;
  for (int threads = 1; threads <= 9; ++threads) checksum += team_of(threads);
  return verdict("reduction_classes", checksum);
}
