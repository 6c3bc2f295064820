// Region functions with thousands of arguments: clang's has one for each captured variable, and the runtime passes any
// number on.
// muster-test: folded >= 40
// muster-test: off
// muster-test: auto
// muster-test: flags -O0
// muster-test: skip gcc: gcc's regions have one argument
// muster-test: skip gnu: the same
// muster-test: skip libgomp: the same
#include "trap.h"

// X(v000) ... for a hundred variables, and so on.
#define TEN(X, v) X(v##0) X(v##1) X(v##2) X(v##3) X(v##4) X(v##5) X(v##6) X(v##7) X(v##8) X(v##9)
#define HUNDRED(X, v) \
  TEN(X, v##0)        \
  TEN(X, v##1)        \
  TEN(X, v##2)        \
  TEN(X, v##3) TEN(X, v##4) TEN(X, v##5) TEN(X, v##6) TEN(X, v##7) TEN(X, v##8) TEN(X, v##9)
#define THOUSAND(X, v) \
  HUNDRED(X, v##0)     \
  HUNDRED(X, v##1)     \
  HUNDRED(X, v##2)     \
  HUNDRED(X, v##3)     \
  HUNDRED(X, v##4)     \
  HUNDRED(X, v##5) HUNDRED(X, v##6) HUNDRED(X, v##7) HUNDRED(X, v##8) HUNDRED(X, v##9)

#define DECLARE(v) int v = ++next;
#define ADD(v) sum = sum * 3 + (unsigned long)v;
#define CHANGE(v) ++v;

// Each thread's sum shows that each argument was in its place.
#define FUNCTION(name, variables)                                     \
  __attribute__((noinline)) static unsigned long name(void) {         \
    int next = 0;                                                     \
    unsigned long total = 0;                                          \
    variables(DECLARE) _Pragma("omp parallel reduction(+ : total)") { \
      unsigned long sum = 0;                                          \
      variables(ADD) total += sum;                                    \
    }                                                                 \
    _Pragma("omp parallel num_threads(2)") {                          \
      if (omp_get_thread_num() == 0) {                                \
        variables(CHANGE)                                             \
      }                                                               \
    }                                                                 \
    unsigned long sum = 0;                                            \
    variables(ADD) return total + sum;                                \
  }

#define SEVEN(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g)
#define FORTY(X) TEN(X, a) TEN(X, b) TEN(X, c) TEN(X, d)
#define THREE_HUNDRED(X) HUNDRED(X, a) HUNDRED(X, b) HUNDRED(X, c)
#define TWO_THOUSAND(X) THOUSAND(X, a) THOUSAND(X, b) FORTY(X) SEVEN(X)
#define FIVE_THOUSAND(X) TWO_THOUSAND(X) THOUSAND(X, c) THOUSAND(X, d) THOUSAND(X, e)

FUNCTION(seven, SEVEN)
FUNCTION(forty, FORTY)
FUNCTION(three_hundred, THREE_HUNDRED)
FUNCTION(two_thousand, TWO_THOUSAND)
FUNCTION(five_thousand, FIVE_THOUSAND)

int main(void) {
  settle();
  for (int round = 0; round < 3; ++round) {
    printf("7: %lu\n", seven());
    printf("40: %lu\n", forty());
    printf("300: %lu\n", three_hundred());
    printf("2,047: %lu\n", two_thousand());
    printf("5,047: %lu\n", five_thousand());
  }
  return finish();
}
