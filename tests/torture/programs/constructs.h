// Steps that are one parallel region each. Every step checks what it computed.
#pragma once

#include <omp.h>

#include "checked.h"

namespace torture {

inline constexpr int kMostThreads = 6;

// A thread that passes a barrier too early reads an old round.
inline void barriers(Random& random) {
  const int rounds = random.between(1, 40);
  const int threads = random.between(1, kMostThreads);
  int seen[kMostThreads] = {};
#pragma omp parallel num_threads(threads) shared(seen)
  {
    const int me = omp_get_thread_num();
    const int size = omp_get_num_threads();
    for (int round = 1; round <= rounds; ++round) {
      seen[me] = round;
#pragma omp barrier
      for (int i = 0; i < size; ++i) expect_equal("barrier", seen[i], round);
#pragma omp barrier
    }
  }
}

inline void loops(Random& random) {
  const int count = random.between(1, 300);
  const int repeats = random.between(1, 8);
  long sum = 0;
  long other = 0;
#pragma omp parallel
  for (int i = 0; i < repeats; ++i) {
#pragma omp for schedule(dynamic, 3) reduction(+ : sum)
    for (int k = 0; k < count; ++k) sum += k;
#pragma omp for schedule(static, 2) reduction(+ : other) nowait
    for (int k = 0; k < count; ++k) other += 1;
#pragma omp barrier
  }
  expect_equal("loop", sum, static_cast<long>(repeats) * count * (count - 1) / 2);
  expect_equal("nowait loop", other, static_cast<long>(repeats) * count);
}

// The runtime starts the construct with the region.
inline void combined(Random& random) {
  const int count = random.between(1, 200);
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int k = 0; k < count; ++k) sum += k;
  expect_equal("combined loop", sum, static_cast<long>(count) * (count - 1) / 2);
  int a = 0;
  int b = 0;
#pragma omp parallel sections
  {
#pragma omp section
    a = 1;
#pragma omp section
    b = 2;
  }
  expect_equal("sections", a + b, 3);
}

inline void singles(Random& random) {
  const int rounds = random.between(1, 10);
  int value = -1;
  long done = 0;
#pragma omp parallel firstprivate(value) shared(done)
  for (int round = 0; round < rounds; ++round) {
#pragma omp single copyprivate(value)
    {
      value = round;
      ++done;
    }
    expect_equal("copyprivate", value, round);
#pragma omp critical
    done += 0;
  }
  expect_equal("single", done, rounds);
}

inline long tree(int depth) {
  if (depth == 0) return 1;
  long left = 0;
  long right = 0;
#pragma omp task shared(left)
  left = tree(depth - 1);
#pragma omp task shared(right) if (depth % 2 == 0)
  right = tree(depth - 1);
#pragma omp taskwait
  return left + right;
}

inline void tasks(Random& random) {
  const int depth = random.between(1, 6);
  const int loose = random.between(0, 20);
  long leaves = 0;
  long done = 0;
#pragma omp parallel shared(leaves, done)
  {
#pragma omp single
    leaves = tree(depth);
#pragma omp single nowait
    {
      for (int i = 0; i < loose; ++i) {
#pragma omp task shared(done)
        {
#pragma omp atomic
          ++done;
        }
      }
#pragma omp taskloop
      for (int i = 0; i < loose; ++i) {
#pragma omp atomic
        ++done;
      }
    }
    // The region's end finishes them.
  }
  expect_equal("task tree", leaves, 1L << depth);
  expect_equal("tasks at the region's end", done, 2L * loose);
}

inline void nested(Random& random) {
  const int outer = random.between(1, 3);
  const int inner = random.between(1, 3);
  long threads = 0;
  long wanted = 0;
#pragma omp parallel num_threads(outer) shared(threads, wanted)
  {
    int mine = 0;
    int size = 0;
#pragma omp parallel num_threads(inner) shared(mine, size)
    {
#pragma omp atomic
      ++mine;
#pragma omp barrier
#pragma omp single
      size = omp_get_num_threads();
    }
    expect_equal("nested team", mine, size);
#pragma omp atomic
    threads += mine;
#pragma omp barrier
#pragma omp atomic
    wanted += size;
  }
  expect_equal("nested regions", threads, wanted);
}

}  // namespace torture
