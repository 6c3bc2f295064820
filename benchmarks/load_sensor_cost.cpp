// What each signal of the load sensor (docs/understand/load-sensing.md) costs on this machine.
//
//   load_sensor_cost --benchmark_min_time=0.05
//
// "Time" is for one use. Signals that were weighed and not taken (a schedstat of the thread, descriptors
// kept open) are here, too.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "load/load_sensor.h"
#include "platform/clock.h"
#include "platform/cpus.h"
#include "platform/read_file.h"

namespace muster {
namespace {

void look_not_due(benchmark::State& state) {
  static LoadSensor sensor;
  const std::uint64_t now = monotonic_ns();
  sensor.look(now);
  for ([[maybe_unused]] auto iteration : state) benchmark::DoNotOptimize(sensor.look(now));
}
BENCHMARK(look_not_due);

void copy_of_the_snapshot(benchmark::State& state) {
  static LoadSensor sensor;
  sensor.look(monotonic_ns());
  for ([[maybe_unused]] auto iteration : state) benchmark::DoNotOptimize(sensor.last());
}
BENCHMARK(copy_of_the_snapshot);

void whole_look(benchmark::State& state) {
  static LoadSensor sensor;
  std::uint64_t now = 1'000'000'000;
  for ([[maybe_unused]] auto iteration : state) {
    benchmark::DoNotOptimize(sensor.look(now += LoadSensor::kLookEveryNs));
  }
}
BENCHMARK(whole_look);

void gap_that_may_be_stolen(benchmark::State& state) {
  static LoadSensor sensor;
  std::uint64_t now = 1'000'000'000;
  sensor.look(now);
  for ([[maybe_unused]] auto iteration : state) {
    now += StolenTime::kReadEveryNs;
    benchmark::DoNotOptimize(sensor.was_stolen(now - 1'000'000, now, 500'000));
  }
}
BENCHMARK(gap_that_may_be_stolen);

void search_for_groups(benchmark::State& state) {
  static CpuGroups groups;
  static char buffer[4096];
  for ([[maybe_unused]] auto iteration : state) {
    benchmark::DoNotOptimize(groups.find("", buffer, sizeof(buffer)));
  }
}
BENCHMARK(search_for_groups);

void quotas_of_all_levels(benchmark::State& state) {
  static CpuGroups groups;
  static char buffer[4096];
  groups.find("", buffer, sizeof(buffer));
  for ([[maybe_unused]] auto iteration : state) {
    benchmark::DoNotOptimize(groups.read(buffer, sizeof(buffer), Files::kOpen));
  }
}
BENCHMARK(quotas_of_all_levels);

void affinity(benchmark::State& state) {
  for ([[maybe_unused]] auto iteration : state) benchmark::DoNotOptimize(allowed_cpus());
}
BENCHMARK(affinity);

void cpu_of_the_thread(benchmark::State& state) {
  for ([[maybe_unused]] auto iteration : state) benchmark::DoNotOptimize(current_cpu());
}
BENCHMARK(cpu_of_the_thread);

void involuntary_switches(benchmark::State& state) {
  rusage usage{};
  for ([[maybe_unused]] auto iteration : state) {
    benchmark::DoNotOptimize(getrusage(RUSAGE_THREAD, &usage));
  }
}
BENCHMARK(involuntary_switches);

void own_gap(benchmark::State& state) {
  std::uint64_t before = monotonic_ns();
  for ([[maybe_unused]] auto iteration : state) {
    const std::uint64_t after = monotonic_ns();
    benchmark::DoNotOptimize(after - before);
    before = after;
  }
}
BENCHMARK(own_gap);

void file(benchmark::State& state, const char* path) {
  static char buffer[16384];
  if (read_file(path, buffer, sizeof(buffer)) < 0) state.SkipWithError("not here");
  for ([[maybe_unused]] auto iteration : state) {
    benchmark::DoNotOptimize(read_file(path, buffer, sizeof(buffer)));
  }
}
BENCHMARK_CAPTURE(file, loadavg, "/proc/loadavg");
BENCHMARK_CAPTURE(file, pressure, "/proc/pressure/cpu");
BENCHMARK_CAPTURE(file, stat, "/proc/stat");
BENCHMARK_CAPTURE(file, schedstat_of_all_cpus, "/proc/schedstat");
BENCHMARK_CAPTURE(file, schedstat_of_the_thread, "/proc/thread-self/schedstat");

// The alternative to opening: what a kept descriptor would save.
void kept_descriptor(benchmark::State& state, const char* path) {
  static char buffer[4096];
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) state.SkipWithError("not here");
  for ([[maybe_unused]] auto iteration : state) {
    benchmark::DoNotOptimize(pread(descriptor, buffer, sizeof(buffer), 0));
  }
  if (descriptor >= 0) close(descriptor);
}
BENCHMARK_CAPTURE(kept_descriptor, loadavg, "/proc/loadavg");
BENCHMARK_CAPTURE(kept_descriptor, pressure, "/proc/pressure/cpu");

}  // namespace
}  // namespace muster

BENCHMARK_MAIN();
