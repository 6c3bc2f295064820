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

// Forty words: value10 to value17, value20 to value27 and so on.
#define EIGHT(X, t) X(t##0) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7)
#define WORDS(X) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5)
#define DECLARE(i) long value##i = start + i;
#define ADD(i) _Pragma("omp atomic") value##i += me + i;
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
#pragma omp parallel firstprivate(value10, value11, value12, value13, value14, value15, value16, \
                                      value17, value20, value21, value22, value23, value24,      \
                                      value25, value26, value27, value30) reduction(+ : total)
  {
    int me = omp_get_thread_num();
    long sum = 0;
    value30 += me;
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
    printf("%d %d %g %ld ", global, one(i), two(i, 0.5F),
           seven(1, 2, i, 4, 5ULL << 40, "abcdefgh"));
    printf("%ld %ld %ld\n", forty(i), forty_private(i), by_size(10 + i));
  }
  return finish();
}
