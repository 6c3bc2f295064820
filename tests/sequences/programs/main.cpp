// Runs a sequence of steps in a context: main CONTEXT SIZE TIMES ROUNDS FLAGS STEP..., with the flags `w` (warm), `q`
// (asks), `a` (asks all) or `-`. See actor.h for what they mean.
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>

#include "steps.h"

namespace sequences {
namespace {

enum { kUnknown = 64, kMicrosecondsASignal = 700, kWorkOfASignal = 1000 };

Step find(const char* name) {
  for (int i = 0; i < entry_count; ++i)
    if (strcmp(entries[i].name, name) == 0) return entries[i].run;
  fprintf(stderr, "no step %s\n", name);
  _exit(kUnknown);
}

// A target that no task waits for would be one of the task's grandchildren to main.
bool leaves_targets() {
  for (int i = 0; i < options.count; ++i)
    if (strncmp(options.steps[i], "target_nowait", 13) == 0) return true;
  return false;
}

// Locks are given back by the task that took them. Tasks of a team's may be pending when its context ends.
void finish(Actor& actor) {
  if (leaves_targets()) {
#pragma omp taskwait
  }
  if (actor.holds_lock) omp_unset_lock(&actor.lock);
  if (actor.holds_nest_lock) omp_unset_nest_lock(&actor.nest_lock);
  actor.holds_lock = actor.holds_nest_lock = false;
}

void run(int id) {
  Actor& actor = actors[id];
  actor.id = id;
  omp_init_lock(&actor.lock);
  omp_init_nest_lock(&actor.nest_lock);
  for (actor.round = 0; actor.round < options.rounds; ++actor.round) {
    for (int i = 0; i < options.count; ++i) {
      actor.step = i + 1;
      find(options.steps[i])(actor);
    }
    finish(actor);
  }
  actor.round = 0;
  actor.step = 90;
  note(actor, "end", "checksum %lx", actor.checksum);
}

void in_task(const char* kind) {
  int link = 0;
  if (strcmp(kind, "task_if0") == 0) {
#pragma omp task if (0)
    run(0);
  } else if (strcmp(kind, "task_final") == 0) {
#pragma omp task final(1)
    run(0);
  } else if (strcmp(kind, "task_untied") == 0) {
#pragma omp task untied
    run(0);
  } else if (strcmp(kind, "task_depend") == 0) {
#pragma omp task shared(link) depend(out : link)
    link = 1;
#pragma omp task shared(link) depend(in : link)
    run(link - 1);
  } else {
#pragma omp task
    run(0);
  }
#pragma omp taskwait
}

void* in_thread(void*) {
  run(0);
#pragma omp taskwait
  return nullptr;
}

void with_thread() {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, in_thread, nullptr) != 0) _exit(kUnknown);
  pthread_join(thread, nullptr);
}

std::atomic<long> signals_work;  // of handlers, which may run in several threads at once

// Interrupts the program at any point: reads the clock, uses some stack, preserves errno.
void on_signal(int) {
  volatile char stack[kWorkOfASignal];
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (int i = 0; i < kWorkOfASignal; ++i) stack[i] = char(i);
  signals_work.fetch_add(stack[kWorkOfASignal / 2], std::memory_order_relaxed);
}

void set_timer(int microseconds) {
  const itimerval every = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &every, nullptr);
}

void under_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  set_timer(kMicrosecondsASignal);
  run(0);
  set_timer(0);
}

bool is_context(const char* name) { return strcmp(options.context, name) == 0; }

// Those that main enters.
void enter() {
  if (is_context("root")) {
    run(0);
  } else if (strncmp(options.context, "task_", 5) == 0 || is_context("task")) {
    in_task(options.context);
  } else if (is_context("taskgroup")) {
#pragma omp taskgroup
    {
#pragma omp task
      run(0);
    }
  } else if (is_context("taskloop")) {
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 2; ++i) run(i);
#ifndef WITHOUT_TARGETS
  } else if (is_context("target")) {
#pragma omp target
    run(0);
  } else if (is_context("target_nowait")) {
#pragma omp target nowait
    run(0);
#pragma omp taskwait
#endif
  } else if (is_context("single")) {
#pragma omp parallel
#pragma omp single
    run(0);
  } else if (is_context("master")) {
#pragma omp parallel
#pragma omp master
    run(0);
  } else if (is_context("section")) {
#pragma omp parallel sections
    {
#pragma omp section
      run(0);
    }
  } else if (is_context("nested")) {
#pragma omp parallel num_threads(2)
    run(omp_get_thread_num());
  } else if (is_context("inactive")) {
#pragma omp parallel num_threads(1)
    run(0);
  } else if (is_context("thread")) {
    with_thread();
  } else if (is_context("signals")) {
    under_signals();
  }
}

void warm_up(int id) {
  if (!options.warm) return;
  Actor& actor = actors[id];
  actor.id = id;
  region<-1>(actor);
}

bool has_flag(const char* flags, char flag) { return strchr(flags, flag) != nullptr; }

void read_options(int count, char** words) {
  if (count < 6 || count > 6 + kMostSteps) {
    fprintf(stderr, "usage: CONTEXT SIZE TIMES ROUNDS FLAGS STEP...\n");
    _exit(kUnknown);
  }
  options.context = words[1];
  options.size = atoi(words[2]);
  options.other_size = options.size == 2 ? 3 : 2;
  options.times = atoi(words[3]);
  options.rounds = atoi(words[4]);
  options.warm = has_flag(words[5], 'w');
  options.asks_all = has_flag(words[5], 'a');
  options.asks = options.asks_all || has_flag(words[5], 'q');
  options.count = count - 6;
  for (int i = 0; i < options.count; ++i) options.steps[i] = words[6 + i];
}

// The C library hands the arguments to constructors, too.
__attribute__((constructor)) void construct(int count, char** words) {
  read_options(count, words);
  if (is_context("constructor")) run(0);
}

__attribute__((destructor)) void destruct() {
  if (is_context("destructor")) run(0);
}

void at_exit() {
  if (is_context("atexit")) run(0);
}

}  // namespace

// Tasks that were pending in a context have run when it was left, whichever thread ran them.
int sequences_main() {
  atexit(at_exit);
  warm_up(6);
  enter();
#pragma omp taskwait
  warm_up(7);
  long work = 0;
  for (Actor& actor : actors) work += actor.work;
  printf("main: work %ld\n", work);
  return 0;
}

}  // namespace sequences

int main() { return sequences::sequences_main(); }
