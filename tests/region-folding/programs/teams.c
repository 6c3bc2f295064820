// Leagues on the host: their primary threads are not workers of an open fold.
// muster-test: folded >= 15
// muster-test: closed >= 3
// muster-test: race main: Archer does not see a league begin or end
#include "trap.h"

// Calls that gcc does not accept in a league's own code.
__attribute__((noinline)) static int ask(void) {
  return 10 * omp_get_level() + omp_get_num_threads();
}

int main(void) {
  settle();
  for (int round = 0; round < 4; ++round) {
    int league = 0, bound = 0, levels = 0, inner = 0;
    long sum = 0;
#pragma omp teams num_teams(2) thread_limit(2) reduction(max : league, levels) reduction(+ : bound)
    {
      league = omp_get_num_teams();
      bound += omp_get_team_num();
      levels = ask();
#pragma omp parallel
#pragma omp master
#pragma omp atomic
      inner += omp_get_num_threads();
    }
    printf("league of %d, %d, %d, %d; %ld\n", league, bound, levels, inner, regions(3));
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
    printf("%ld; %ld\n", sum, regions(3));
    settle();
  }
  return finish();
}
