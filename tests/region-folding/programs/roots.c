// Other threads of the program run regions of their own while the initial thread runs its own: each in
// a fold of its own.
// muster-test: folded >= 480
// muster-test: closed "runtime call" >= 200
// muster-test: closed "end" >= 1
// muster-test: auto
#include <pthread.h>

#include "trap.h"

static void* root(void* argument) {
  long number = (long)argument, sum = 0;
  if (number % 2 == 1) omp_set_num_threads(2);
  for (int i = 0; i < 20; ++i) {
    sum += regions(2) + 1000 * omp_get_level() + omp_get_max_threads();
#pragma omp for schedule(dynamic)
    for (int k = 0; k < 10; ++k) sum += k;
  }
  return (void*)sum;
}

int main(void) {
  settle();
  for (int round = 0; round < 3; ++round) {
    pthread_t threads[3];
    for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, root, (void*)i);
    long own = 0;
    for (int i = 0; i < 20; ++i) own += regions(3) + omp_get_num_threads();
    for (int i = 0; i < 3; ++i) {
      void* sum;
      pthread_join(threads[i], &sum);
      printf("%ld ", (long)sum);
    }
    printf("own %ld; %ld\n", own, regions(3));
  }
  // One that is born in a region's thread.
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    pthread_t thread;
    void* result;
    pthread_create(&thread, NULL, root, (void*)1);
    pthread_join(thread, &result);
    sum += (long)result;
  }
  printf("%ld\n", sum);
  return finish();
}
