// Steps between regions: what a program does there must work as it does without folding.
#pragma once

#include <dlfcn.h>
#include <omp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checked.h"
#include "constructs.h"

extern char** environ;

namespace torture {

inline void settings(Random& random) {
  const int threads = random.between(1, kMostThreads);
  omp_set_num_threads(threads);
  expect_equal("omp_get_max_threads", omp_get_max_threads(), threads);
  expect_equal("omp_get_num_threads", omp_get_num_threads(), 1);
  expect_equal("omp_in_parallel", omp_in_parallel(), 0);
  expect_equal("omp_get_level", omp_get_level(), 0);
}

// Constructs outside of any region.
inline void orphans(Random& random) {
  const int count = random.between(1, 50);
  long sum = 0;
#pragma omp for
  for (int i = 0; i < count; ++i) sum += i;
#pragma omp single
  ++sum;
#pragma omp barrier
  expect_equal("orphans", sum, static_cast<long>(count) * (count - 1) / 2 + 1);
}

// A region in a task that is in no region.
inline void root_task(Random& random) {
  const int regions = random.between(1, 4);
  const bool deferrable = !random.one_in(4);
  long sum = 0;
#pragma omp task shared(sum) if (deferrable)
  for (int i = 0; i < regions; ++i) {
#pragma omp parallel reduction(+ : sum)
    sum += omp_get_thread_num() == 0;
  }
#pragma omp taskwait
  expect_equal("regions in a task", sum, regions);
}

inline void waits(Random& random) {
  const timespec time{0, random.between(0, 4'000'000)};
  nanosleep(&time, nullptr);
}

// The child is a process of many threads' fork: it may not do more than this.
inline void forks(Random&) {
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0) {
  }
  if (child > 0) expect_equal("fork", WIFEXITED(status) ? WEXITSTATUS(status) : -1, 7);
}

inline void spawns(Random&) {
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, name, nullptr, nullptr, arguments, environ) != 0) return;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  expect_equal("posix_spawn", status, 0);
}

// A module with regions of its own, loaded and unloaded.
inline void plugin(Random& random, const char* path) {
  void* module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  expect(module != nullptr, dlerror(), 0, 0);
  using Sum = long (*)(int);
  const auto sum = reinterpret_cast<Sum>(dlsym(module, "sum_of"));
  const int count = random.between(1, 100);
  expect_equal("plugin", sum(count), static_cast<long>(count) * (count - 1) / 2);
  dlclose(module);
}

}  // namespace torture
