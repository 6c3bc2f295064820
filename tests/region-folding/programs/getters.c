// All getters, in the serial part (which is a region of libomp's while a fold is open), in the
// regions and in regions nested in them.
// muster-test: folded >= 20
// muster-test: auto
#include "getters.h"

static void ask_region(const char* where) {
  struct answers answers[kMostThreads];
  int size = 0;
#pragma omp parallel
  {
    answers[omp_get_thread_num()] = ask();
#pragma omp master
    size = omp_get_num_threads();
  }
  for (int i = 0; i < size; ++i) print_answers(where, &answers[i]);
}

static void ask_nested(const char* where) {
  struct answers answers[kMostThreads];
  int size = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == omp_get_num_threads() - 1) answers[me] = ask();
#pragma omp master
    size = omp_get_num_threads();
  }
  for (int i = 0; i < size; ++i) print_answers(where, &answers[i]);
}

int main(void) {
  struct answers answers = ask();
  print_answers("before", &answers);
  settle();
  for (int i = 0; i < 3; ++i) {
    answers = ask();
    print_answers("serial", &answers);
    ask_region("region");
    settle();
    ask_nested("nested");
    settle();
  }
  answers = ask();
  print_answers("after", &answers);
  return finish();
}
