// Reductions in the serial part, with the runtime's tree, atomic and critical methods, and in regions
// whose functions are the same.
// muster-test: folded >= 20
// muster-test: closed "runtime call" >= 3
#include "trap.h"

static long total, most, list[3];
static struct pair {
  double a, b;
} pairs;
#pragma omp declare reduction(merge : struct pair : omp_out.a += omp_in.a, omp_out.b += omp_in.b) \
    initializer(omp_priv = {0, 0})

__attribute__((noinline)) static void sum(void) {
#pragma omp for reduction(+ : total) reduction(max : most)
  for (int i = 0; i < 100; ++i) {
    total += i;
    if (i > most) most = i;
  }
}

__attribute__((noinline)) static void of_array(void) {
#pragma omp for reduction(+ : list) schedule(dynamic, 7)
  for (int i = 0; i < 100; ++i) list[i % 3] += i;
}

__attribute__((noinline)) static void of_user(void) {
#pragma omp for reduction(merge : pairs)
  for (int i = 0; i < 100; ++i) {
    pairs.a += i;
    pairs.b += 1;
  }
}

__attribute__((noinline)) static void of_sections(void) {
#pragma omp sections reduction(* : most)
  {
#pragma omp section
    most *= 2;
#pragma omp section
    most *= 3;
  }
}

__attribute__((noinline)) static void of_shares(void) {
#pragma omp for reduction(+ : total) schedule(dynamic, 3)
  for (int i = 0; i < 100; ++i) total += i;
}

static void say(const char* what) {
  printf("%s: %ld, most %ld, list %ld %ld %ld, pair %g %g; %ld\n", what, total, most, list[0],
         list[1], list[2], pairs.a, pairs.b, regions(2));
}

int main(void) {
  static void (*const kinds[])(void) = {sum, of_array, of_user, of_sections, of_shares};
  settle();
  for (int k = 0; k < 5; ++k) {
    kinds[k]();
    say("serial");
#pragma omp parallel
    kinds[k]();
    say("region");
  }
  return finish();
}
