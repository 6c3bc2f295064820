/* A module with a region of its own. */
long sum_of(int count) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i) sum += i;
  return sum;
}
