// The time of one barrier, for every algorithm and team size: what `auto` chooses by
// (barriers/choose.h).
//
//   barrier_table --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//
// The names are ALGORITHM/WAIT/threads:N; the column `barrier` is the wall time of one barrier
// ("Time" is Google Benchmark's own: that divided by the threads). Repetitions of all rows are
// interleaved, so that a noisy moment hits them alike; compare medians. threads:1 is the cost of
// the code alone, counting included.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "barriers/native_registry.h"
#include "platform/cpus.h"
#include "waiting/calibration.h"

namespace muster {
namespace {

struct BenchTeam {
  Arena arena;
  CallOff<NativeMemory> call_off;
  const BarrierOps<NativeMemory>* ops = nullptr;
  void* state = nullptr;

  BenchTeam(BarrierKind barrier, WaitKind wait, unsigned size)
      : ops(barrier_ops<NativeMemory>(barrier)) {
    const Layout layout;
    const WaitParameters parameters{.wait = wait,
                                    .team_size = size,
                                    .context_switch_ns = context_switch_ns(),
                                    .wake_ns = wake_ns()};
    if (arena.reserve(ops->bytes(size, layout))) {
      state = ops->create(arena, size, layout, parameters);
    }
  }
};

std::unique_ptr<BenchTeam> g_team;

void one_barrier(benchmark::State& bench, BarrierKind barrier, WaitKind wait) {
  // The first thread makes the team; the others see it after the start of the loop, where Google
  // Benchmark lets all threads wait for each other.
  if (bench.thread_index() == 0) {
    g_team = std::make_unique<BenchTeam>(barrier, wait, static_cast<unsigned>(bench.threads()));
  }
  WaitStats stats;
  Episode episode = 0;
  const auto me = static_cast<unsigned>(bench.thread_index());
  for ([[maybe_unused]] auto iteration : bench) {
    BenchTeam& team = *g_team;
    team.ops->arrive_and_wait(team.state, me, ++episode, team.call_off, stats);
  }
  using benchmark::Counter;
  bench.counters["barrier"] = Counter(static_cast<double>(bench.iterations()),
                                      Counter::kIsRate | Counter::kInvert | Counter::kAvgThreads);
}

// What counting adds to a barrier of a thread that waits: the tallies of waiting/waiter.h and the
// entry's.
void counting(benchmark::State& bench) {
  WaitStats stats;
  Tally replaced;
  benchmark::DoNotOptimize(&stats);  // another thread may read it
  benchmark::DoNotOptimize(&replaced);
  for ([[maybe_unused]] auto iteration : bench) {
    stats.spins_begun.add();
    stats.spins_succeeded.add();
    stats.barriers.add();
    stats.histogram[0].add();
    replaced.add();
    benchmark::ClobberMemory();
  }
}

void register_all() {
  benchmark::RegisterBenchmark("counting", counting);
  const auto cpus = static_cast<int>(allowed_cpus());
  for (int kind = 0; kind < kBarrierKinds; ++kind) {
    const auto barrier = static_cast<BarrierKind>(kind);
    if (barrier == BarrierKind::kNative || barrier == BarrierKind::kAuto) continue;
    for (const WaitKind wait : {WaitKind::kTwoCsPlus, WaitKind::kYield, WaitKind::kBlock}) {
      const std::string name = std::string(name_of(barrier)) + "/" + name_of(wait);
      auto* bench = benchmark::RegisterBenchmark(
          name.c_str(), [=](benchmark::State& state) { one_barrier(state, barrier, wait); });
      for (int threads = 1; threads <= 4 * cpus; threads *= 2) bench->Threads(threads);
      bench->UseRealTime()->MinTime(0.05)->ReportAggregatesOnly();
    }
  }
}

}  // namespace
}  // namespace muster

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  muster::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
