// test-yield: the test program of D. Mosberger, "Affinity ueber alles" (HP Labs, 2003): a thread a
// CPU, each yields, over and over. A scheduler that leaves them all on one CPU shows in the CPU
// utilisation: 100 % where each CPU could be used. Plain POSIX threads, no OpenMP.
#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "epcc/affinity.h"
#include "epcc/command_line.h"
#include "epcc/json.h"

namespace {

struct Options {
  int threads = 0;
  std::uint64_t yields = 100'000'000;  // the paper's
  double seconds = 0;                  // 0: no limit
  std::string format = "text";
};

// In seconds.
struct Times {
  double elapsed = 0;
  double user = 0;
  double system = 0;

  double utilisation() const { return 100 * (user + system) / elapsed; }
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

Times times_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9,
          seconds_of(usage.ru_utime), seconds_of(usage.ru_stime)};
}

std::atomic<bool> time_is_up{false};

// A thread's work and, when it has ended, how much of it was done.
struct alignas(128) Yielder {
  pthread_t thread{};
  std::uint64_t yields = 0;
};

void* yield_on(void* argument) {
  auto& mine = *static_cast<Yielder*>(argument);
  std::uint64_t done = 0;
  while (done < mine.yields && !time_is_up.load(std::memory_order_relaxed)) {
    sched_yield();
    ++done;
  }
  mine.yields = done;
  return nullptr;
}

void start(Yielder& yielder) {
  const int error = pthread_create(&yielder.thread, nullptr, yield_on, &yielder);
  if (error != 0) throw std::runtime_error(std::string("no more threads: ") + std::strerror(error));
}

// Waits for all of them, or for the time to be up.
void join(std::vector<Yielder>& yielders, double seconds) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const double whole = std::floor(seconds);
  until.tv_sec += static_cast<time_t>(whole);
  until.tv_nsec += static_cast<long>((seconds - whole) * 1e9);
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  for (Yielder& yielder : yielders) {
    if (seconds > 0) {
      if (pthread_clockjoin_np(yielder.thread, nullptr, CLOCK_MONOTONIC, &until) == 0) continue;
      time_is_up.store(true, std::memory_order_relaxed);
    }
    pthread_join(yielder.thread, nullptr);
  }
}

void print(const Options& options, const std::vector<Yielder>& yielders, const Times& times) {
  std::vector<std::uint64_t> by_thread;
  std::uint64_t yields = 0;
  for (const Yielder& yielder : yielders) {
    by_thread.push_back(yielder.yields);
    yields += yielder.yields;
  }
  if (options.format == "text") {
    fmt::print("{:.2f}user {:.2f}system {:.2f}elapsed {:.0f}%CPU\n", times.user, times.system,
               times.elapsed, times.utilisation());
    fmt::print("  {} threads, {} yields\n", yielders.size(), yields);
    return;
  }
  const epcc::Json json = {{"program", "test-yield"},    {"threads", yielders.size()},
                           {"yields", yields},           {"yields_by_thread", by_thread},
                           {"elapsed_s", times.elapsed}, {"user_s", times.user},
                           {"system_s", times.system},   {"cpu_percent", times.utilisation()}};
  json.print();
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  options.threads = static_cast<int>(epcc::allowed_cpus().size());
  epcc::CommandLine line("A thread a CPU, each calls sched_yield over and over.", "test-yield");
  line.number("--threads", options.threads, "how many threads", 1, 65536);
  line.number("--yields", options.yields, "how often each yields", 1, 1e15);
  line.number("--seconds", options.seconds, "end after this time in any case; 0: no limit", 0, 1e6);
  line.choice("--format", options.format, "how to print the result", {"text", "json"});
  line.parse_or_exit(argc, argv);

  const Times before = times_now();
  std::vector<Yielder> yielders(static_cast<std::size_t>(options.threads));
  for (Yielder& yielder : yielders) {
    yielder.yields = options.yields;
    start(yielder);
  }
  join(yielders, options.seconds);
  const Times after = times_now();
  print(options, yielders,
        {after.elapsed - before.elapsed, after.user - before.user, after.system - before.system});
  return 0;
} catch (const std::exception& error) {
  return epcc::failed("test-yield", error);
}
