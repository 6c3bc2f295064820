// Threadprivate objects with constructors and destructors: made when a thread first uses its own,
// ended with the thread. The order among threads is undefined, so they are counted.
// muster-test: folded >= 15
#include <atomic>

#include "trap.h"

static std::atomic<int> made{0}, ended{0};

struct Object {
  int value;
  Object() : value(100) { ++made; }
  explicit Object(int start) : value(start) { ++made; }
  Object(const Object& other) : value(other.value) { ++made; }
  Object& operator=(const Object& other) = default;
  ~Object() { ++ended; }
};

// gcc wants the directive before the definition.
extern Object object, given;
#pragma omp threadprivate(object, given)
Object object;
Object given(7);

static void show(const char* when) {
  int of[kMostThreads], size = 0;
#pragma omp parallel
  {
    of[omp_get_thread_num()] = object.value * 1000 + given.value;
#pragma omp master
    size = omp_get_num_threads();
  }
  printf("%s: serial %d %d |", when, object.value, given.value);
  for (int i = 0; i < size; ++i) printf(" %d", of[i]);
  printf(" | %d made\n", made.load());
}

struct AtEnd {
  ~AtEnd() {
    printf("at the end: %d made, primary's %d\n", made.load(), ended.load() > 0);
    settle();
  }
};
static AtEnd at_end;

int main() {
  settle();
  show("at first");
#pragma omp parallel
  object.value += omp_get_thread_num();
  show("changed");
  given.value = 30;
#pragma omp parallel copyin(given)
  given.value += omp_get_thread_num();
  show("copied in");
  settle();
  show("later");
  return finish();
}
