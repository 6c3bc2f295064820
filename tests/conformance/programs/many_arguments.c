// Regions that capture none, few and forty variables: each is an argument of the outlined function.
// muster-test: replaced >= 96
#include "check.h"

static long cell[kMaxThreads];

int main(void) {
  long long checksum = 0;
  long v0 = 1, v1 = 2, v2 = 3, v3 = 4, v4 = 5;
  long v5 = 6, v6 = 7, v7 = 8, v8 = 9, v9 = 10;
  long v10 = 11, v11 = 12, v12 = 13, v13 = 14, v14 = 15;
  long v15 = 16, v16 = 17, v17 = 18, v18 = 19, v19 = 20;
  long v20 = 21, v21 = 22, v22 = 23, v23 = 24, v24 = 25;
  long v25 = 26, v26 = 27, v27 = 28, v28 = 29, v29 = 30;
  long v30 = 31, v31 = 32, v32 = 33, v33 = 34, v34 = 35;
  long v35 = 36, v36 = 37, v37 = 38, v38 = 39, v39 = 40;
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
    late(round);
#pragma omp barrier
  }
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
    late(round);
    cell[omp_get_thread_num()] = round + v0 + v39;
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i) expect(cell[i] == round + 41);
#pragma omp barrier
  }
#pragma omp parallel firstprivate(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9)
  for (int round = 1; round <= kRounds; ++round) {
    late(round);
    long sum = 0;
    sum += v0 + v1 + v2 + v3 + v4;
    sum += v5 + v6 + v7 + v8 + v9;
    sum += v10 + v11 + v12 + v13 + v14;
    sum += v15 + v16 + v17 + v18 + v19;
    sum += v20 + v21 + v22 + v23 + v24;
    sum += v25 + v26 + v27 + v28 + v29;
    sum += v30 + v31 + v32 + v33 + v34;
    sum += v35 + v36 + v37 + v38 + v39;
    cell[omp_get_thread_num()] = sum;
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i) expect(cell[i] == 820);
#pragma omp barrier
    if (round == kRounds && omp_get_thread_num() == 0) checksum = sum;
  }
  return verdict("many_arguments", checksum);
}
