// As threadprivate.c, where the runtime keeps the data: without TLS, clang's code asks
// __kmpc_threadprivate_cached, whose answer in the serial part depends on whether a region is open.
// muster-test: flags -fnoopenmp-use-tls
// muster-test: skip gcc: it has TLS only
// muster-test: skip gnu: the same
// muster-test: skip libgomp: the same
// muster-test: folded >= 10
// muster-test: closed "runtime call" >= 5
// muster-test: auto
#include "trap.h"

static int counter, with_value = 5;
static struct {
  long words[30];
} block;
static double* buffer;
#pragma omp threadprivate(counter, with_value, block, buffer)

static void show(const char* when) {
  int of[kMostThreads], size = 0;
  long sum[kMostThreads] = {0};
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    of[me] = 100 * counter + with_value;
    for (int i = 0; i < 30; ++i) sum[me] += block.words[i];
#pragma omp master
    size = omp_get_num_threads();
  }
  printf("%s: serial %d %d |", when, counter, with_value);
  for (int i = 0; i < size; ++i) printf(" %d %ld", of[i], sum[i]);
  printf("\n");
}

int main(void) {
  show("at first");
  for (int i = 0; i < 10; ++i) {
#pragma omp parallel
    counter += omp_get_thread_num() + 1;
    ++counter;
  }
  show("counted");
  with_value = 9;
  for (int i = 0; i < 30; ++i) block.words[i] = i;
  show("changed by the serial part");
#pragma omp parallel copyin(with_value, block)
  with_value += omp_get_thread_num();
  show("copied in");
  with_value = 20;
#pragma omp parallel copyin(with_value)
  counter = with_value;
  show("copied again");
  settle();
  // The primary changes its own while the others still copy.
  int wrong = 0;
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 30; ++k) block.words[k] = i;
#pragma omp parallel copyin(block) reduction(+ : wrong)
    {
      wrong += block.words[0] != i || block.words[29] != i;
      block.words[29] = -1;
    }
  }
  printf("%d wrong\n", wrong);
#pragma omp parallel
  buffer = calloc(10, sizeof(double));
  settle();
#pragma omp parallel
  buffer[3] = omp_get_thread_num();
  settle();
  double sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    sum += buffer[3];
    free(buffer);
  }
  printf("kept: %g\n", sum);
  omp_set_num_threads(2);
  show("two");
  omp_set_num_threads(4);
  counter = 77;
  return finish();
}
