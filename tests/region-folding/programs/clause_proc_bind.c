// proc_bind: for one region only, and it may move the threads.
// muster-test: env OMP_PLACES={0},{1}
// muster-test: env OMP_PROC_BIND=close
// muster-test: folded >= 15
// muster-test: unfolded "a clause" >= 6
#include "trap.h"

struct where {
  int place[kMostThreads], bind, size;
};

static void note(struct where* where) {
  where->place[omp_get_thread_num()] = omp_get_place_num();
#pragma omp master
  {
    where->size = omp_get_num_threads();
    where->bind = omp_get_proc_bind();
  }
}

static void print(const char* what, const struct where* where) {
  printf("%s: bind %d in it, %d outside, places", what, where->bind, omp_get_proc_bind());
  for (int i = 0; i < where->size; ++i) printf(" %d", where->place[i]);
  printf("\n");
}

static void plain(void) {
  struct where where;
#pragma omp parallel
  note(&where);
  print("none", &where);
}

int main(void) {
  struct where where;
  settle();
  plain();
  for (int i = 0; i < 2; ++i) {
#pragma omp parallel proc_bind(spread)
    note(&where);
    print("spread", &where);
    plain();
#pragma omp parallel proc_bind(master)
    note(&where);
    print("master", &where);
    plain();
    settle();
#pragma omp parallel proc_bind(close) num_threads(2)
    note(&where);
    print("close, 2", &where);
    plain();
    settle();
  }
  return finish();
}
