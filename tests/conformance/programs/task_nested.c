// Tasks that create tasks, with and without waiting for them: the barrier waits for the descendants
// too.
// muster-test: reason tasks
#include "check.h"

static long leaves, visits;

static void grow(int depth) {
#pragma omp atomic
  ++visits;
  if (depth == 0) {
#pragma omp atomic
    ++leaves;
    return;
  }
#pragma omp task
  grow(depth - 1);
#pragma omp task
  grow(depth - 1);
}

static long fibonacci(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  long long checksum = 0;
  long value = 0;
#pragma omp parallel
  for (int round = 1; round <= 6; ++round) {
#pragma omp single
    grow(5);
    expect(leaves == 32L * round && visits == 63L * round);
#pragma omp barrier
    if (omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp task
      grow(4);
    }
#pragma omp barrier
    expect(leaves == 32L * round + 16 && visits == 63L * round + 31);
#pragma omp barrier
#pragma omp single
    {
      leaves -= 16;
      visits -= 31;
      value = fibonacci(8);
    }
    expect(value == 21);
#pragma omp barrier
  }
  checksum = leaves + visits + value;
  return verdict("task_nested", checksum);
}
