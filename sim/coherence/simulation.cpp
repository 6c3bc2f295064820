#include "sim/coherence/simulation.h"

#include <algorithm>
#include <stdexcept>

#include "barriers/choose.h"
#include "barriers/registry.h"
#include "sim/coherence/simulated_memory.h"
#include "sim/published/barriers.h"
#include "waiting/random.h"

namespace muster::coherence {
namespace {

// The shape that hwloc would tell: how many of one level make a group of the next.
Layout layout_of(const Machine& machine) {
  Topology topology;
  topology.cache_line = machine.line_bytes;
  unsigned inside = 1;
  if (machine.cores_in_node > 1) topology.arity[topology.levels++] = machine.cores_in_node;
  for (const Level& level : machine.levels) {
    if (level.nodes > inside) topology.arity[topology.levels++] = level.nodes / inside;
    inside = level.nodes;
  }
  return layout_for(topology);
}

// A team's barrier in a place of its own, which begins a line.
struct Team {
  Team(const Machine& machine, const Experiment& experiment) : stats(experiment.threads) {
    if (!experiment.published.empty()) {
      if (experiment.construct == Construct::kParallel)
        throw std::runtime_error("the published barriers have no forks and joins");
      published = published::make<SimulatedMemory>(experiment.published, experiment.threads,
                                                   machine.line_bytes, experiment.reading);
      if (published == nullptr) throw std::runtime_error("no such barrier was published");
      return;
    }
    const BarrierKind kind = experiment.barrier == BarrierKind::kAuto
                                 ? choose_barrier(experiment.threads, machine.cores)
                                 : experiment.barrier;
    ops = barrier_ops<SimulatedMemory>(kind);
    if (ops == nullptr) throw std::runtime_error("that barrier is none of Muster's");
    if (!AnyPolicy::available_on<SimulatedMemory>(experiment.wait))
      throw std::runtime_error("that policy needs a scheduler, which this simulator does not have");
    const Layout layout = layout_of(machine);
    const WaitParameters parameters{.wait = experiment.wait,
                                    .team_size = experiment.threads,
                                    .context_switch_ns = 2'000,
                                    .wake_ns = SimulatedMemory::kWakeNs,
                                    .fixed_ns = 50'000};
    if (arena.reserve(ops->bytes(experiment.threads, layout)))
      state = ops->create(arena, experiment.threads, layout, parameters);
    if (state == nullptr) throw std::runtime_error("no memory for the team");
  }

  void arrive_and_wait(unsigned me, Episode episode) {
    if (published != nullptr) return published->arrive_and_wait(me, episode);
    ops->arrive_and_wait(state, me, episode, call_off, stats[me]);
  }
  // The primary writes what is to be done, the others read it.
  void release(unsigned me, Episode episode) {
    if (me == 0) announced.store(episode, std::memory_order_release);
    ops->release(state, me, episode, kNoEpisode, &announced, call_off, stats[me], Counted::kRegion);
    if (me != 0) announced.load(std::memory_order_acquire);
  }
  void gather(unsigned me, Episode episode) {
    ops->gather(state, me, episode, call_off, stats[me], Counted::kRegion);
  }

  alignas(kPrefetchersStopAt) CallOff<SimulatedMemory> call_off;
  alignas(kPrefetchersStopAt) SimulatedMemory::Atomic<Episode> announced{kNoEpisode};
  std::unique_ptr<published::Barrier<SimulatedMemory>> published;
  Arena arena;
  const BarrierOps<SimulatedMemory>* ops = nullptr;
  void* state = nullptr;
  std::vector<WaitStats> stats;
};

}  // namespace

Outcome simulate(const Machine& machine, const Experiment& experiment,
                 const std::function<void(unsigned)>& progress) {
  World world(machine, experiment.threads, experiment.seed);
  world.pass_over_polls(experiment.wait == WaitKind::kSpin);
  g_world = &world;
  const auto team = std::make_unique<Team>(machine, experiment);
  const double delay = experiment.delay_us * 1'000 * machine.clock_ghz;

  std::vector<Counts> before(experiment.threads);
  std::vector<Counts> after(experiment.threads);
  std::vector<Episode> arrived(experiment.threads, 0);
  bool in_step = true;
  Cycles began = 0;
  Cycles ended = 0;
  double computed = 0;  // by the primary thread
  world.run([&](unsigned number) {
    MixedNumbers numbers(experiment.seed * kMostCores + number);
    for (Episode episode = 1; episode <= experiment.warm_up + experiment.episodes; ++episode) {
      if (episode == experiment.warm_up + 1) {
        before[number] = world.counts(number);
        if (number == 0) began = world.now();
      }
      const double share = static_cast<double>(numbers.next()) / 4294967296.0;
      const double length = delay * (1 + experiment.jitter * share);
      if (number == 0 && episode > experiment.warm_up) computed += delay;
      if (experiment.construct == Construct::kParallel) {
        team->release(number, 2 * episode - 1);
        in_step = in_step && arrived[0] + 1 >= episode;
      }
      world.delay(static_cast<Cycles>(length));
      arrived[number] = episode;
      if (experiment.construct == Construct::kParallel) {
        team->gather(number, 2 * episode);
        if (number != 0) continue;  // only the primary knows that all have arrived
      } else {
        team->arrive_and_wait(number, episode);
      }
      for (const Episode other : arrived) in_step = in_step && other >= episode;
      if (number == 0 && progress) progress(static_cast<unsigned>(episode));
    }
    after[number] = world.counts(number);
    if (number == 0) ended = world.now();
  });

  Outcome out;
  const double cycles = static_cast<double>(ended - began) / experiment.episodes;
  out.episode_us = machine.ns(cycles) / 1'000;
  out.overhead_us = machine.ns(cycles - computed / experiment.episodes) / 1'000;
  for (unsigned i = 0; i < experiment.threads; ++i)
    out.processors.push_back(after[i].since(before[i]));
  out.occupancies = world.occupancies();
  out.run_cycles = ended;
  out.in_step = in_step;
  return out;
}

}  // namespace muster::coherence
