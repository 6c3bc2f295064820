// Shared data on the serial part's stack, at ever other depths, large and with alloca, read and
// written by all threads; and pointers to a frame that is gone when the next region runs.
// muster-test: folded >= 60
#include <alloca.h>
#include <string.h>

#include "trap.h"

__attribute__((noinline)) static long deep(int depth) {
  volatile char buffer[500];
  buffer[0] = buffer[499] = (char)depth;
  long cells[8] = {0}, sum = 0;
#pragma omp parallel
  cells[omp_get_thread_num()] = depth + omp_get_thread_num();
  for (int i = 0; i < 8; ++i) sum += cells[i];
  if (depth > 0) sum += deep(depth - 1);
#pragma omp parallel reduction(+ : sum)
  sum += cells[omp_get_thread_num()];
  return sum + buffer[0] - buffer[499];
}

int main(void) {
  settle();
  for (int i = 0; i < 5; ++i) printf("%ld\n", deep(10 * i));
  for (int i = 1; i < 12; ++i) {
    size_t size = (size_t)i * 20000;
    char* bytes = alloca(size);
    memset(bytes, 0, size);
#pragma omp parallel for
    for (size_t k = 0; k < size; ++k) bytes[k] = (char)(bytes[k] + i);
    long sum = 0;
    for (size_t k = 0; k < size; ++k) sum += bytes[k];
    printf("%ld %ld\n", sum, regions(1));
  }
  return finish();
}
