// Blocks of a signal, most of them short, through five stages: each stage a region with an `if`
// clause, so that some are serialized, two of them with `num_threads` clauses, so that teams change.
//
// All in whole numbers. The same stages, without regions, are run for comparison.
#include <string.h>

#include "kernel.h"

enum { kTaps = 8, kWorthIt = 256, kMostThreads = 3 };

struct result {
  int64_t energy, peak, crossings;
};

static const int32_t kFilter[kTaps] = {1, 4, 9, 12, 12, 9, 4, 1};

// Lengths between 16 and `most`: half of them are not worth a team.
static long length_of(long block, long most) {
  static const long parts[] = {16, 2, 8, 1, 32, 4, 64, 1};
  long length = most / parts[block % 8];
  return length < 16 ? 16 : length;
}

static int32_t sample(long block, long i) {
  return (int32_t)(scrambled((uint64_t)(block * 1000003 + i)) % 2001) - 1000;
}

static int32_t filtered(const int32_t* in, long i) {
  int32_t sum = 0;
  for (long tap = 0; tap < kTaps; ++tap) sum += i >= tap ? kFilter[tap] * in[i - tap] : 0;
  return sum / 52;
}

static struct result parallel_stages(long block, long n, int32_t* raw, int32_t* smooth) {
  int64_t energy = 0, peak = 0, crossings = 0;
#pragma omp parallel for if (n > kWorthIt)
  for (long i = 0; i < n; ++i) raw[i] = sample(block, i);

#pragma omp parallel for if (n > kWorthIt) num_threads(2)
  for (long i = 0; i < n; ++i) smooth[i] = filtered(raw, i);

#pragma omp parallel for if (n > kWorthIt) reduction(+ : energy)
  for (long i = 0; i < n; ++i) energy += (int64_t)smooth[i] * smooth[i];

  int threads = n > 4 * kWorthIt ? kMostThreads : 1;
#pragma omp parallel for num_threads(threads) reduction(max : peak)
  for (long i = 0; i < n; ++i) {
    if (smooth[i] > peak) peak = smooth[i];
  }

#pragma omp parallel for reduction(+ : crossings)
  for (long i = 1; i < n; ++i) crossings += (smooth[i - 1] < 0) != (smooth[i] < 0);
  return (struct result){energy, peak, crossings};
}

static struct result serial_stages(long block, long n, int32_t* raw, int32_t* smooth) {
  struct result result = {0, 0, 0};
  for (long i = 0; i < n; ++i) raw[i] = sample(block, i);
  for (long i = 0; i < n; ++i) {
    smooth[i] = filtered(raw, i);
    result.energy += (int64_t)smooth[i] * smooth[i];
    if (smooth[i] > result.peak) result.peak = smooth[i];
    if (i > 0) result.crossings += (smooth[i - 1] < 0) != (smooth[i] < 0);
  }
  return result;
}

int main(int count, char** words) {
  long most = size_of(count, words, 2048, 16, 1 << 24), blocks = repetitions_of(count, words, 200);
  int32_t* raw = malloc((size_t)most * sizeof *raw);
  int32_t* smooth = malloc((size_t)most * sizeof *smooth);
  struct result* results = malloc((size_t)blocks * sizeof *results);
  if (raw == NULL || smooth == NULL || results == NULL) return 3;

  double begin = now();
  for (long block = 0; block < blocks; ++block) {
    results[block] = parallel_stages(block, length_of(block, most), raw, smooth);
  }
  double seconds = now() - begin;

  int good = 1;
  uint64_t checksum = 0;
  for (long block = 0; block < blocks; ++block) {
    struct result expected = serial_stages(block, length_of(block, most), raw, smooth);
    good = good && memcmp(&expected, &results[block], sizeof expected) == 0;
    checksum = mixed(mixed(checksum, results[block].energy), results[block].peak);
    checksum = mixed(checksum, results[block].crossings);
  }
  free(raw);
  free(smooth);
  free(results);
  return conclude("pipeline", good, checksum, seconds);
}
