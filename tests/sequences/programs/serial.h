// What lies between regions: settings, locks, constructs outside of regions; processes, threads, modules, exceptions.
#pragma once

#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "tasks.h"

namespace sequences {

template <int N>
SHAPED void set_threads(Actor& actor) {
  actor.other_threads = !actor.other_threads;
  omp_set_num_threads(actor.other_threads ? options.other_size : options.size);
  note(actor, "set_threads", "%d", actor.other_threads);
}

template <int N>
SHAPED void set_dynamic(Actor& actor) {
  actor.dynamic = !actor.dynamic;
  omp_set_dynamic(actor.dynamic);
  note(actor, "set_dynamic", "%d", actor.dynamic);
}

template <int N>
SHAPED void set_schedule(Actor& actor) {
  actor.other_schedule = !actor.other_schedule;
  omp_set_schedule(omp_sched_static, actor.other_schedule ? 1 : 3);
  note(actor, "set_schedule", "%d", actor.other_schedule);
}

template <int N>
SHAPED void set_levels(Actor& actor) {
  actor.other_levels = !actor.other_levels;
  omp_set_max_active_levels(actor.other_levels ? 3 : 1);
  note(actor, "set_levels", "%d", actor.other_levels);
}

// Taken by one step, given back by the next such, or at the end: regions come between.
template <int N>
SHAPED void lock(Actor& actor) {
  if (actor.holds_lock)
    omp_unset_lock(&actor.lock);
  else
    omp_set_lock(&actor.lock);
  actor.holds_lock = !actor.holds_lock;
  note(actor, "lock", "holds %d", actor.holds_lock);
}

template <int N>
SHAPED void nest_lock(Actor& actor) {
  int count = 0;
  if (actor.holds_nest_lock) {
    count = omp_test_nest_lock(&actor.nest_lock);
    omp_unset_nest_lock(&actor.nest_lock);
    omp_unset_nest_lock(&actor.nest_lock);
  } else {
    omp_set_nest_lock(&actor.nest_lock);
  }
  actor.holds_nest_lock = !actor.holds_nest_lock;
  note(actor, "nest_lock", "holds %d count %d", actor.holds_nest_lock, count);
}

inline long
    shared_sum;  // of worksharing constructs that a context's team shares, which only ever grows

template <int N>
SHAPED void orphaned_loop(Actor& actor) {
#pragma omp for schedule(dynamic)
  for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
    shared_sum += i;
  }
  const long sum = shared_sum;
  long whose = 0;
#pragma omp barrier
#pragma omp for schedule(static, 1) nowait
  for (int i = 0; i < kIterations; ++i) whose += i;
  note(actor, "orphaned_loop", "sum %ld whose %ld", sum, whose);
}

template <int N>
SHAPED void orphaned_blocks(Actor& actor) {
  long from_single = 0;
#pragma omp single copyprivate(from_single)
  {
    shared_sum += 3;
    from_single = shared_sum;
  }
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp atomic
      shared_sum += 5;
    }
#pragma omp section
    {
#pragma omp atomic
      shared_sum += 7;
    }
  }
  const long sum = shared_sum;
#pragma omp barrier
#pragma omp for ordered
  for (int i = 0; i < 5; ++i) {
#pragma omp ordered
    shared_sum = shared_sum * 2 % 1000003;
  }
  note(actor, "orphaned_blocks", "single %ld sum %ld ordered %ld", from_single, sum, shared_sum);
#pragma omp barrier
}

inline int reap(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

template <int N>
SHAPED void forks(Actor& actor) {
  const pid_t child = fork();
  if (child == 0) _exit(40 + actor.step);
  note(actor, "forks", "child %d", reap(child));
}

inline volatile sig_atomic_t child_status;

// Only what POSIX allows to a handler: fork is of that.
inline void fork_in_handler(int) {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  child_status = reap(child);
}

template <int N>
SHAPED void handler(Actor& actor) {
  struct sigaction action = {};
  action.sa_handler = fork_in_handler;
  sigaction(SIGUSR2, &action, nullptr);
  raise(SIGUSR2);
  note(actor, "handler", "child %d", int(child_status));
}

// The child computes as well, which libgomp allows to a process that had no regions only.
template <int N>
SHAPED void forks_region(Actor& actor) {
  const pid_t child = fork();
  if (child == 0) _exit(int(region_sum() % 100));
  note(actor, "forks_region", "child %d", reap(child));
}

// The module runs regions in its constructor, in a function and in its destructor.
template <int N>
SHAPED void module(Actor& actor) {
  void* const handle = dlopen(getenv("SEQUENCES_MODULE"), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    note(actor, "module", "%s", dlerror());
    return;
  }
  const auto sum = reinterpret_cast<long (*)()>(dlsym(handle, "module_sum"));
  const long own = sum(), after = sum();
  dlclose(handle);
  note(actor, "module", "%ld %ld", own, after);
}

struct Errand {
  Actor* actor;
  Team first, second;
};

inline void* errand(void* pointer) {
  Errand& own = *static_cast<Errand*>(pointer);
  for (int time = 0; time < options.times; ++time) {
#pragma omp parallel
    member(own.first);
#pragma omp parallel num_threads(2)
    member(own.second);
  }
  if (own.actor->step % 2 == 1) pthread_exit(nullptr);
  return nullptr;
}

template <int N>
SHAPED void thread(Actor& actor) {
  Errand own{&actor, {}, {}};
  pthread_t thread;
  if (pthread_create(&thread, nullptr, errand, &own) != 0) return;
  pthread_join(thread, nullptr);
  note(actor, "thread", "first %ld %ld second %ld %ld", own.first.seen, own.first.limits,
       own.second.seen, own.second.levels);
}

// Runs a region where the stack is unwound.
struct Cleaner {
  long* sum;
  ~Cleaner() { *sum += region_sum(); }
};

[[noreturn]] inline void fails(long* sum) {
  Cleaner cleaner{sum};
  throw 3L;
}

template <int N>
SHAPED void exception(Actor& actor) {
  long sum = 0, inside = 0, caught = 0;
  try {
    fails(&sum);
  } catch (long value) {
    caught = value;
  }
#pragma omp parallel reduction(+ : inside)
  {
    try {
      throw 5L;
    } catch (long value) {
      inside += value;
    }
  }
  try {
    throw caught;
  } catch (long value) {
    caught += 10 * value + 100 * region_sum();
  }
  const bool counts = omp_get_dynamic() == 0;
  note(actor, "exception", "caught %ld sum %ld inside %ld", counts ? caught : 0, counts ? sum : 0,
       counts ? inside : 0);
}

// How the runtime hands the rounding of the serial part to a region's threads.
template <int N>
SHAPED void rounding(Actor& actor) {
  fesetround(fegetround() == FE_UPWARD ? FE_TONEAREST : FE_UPWARD);
  long up = 0;
#pragma omp parallel reduction(+ : up)
  up += fegetround() == FE_UPWARD;
  note(actor, "rounding", "here %d up %ld", fegetround() == FE_UPWARD, actor.dynamic ? 0 : up);
}

// What a thread asks for itself stays, also in the next region.
template <int N>
SHAPED void pins(Actor& actor) {
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof before, &before) != 0) return;
  long lost = 0;
  int masks[kMostThreads] = {};
#pragma omp parallel
  {
    cpu_set_t own;
    CPU_ZERO(&own);
    int left = omp_get_thread_num() % CPU_COUNT(&before);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &before) && left-- == 0) masks[omp_get_thread_num()] = cpu;
    CPU_SET(masks[omp_get_thread_num()], &own);
    sched_setaffinity(0, sizeof own, &own);
  }
#pragma omp parallel reduction(+ : lost)
  {
    cpu_set_t now;
#pragma omp barrier
    const int cpu = sched_getcpu();
    sched_getaffinity(0, sizeof now, &now);
    lost += cpu != masks[omp_get_thread_num()] || CPU_COUNT(&now) != 1 || !CPU_ISSET(cpu, &now);
    sched_setaffinity(0, sizeof before, &before);
  }
  note(actor, "pins", "lost %ld", actor.dynamic ? 0 : lost);
}

inline ucontext_t back[kMostActors], there[kMostActors];

inline void on_other_stack(int id) {
  const long sum = region_sum();
  note(actors[id], "other_stack", "sum %ld", sum);
  swapcontext(&there[id], &back[id]);
}

template <int N>
SHAPED void other_stack(Actor& actor) {
  enum { kStack = 256 * 1024 };
  void* const stack = malloc(kStack);
  getcontext(&there[actor.id]);
  there[actor.id].uc_stack.ss_sp = stack;
  there[actor.id].uc_stack.ss_size = kStack;
  makecontext(&there[actor.id], reinterpret_cast<void (*)()>(on_other_stack), 1, actor.id);
  swapcontext(&back[actor.id], &there[actor.id]);
  free(stack);
}

// The thread ends in the middle: as the initial one, whose process goes on, or as another.
template <int N>
[[noreturn]] SHAPED void leaves(Actor& actor) {
  note(actor, "leaves", "work %ld", actor.work);
  pthread_exit(nullptr);
}

template <int N>
[[noreturn]] SHAPED void exits(Actor& actor) {
  note(actor, "exits", "work %ld", 0L);
  exit(33);
}

}  // namespace sequences
