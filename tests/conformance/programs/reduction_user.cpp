// User-defined reductions over a class, in `for` and in `parallel`.
#include <vector>

#include "check.h"

struct Statistics {
  long count = 0, sum = 0, most = -1;
  void add(long value) {
    ++count;
    sum += value;
    if (value > most) most = value;
  }
  void merge(const Statistics& other) {
    count += other.count;
    sum += other.sum;
    if (other.most > most) most = other.most;
  }
};

#pragma omp declare reduction(merge:Statistics : omp_out.merge(omp_in))
#pragma omp declare reduction( \
        append : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

int main() {
  long long checksum = 0;
  Statistics statistics;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    late(round);
#pragma omp for reduction(merge : statistics)
    for (int i = 0; i < 300; ++i) statistics.add(i);
    expect(statistics.count == 300 * (round + 1));
    expect(statistics.sum == 300L * 299 / 2 * (round + 1));
    expect(statistics.most == 299);
#pragma omp barrier
  }
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> all;
#pragma omp parallel reduction(append : all)
    {
      late(round);
#pragma omp barrier
      all.push_back(omp_get_thread_num());
    }
    expect(all.size() == static_cast<std::size_t>(omp_get_max_threads()));
    for (int number : all) checksum += number;
  }
  return verdict("reduction_user", checksum + statistics.sum);
}
