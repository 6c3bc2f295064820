// A module with loops of its own that asks no runtime anything by name.
long module_sum(int count);

long module_sum(int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
#pragma omp parallel for reduction(+ : sum)
    for (int k = 0; k < 8; ++k) sum += k * (i + 1);
  }
  return sum;
}
