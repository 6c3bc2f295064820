// A module with regions, loaded and unloaded over and over.
long sum(long i) {
  long total = 0;
#pragma omp parallel for reduction(+ : total)
  for (long k = 0; k < 8; ++k) total += i;
  return total;
}
