// Rounds of two barriers with something to check between them: turning ROUNDS
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
  const long rounds = count > 1 ? atol(arguments[1]) : 1000;
  long sums[2] = {0, 0};
  long wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    for (long round = 0; round < rounds; ++round) {
#pragma omp atomic
      ++sums[round % 2];
#pragma omp barrier
      if (sums[round % 2] != omp_get_num_threads()) ++wrong;
#pragma omp barrier
#pragma omp single nowait
      sums[round % 2] = 0;
    }
  }
  printf("%ld rounds, %ld wrong\n", rounds, wrong);
  return wrong != 0;
}
