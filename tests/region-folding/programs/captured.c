// Regions with 0, 1, 2, 7, 17 and 40 captured variables, of several sizes and kinds: their words go
// through the fold's record.
// muster-test: folded >= 60
// muster-test: auto
#include "trap.h"

static int global;

static void none(void) {
#pragma omp parallel
  __atomic_fetch_add(&global, 1, __ATOMIC_RELAXED);
}

static int one(int a) {
#pragma omp parallel
  __atomic_fetch_add(&a, 1, __ATOMIC_RELAXED);
  return a;
}

static double two(double a, float b) {
#pragma omp parallel firstprivate(b)
#pragma omp critical
  a += (double)b;
  return a;
}

static long seven(char a, short b, int c, long d, unsigned long long e, const char* f) {
  long sum = 0;
#pragma omp parallel firstprivate(a, b, c, d, e, f) reduction(+ : sum)
  sum += a + b + c + d + (long)(e >> 40) + f[omp_get_thread_num()];
  return sum;
}

#define WORDS(X)                                                                              \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) \
  X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)   \
  X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39)
#define DECLARE(i) long value##i = start + i;
#define ADD(i) \
  _Pragma("omp atomic") value##i += me + i;
#define SUM(i) sum = (sum * 7 + value##i) % 1000003;

static long forty(long start) {
  WORDS(DECLARE)
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    WORDS(ADD)
  }
  long sum = 0;
  WORDS(SUM)
  return sum;
}

static long forty_private(long start) {
  WORDS(DECLARE)
  long total = 0;
#pragma omp parallel firstprivate(                                                             \
        value0, value1, value2, value3, value4, value5, value6, value7, value8, value9,        \
        value10, value11, value12, value13, value14, value15, value16) reduction(+ : total)
  {
    int me = omp_get_thread_num();
    long sum = 0;
    value16 += me;
    WORDS(SUM)
    total += sum;
  }
  return total;
}

static long by_size(int n) {
  long list[n], sum = 0;
  struct {
    char bytes[100];
  } big = {{(char)n}};
  for (int i = 0; i < n; ++i) list[i] = i;
#pragma omp parallel for reduction(+ : sum) firstprivate(big, list)
  for (int i = 0; i < n; ++i) sum += list[i] + big.bytes[0];
  return sum;
}

int main(void) {
  settle();
  for (int i = 0; i < 10; ++i) {
    none();
    printf("%d %d %g %ld ", global, one(i), two(i, 0.5F), seven(1, 2, i, 4, 5ULL << 40, "abcdefgh"));
    printf("%ld %ld %ld\n", forty(i), forty_private(i), by_size(10 + i));
  }
  return finish();
}
