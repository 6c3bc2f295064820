// A CPU hog: uses one CPU and does nothing else; the load beside a benchmark. No OpenMP, one thread.
// It ends with the thread that started it, so that none outlives a killed benchmark.
#include <fmt/core.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <csignal>

#include "epcc/command_line.h"

namespace {

volatile std::sig_atomic_t told_to_end = 0;

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// The kernel sends the signal when the *thread* that started us ends: a launcher with several
// threads must keep that one. If the parent died before the call, another has taken its place by
// now.
void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::exit(0);
}

// Some hundred microseconds of computation that the compiler must keep.
void burn() {
  for (long i = 0; i < 300'000; ++i) asm volatile("" : "+r"(i));
}

}  // namespace

int main(int argc, char** argv) try {
  end_with_parent(getppid());
  double seconds = 0;
  bool report = false;
  epcc::CommandLine line("Burns one CPU until it is killed or its parent ends.", "burner");
  line.number("--seconds", seconds, "end after this time", 1e-3, 1e9);
  line.flag("--report", report, "print the CPU time got, also when ended by SIGTERM or SIGINT");
  line.parse_or_exit(argc, argv);

  if (report) {
    std::signal(SIGTERM, [](int) { told_to_end = 1; });
    std::signal(SIGINT, [](int) { told_to_end = 1; });
  }
  const double start = seconds_of(CLOCK_MONOTONIC);
  double elapsed = 0;
  while (told_to_end == 0 && (seconds == 0 || elapsed < seconds)) {
    burn();
    elapsed = seconds_of(CLOCK_MONOTONIC) - start;
  }
  if (report) {
    fmt::print("cpu_seconds {:.6f}\nwall_seconds {:.6f}\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID),
               elapsed);
  }
  return 0;
} catch (const std::exception& error) {
  return epcc::failed("burner", error);
}
