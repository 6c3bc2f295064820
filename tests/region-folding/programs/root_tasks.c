// Regions in explicit tasks outside of any region, of the initial thread and of another root. A task runs inside a
// call of the runtime, or between two: a fold that it opened would outlive it.
// muster-test: folded >= 60
// muster-test: unfolded "inside another region" <= 0
// muster-test: unfolded "inside a runtime call" >= 60
// muster-test: auto
// muster-test: skip clang libomp14: it lacks a function for dependences without a task
// muster-test: case four
// muster-test: case two
// muster-test: env OMP_NUM_THREADS=2
#include <pthread.h>

#include "trap.h"

static long total;

static void inside(int count) { __atomic_fetch_add(&total, regions(count), __ATOMIC_RELAXED); }

__attribute__((noinline)) static void plain(void) {
#pragma omp task
  inside(3);
#pragma omp taskwait
}

__attribute__((noinline)) static void left_open(void) {
#pragma omp task
  inside(5);
  inside(2);
#pragma omp task
  inside(5);
#pragma omp taskwait
}

__attribute__((noinline)) static void grouped(void) {
#pragma omp taskgroup
  {
#pragma omp task
    inside(3);
#pragma omp taskyield
#pragma omp task
    inside(3);
  }
}

__attribute__((noinline)) static void loop(void) {
#pragma omp taskloop
  for (int i = 0; i < 4; ++i) inside(3);
#pragma omp taskloop if (0) nogroup
  for (int i = 0; i < 4; ++i) inside(3);
#pragma omp taskwait
}

__attribute__((noinline)) static void dependent(void) {
  int token = 0;
  (void)token;
#pragma omp task depend(out : token)
  inside(3);
#pragma omp task depend(inout : token)
  inside(3);
#pragma omp task depend(in : token) if (0)
  inside(3);
#pragma omp taskwait depend(in : token)
#pragma omp taskwait
}

__attribute__((noinline)) static void undeferred(void) {
#pragma omp task if (0)
  inside(3);
#pragma omp task final(1)
  {
    inside(3);
#pragma omp task
    inside(3);
  }
#pragma omp task mergeable if (0)
  inside(3);
#pragma omp taskwait
}

__attribute__((noinline)) static void untied(void) {
#pragma omp task untied
  {
    inside(3);
#pragma omp taskyield
    inside(3);
  }
#pragma omp taskwait
}

__attribute__((noinline)) static void nested(void) {
#pragma omp task
  {
    inside(3);
#pragma omp task
    {
      inside(3);
#pragma omp task if (0)
      inside(3);
      inside(3);
    }
#pragma omp taskwait
    inside(3);
  }
#pragma omp taskwait
}

static void (*const kinds[])(void) = {plain,     left_open,  grouped, loop,
                                      dependent, undeferred, untied,  nested};

static void all(void) {
  for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); ++k) {
    for (int round = 0; round < 2; ++round) {
      total = 0;
      kinds[k]();
      printf("kind %u: %ld, %d thread(s), level %d; ", k, total, omp_get_num_threads(),
             omp_get_level());
      printf("then %ld\n", regions(3));
    }
  }
}

static void* root(void* unused) {
  (void)unused;
  all();
  return NULL;
}

int main(void) {
  all();
  settle();
  all();
  pthread_t thread;
  pthread_create(&thread, NULL, root, NULL);
  pthread_join(thread, NULL);
  return finish();
}
