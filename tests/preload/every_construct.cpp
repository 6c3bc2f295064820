// Every construct that compilers make calls of, in a way that a runtime's team of one and Muster's serial OpenMP must
// agree in (test_serial.py).
#include <omp.h>

#include <cstdio>

namespace {

// Counts its copies, so that each needs its function to be called.
struct Counted {
  static int alive;
  int value;
  explicit Counted(int its) : value(its) { ++alive; }
  Counted(const Counted& other) : value(other.value) { ++alive; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
};
int Counted::alive = 0;

struct Largest {
  int value = -1;
};
#pragma omp declare reduction(largest:Largest : omp_out.value = \
                                  omp_in.value > omp_out.value ? omp_in.value : omp_out.value)

int threadprivate_value = 3;
#pragma omp threadprivate(threadprivate_value)

void show(const char* what, long long value) { std::printf("%s %lld\n", what, value); }

template <class T>
void loops(const char* type) {
  std::printf("loops of %s\n", type);
  T sum = 0;
  T last = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  {
#pragma omp for
    for (T i = 1; i < 100; i += 3) sum += i;
#pragma omp for schedule(static, 7) nowait
    for (T i = 100; i > 2; i -= 5) sum += i;
#pragma omp for schedule(dynamic) lastprivate(last)
    for (T i = 0; i < 50; ++i) sum += last = i;
#pragma omp for schedule(dynamic, 3)
    for (T i = 50; i > 0; i -= 2) sum += i;
#pragma omp for schedule(guided)
    for (T i = 0; i < 50; ++i) sum += i;
#pragma omp for schedule(runtime)
    for (T i = 0; i < 50; ++i) sum += i;
#pragma omp for schedule(monotonic : dynamic)
    for (T i = 0; i < 50; ++i) sum += i;
#pragma omp for schedule(auto)
    for (T i = 9; i < 9; ++i) sum += 1000;
#pragma omp for schedule(dynamic)
    for (T i = 9; i < 9; ++i) sum += 1000;
#pragma omp for collapse(2) schedule(guided, 2)
    for (T i = 0; i < 5; ++i)
      for (T k = 0; k < 4; ++k) sum += i * k;
#pragma omp for ordered schedule(dynamic)
    for (T i = 0; i < 5; ++i) {
#pragma omp ordered
      show("ordered", static_cast<long long>(i));
    }
#pragma omp for ordered(1) schedule(static)
    for (T i = 1; i < 6; ++i) {
#pragma omp ordered depend(sink : i - 1)
      show("doacross", static_cast<long long>(i));
#pragma omp ordered depend(source)
    }
  }
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : sum)
  for (T i = 0; i < 20; ++i) sum += i;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (T i = 0; i < 20; ++i) {
    long inner = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : inner)
    for (int k = 0; k < 3; ++k) inner += k;
    sum += i + static_cast<T>(inner);
  }
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (T i = 0; i < 20; ++i) sum += i;
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)
  for (T i = 0; i < 20; ++i) sum += i;
  show("sum", static_cast<long long>(sum));
  show("last", static_cast<long long>(last));
}

void regions() {
  int value = 5;
  int seen = 2;
  int last = 0;
  long array[3] = {1, 2, 3};
  Largest most;
  std::puts("regions");
#pragma omp parallel num_threads(3) firstprivate(value) reduction(+ : array[ : 3])
  {
    value += omp_get_thread_num();
    array[1] += value;
#pragma omp sections firstprivate(seen) lastprivate(last)
    {
#pragma omp section
      show("section", 1);
#pragma omp section
      show("section", 2);
#pragma omp section
      last = seen + 1;
    }
#pragma omp single copyprivate(value)
    value = 77;
    array[2] += value;
#pragma omp single nowait
    show("single", value);
#pragma omp masked
    show("masked", value);
#pragma omp critical
    show("critical", value);
#pragma omp critical(named)
    show("critical", value);
#pragma omp barrier
#pragma omp for reduction(largest : most)
    for (int i = 0; i < 10; ++i)
      if (i > most.value) most.value = i;
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      array[0] += 1;
#pragma omp barrier
    }
  }
#pragma omp parallel sections
  {
#pragma omp section
    show("parallel section", 1);
#pragma omp section
    show("parallel section", 2);
  }
#pragma omp parallel if (value > 100)
  show("serialized", omp_get_num_threads());
#pragma omp parallel copyin(threadprivate_value)
  threadprivate_value += 4;
  show("threadprivate", threadprivate_value);
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 10; ++i) {
#pragma omp cancel for if (value > 100)
      ++array[0];
    }
#pragma omp cancellation point parallel
  }
  show("array", array[0] + 100 * array[1] + 10000 * array[2]);
  show("largest", most.value + last);
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for reduction(+ : value)
  for (int i = 0; i < 10; ++i) value += i;
  show("teams", value);
}

long fibonacci(int n) {
  if (n < 2) return n;
  long left = 0;
  long right = 0;
#pragma omp task shared(left) if (n > 3)
  left = fibonacci(n - 1);
#pragma omp task shared(right) final(n < 4) mergeable untied
  right = fibonacci(n - 2);
#pragma omp taskwait
  return left + right;
}

void tasks() {
  long sum = 0;
  int value = 1;
  int last = 0;
  std::puts("tasks");
  {
    Counted counted(5);
#pragma omp parallel
#pragma omp single
    {
      show("fibonacci", fibonacci(12));
#pragma omp task firstprivate(counted) shared(sum)
      sum += counted.value;
#pragma omp task firstprivate(counted) shared(sum) if (0)
      sum += counted.value;
#pragma omp task depend(out : value) shared(value) priority(3)
      value += 10;
#pragma omp task depend(in : value) shared(value, sum)
      sum += value;
#pragma omp taskwait depend(in : value)
#pragma omp taskyield
#pragma omp taskgroup
      {
#pragma omp task shared(sum)
        sum += 100;
      }
#pragma omp taskloop firstprivate(counted) shared(sum) grainsize(3)
      for (int i = 0; i < 10; ++i) sum += i + counted.value;
#pragma omp taskloop lastprivate(last) num_tasks(4)
      for (long i = 20; i > 0; i -= 3) last = static_cast<int>(i);
#pragma omp taskloop reduction(+ : sum)
      for (unsigned long long i = 5; i < 25; i += 4) sum += static_cast<long>(i);
#pragma omp taskloop
      for (int i = 9; i < 9; ++i) sum += 100000;
#pragma omp taskwait
    }
  }
  show("sum", sum);
  show("last", last);
  show("alive", Counted::alive);
}

void task_reductions() {
  long sum = 1;
  long product = 1;
  Largest most;
  std::puts("task reductions");
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(largest : most)
    {
      for (int i = 1; i < 6; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
      }
#pragma omp taskgroup task_reduction(* : product)
      {
#pragma omp task in_reduction(* : product) in_reduction(+ : sum)
        product *= 6, sum += 50;
      }
#pragma omp task in_reduction(largest : most)
      most.value = 17;
    }
#pragma omp taskloop reduction(+ : sum)
    for (int i = 0; i < 10; ++i) sum += i;
  }
#pragma omp parallel reduction(task, + : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 1000;
#pragma omp for reduction(task, + : product)
    for (int i = 0; i < 3; ++i) {
#pragma omp task in_reduction(+ : product)
      product += i;
    }
  }
  show("sum", sum);
  show("product", product);
  show("most", most.value);
}

void detached() {
  std::puts("detached");
  omp_event_handle_t event;
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event) shared(done)
    {
      done = 1;
      omp_fulfill_event(event);
    }
#pragma omp taskwait
  }
  show("done", done);
}

void target() {
  std::puts("target");
  int shared = 1;
  int own = 2;
  int values[4] = {1, 2, 3, 4};
#pragma omp target map(tofrom : shared, values) firstprivate(own)
  {
    shared += own;
    own = 9;
    values[0] = 5;
  }
#pragma omp target data map(tofrom : values)
#pragma omp target teams distribute parallel for map(tofrom : values)
  for (int i = 0; i < 4; ++i) values[i] *= 2;
#pragma omp target update from(values)
  show("shared", shared);
  show("own", own);
  show("values", values[0] + values[3]);
}

void queries() {
  std::puts("queries");
#pragma omp parallel
  {
    show("threads", omp_get_num_threads());
    show("number", omp_get_thread_num());
    show("maximum", omp_get_max_threads());
  }
}

}  // namespace

#ifdef NO_RUNTIME
// Called by a program that is linked with this object and with no runtime.
extern "C" int run();
extern "C" int run() {
#else
int main() {
#endif
  loops<int>("int");
  loops<unsigned>("unsigned");
  loops<long>("long");
  loops<unsigned long long>("unsigned long long");
  regions();
  tasks();
  task_reductions();
  detached();
  target();
  queries();
  return 0;
}
