// Pausing gives the threads back: the fold's threads must have left their region before.
// muster-test: folded >= 20
// muster-test: closed "runtime call" >= 2
// muster-test: race regions: a hard pause ends the runtime, and Archer with it
#include "trap.h"

int main(void) {
  settle();
  for (int round = 0; round < 3; ++round) {
    printf("soft: %d\n", omp_pause_resource(omp_pause_soft, omp_get_initial_device()));
    settle();
    printf("hard: %d\n", omp_pause_resource(omp_pause_hard, omp_get_initial_device()));
    settle();
    printf("all, soft: %d\n", omp_pause_resource_all(omp_pause_soft));
    settle();
    printf("all, hard: %d\n", omp_pause_resource_all(omp_pause_hard));
    settle();
  }
  return finish();
}
