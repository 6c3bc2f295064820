// A CPU hog: uses one CPU and does nothing else; the load beside a benchmark. No OpenMP, one thread.
// It ends with the thread that started it, so that none outlives a killed benchmark. With --blink it
// is a load that comes and goes.
#include <fmt/core.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <csignal>

#include "epcc/command_line.h"

namespace {

volatile std::sig_atomic_t stop_requested = 0;

struct Options {
  double seconds = 0;
  double blink = 0;
  double phase = 0;
  bool report = false;
};

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

// How long the hog is off from here, `elapsed` seconds after it began; 0 while it is on.
double off_for(const Options& options, double elapsed) {
  if (options.blink == 0) return 0;
  const double into_cycle = std::fmod(elapsed + options.phase, 2 * options.blink);
  return into_cycle < options.blink ? 0 : 2 * options.blink - into_cycle;
}

// A signal ends the sleep.
void sleep_for(double seconds) {
  const double whole = std::floor(seconds);
  const timespec time{static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
  nanosleep(&time, nullptr);
}

}  // namespace

int main(int argc, char** argv) try {
  end_with_parent(getppid());
  Options options;
  epcc::CommandLine line("Burns one CPU until it is killed or its parent ends.", "burner");
  line.number("--seconds", options.seconds, "end after this time", 1e-3, 1e9);
  line.number("--blink", options.blink, "burn for so many seconds, sleep for as many, and so on",
              1e-3, 1e6);
  line.number("--phase", options.phase, "seconds of the first such cycle that are left out", 0,
              2e6);
  line.flag("--report", options.report,
            "print the CPU time got, also when ended by SIGTERM or SIGINT");
  line.parse_or_exit(argc, argv);

  if (options.report) {
    std::signal(SIGTERM, [](int) { stop_requested = 1; });
    std::signal(SIGINT, [](int) { stop_requested = 1; });
  }
  const double start = seconds_of(CLOCK_MONOTONIC);
  double elapsed = 0;
  while (stop_requested == 0 && (options.seconds == 0 || elapsed < options.seconds)) {
    const double off = off_for(options, elapsed);
    if (off == 0) burn();
    if (off > 0) sleep_for(options.seconds == 0 ? off : std::fmin(off, options.seconds - elapsed));
    elapsed = seconds_of(CLOCK_MONOTONIC) - start;
  }
  if (options.report) {
    fmt::print("cpu_seconds {:.6f}\nwall_seconds {:.6f}\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID),
               elapsed);
  }
  return 0;
} catch (const std::exception& error) {
  return epcc::failed("burner", error);
}
