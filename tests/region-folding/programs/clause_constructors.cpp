// Clauses whose code opens regions itself: copy constructors of firstprivate variables, initializers and combiners of
// declared reductions. In a construct that is combined with its region they run before a thread has asked for its
// first share of the loop, or inside the runtime's making of a task.
// muster-test: folded >= 30
// muster-test: auto
#include "trap.h"

namespace {

long copied;

long loops() {
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += i;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += i;
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    sum += 100;
#pragma omp section
    sum += 1000;
  }
  return sum;
}

struct Copied {
  long value = 1;
  Copied() = default;
  Copied(const Copied& other) : value(other.value) {
    __atomic_fetch_add(&copied, loops(), __ATOMIC_RELAXED);
  }
};

struct Sum {
  long value = 0;
};

Sum begin() {
  Sum sum;
  sum.value = loops();
  return sum;
}

void combine(Sum& into, const Sum& from) { into.value += from.value + loops(); }

#pragma omp declare reduction(add:Sum : combine(omp_out, omp_in)) initializer(omp_priv = begin())

enum { kCount = 60 };
int done[kCount];

int wrong(int times) {
  int count = 0;
  for (int& each : done) {
    count += each != times;
    each = 0;
  }
  return count;
}

void loop_with_copies() {
  Copied thing;
#pragma omp parallel for schedule(dynamic) firstprivate(thing)
  for (int i = 0; i < kCount; ++i) __atomic_fetch_add(&done[i], thing.value, __ATOMIC_RELAXED);
#pragma omp parallel for schedule(guided, 2) firstprivate(thing)
  for (int i = 0; i < kCount; ++i) __atomic_fetch_add(&done[i], thing.value, __ATOMIC_RELAXED);
#pragma omp parallel for schedule(runtime) firstprivate(thing)
  for (int i = 0; i < kCount; ++i) __atomic_fetch_add(&done[i], thing.value, __ATOMIC_RELAXED);
}

void sections_with_copies() {
  Copied thing;
#pragma omp parallel sections firstprivate(thing)
  {
#pragma omp section
    done[0] += 3 * thing.value;
#pragma omp section
    done[1] += 3 * thing.value;
#pragma omp section
    done[2] += 3 * thing.value;
  }
  for (int i = 3; i < kCount; ++i) done[i] = 3;
}

void tasks_with_copies() {
  Copied thing;
#pragma omp task firstprivate(thing)
  __atomic_fetch_add(&copied, thing.value, __ATOMIC_RELAXED);
#pragma omp taskloop firstprivate(thing) num_tasks(4)
  for (int i = 0; i < kCount; ++i) __atomic_fetch_add(&done[i], 3 * thing.value, __ATOMIC_RELAXED);
#pragma omp taskwait
}

}  // namespace

int main() {
  settle();
  for (int round = 0; round < 3; ++round) {
    loop_with_copies();
    printf("loops: %d wrong; %ld\n", wrong(3), regions(2));
    sections_with_copies();
    printf("sections: %d wrong; %ld\n", wrong(3), regions(2));
    tasks_with_copies();
    printf("tasks: %d wrong; %ld\n", wrong(3), regions(2));
    Sum sum;
#pragma omp parallel for schedule(dynamic) reduction(add : sum)
    for (int i = 0; i < kCount; ++i) sum.value += i;
    printf("reduction: %ld; %ld\n", sum.value, regions(2));
#pragma omp parallel sections reduction(add : sum)
    {
#pragma omp section
      sum.value += 1;
#pragma omp section
      sum.value += 2;
    }
    printf("reduction of sections: %ld; %ld\n", sum.value, regions(2));
    printf("copied: %ld\n", copied);
  }
  return finish();
}
