// Regions at the end: in atexit handlers, destructors of static and thread-local objects, registered
// before the first region and after it. By then the fold was closed.
// muster-test: folded >= 5
// muster-test: closed "end" >= 1
// muster-test: auto
// muster-test: case return
// muster-test: arguments return
// muster-test: case exit
// muster-test: arguments exit
// muster-test: status 3
// muster-test: case exit-in-function
// muster-test: arguments deep
// muster-test: status 3
#include <cstring>

#include "trap.h"

struct Speaker {
  const char* name;
  explicit Speaker(const char* name) : name(name) {}
  ~Speaker() { printf("%s: %ld, level %d\n", name, regions(4), omp_get_level()); }
};

// Destructors that call others, which open regions.
struct Recursive {
  int depth;
  ~Recursive() {
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += omp_get_thread_num();
    printf("depth %d: %ld\n", depth, sum);
    if (depth > 0) Recursive{depth - 1};
  }
};

static Speaker early("static, before main");
static Recursive recursive{2};
thread_local Speaker local("thread-local");

__attribute__((destructor)) static void last() { printf("destructor: %ld\n", regions(2)); }

static void handler() { printf("atexit: %ld\n", regions(4)); }

static void late() {
  static Speaker speaker("static, in a function");
  printf("at exit still: %ld\n", regions(2));
}

static void deep(int depth) {
  Speaker never("unwound: must not be said");
  if (depth == 0) exit(3);
  deep(depth - 1);
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "return";
  atexit(handler);
  printf("%s\n", local.name);
  settle();
  static Speaker speaker("static, made after regions");
  atexit(handler);
  atexit(late);
  settle();
  if (std::strcmp(how, "exit") == 0) exit(3);
  if (std::strcmp(how, "deep") == 0) deep(3);
  return 0;
}
