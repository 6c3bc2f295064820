#include "runtime-hooks/teams/team.h"

#include <bit>
#include <new>

#include "barriers/choose.h"
#include "load/load_sensor.h"
#include "options/settings.h"
#include "platform/pages.h"
#include "platform/topology.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/teams/accounting.h"
#include "runtime-hooks/teams/counted_region.h"
#include "turns/process_turns.h"
#include "waiting/calibration.h"

namespace muster {
namespace {

Lock g_teams_lock;  // spare list and retired totals
std::atomic<Team*> g_newest{nullptr};
std::atomic<unsigned> g_made{0};
Team* g_spare = nullptr;

// A team's state is made by any thread of a region, which may not take the loader's lock nor the program's allocator.
// What needs these is read here, once, by the thread that forks.
void read_machine(const Runtime& runtime) {
  static std::atomic<bool> is_known{false};
  if (is_known.load(std::memory_order_relaxed)) return;
  const auto most = runtime.real.omp_get_max_threads;
  const bool has_tree =
      settings().barrier == BarrierKind::kTree ||
      (settings().barrier == BarrierKind::kAuto && most != nullptr && most() > int{kTreePaysAbove});
  if (has_tree) topology();
  if (needs_calibration(settings().wait.kind)) calibration();
  is_known.store(true, std::memory_order_relaxed);
}

Layout layout_of(BarrierKind kind, unsigned size) {
  const Topology* machine = kind == BarrierKind::kTree ? topology_if_loaded() : nullptr;
  Layout layout = machine != nullptr ? layout_for(*machine) : Layout{};
  if (const std::size_t line = reported_cache_line(); line > layout.stride) {
    layout.stride = std::bit_ceil(line);
  }
  if (size <= kPagesPayUpTo && layout.stride < kPrefetchersStopAt) {
    layout.stride = kPrefetchersStopAt;
  }
  return layout;
}

// Which CPUs the places have, for turns between processes. Not inlined, for the stack of teams without turns.
[[gnu::noinline]] void note_places(const RealFunctions& real, int places) {
  constexpr int kMostOfAPlace = 256;
  CpuSet all;
  for (int place = 0; place < places; ++place) {
    const int its = real.omp_get_place_num_procs(place);
    if (its <= 0 || its > kMostOfAPlace || real.omp_get_place_proc_ids == nullptr) continue;
    int ids[kMostOfAPlace];
    real.omp_get_place_proc_ids(place, ids);
    for (int i = 0; i < its; ++i) all.add(static_cast<unsigned>(ids[i]));
  }
  note_bound_cpus(all);
}

// The number of CPUs in all places if the runtime binds threads (OMP_PROC_BIND, OMP_PLACES, KMP_AFFINITY), else 0.
unsigned bound_cpus(const RealFunctions& real) {
  if (!has_all(real.omp_get_proc_bind, real.omp_get_num_places, real.omp_get_place_num_procs) ||
      real.omp_get_proc_bind() == 0) {
    return 0;
  }
  unsigned cpus = 0;
  const int places = real.omp_get_num_places();
  for (int place = 0; place < places; ++place) {
    const int its = real.omp_get_place_num_procs(place);
    if (its > 0) cpus += static_cast<unsigned>(its);
  }
  if (settings().turns) note_places(real, places);
  return cpus;
}

}  // namespace

std::uint64_t uncredited_arrivals(const TeamState& state) {
  const unsigned size = state.size.load(std::memory_order_acquire);
  if (size == 0 || state.ops == nullptr) return 0;
  std::uint64_t arrivals = 0;
  for (unsigned i = 0; i < size; ++i) arrivals += state.members[i].stats.barriers.read();
  return arrivals - state.credited_arrivals;
}

void prepare_for_choice(BarrierKind barrier) {
  if (barrier == BarrierKind::kTree && is_defined("omp_get_wtick")) topology();
}

Team* newest_team() { return g_newest.load(std::memory_order_acquire); }
unsigned teams_made() { return g_made.load(std::memory_order_relaxed); }

Team* Team::acquire(Runtime& runtime, ThreadState& state) {
  const unsigned depth = state.fork_depth++;
  Team* team = nullptr;
  if (depth < kSpareTeams) {
    team = state.spare[depth];
    state.spare[depth] = nullptr;
  }
  if (team == nullptr) {
    const Locked locked(g_teams_lock);
    team = g_spare;
    if (team != nullptr) g_spare = team->next_spare_;
  }
  if (team == nullptr) {
    void* pages = map_pages(sizeof(Team));
    if (pages == nullptr) {
      --state.fork_depth;
      return nullptr;
    }
    team = ::new (pages) Team();
    read_machine(runtime);
    const Locked locked(g_teams_lock);
    team->next_made_ = g_newest.load(std::memory_order_relaxed);
    g_newest.store(team, std::memory_order_release);
    g_made.fetch_add(1, std::memory_order_relaxed);
  }
  // Not written unless it changes: all threads read the line in each region.
  if (team->runtime_ != &runtime) {
    for (TeamState& kept : team->states_) team->credit_runtime(kept);
    team->runtime_ = &runtime;
  }
  team->forget_calls_off();
  return team;
}

void Team::release(Team* team, ThreadState& state) {
  if (state.fork_depth == 0) return;  // the process has forked since
  const unsigned depth = --state.fork_depth;
  if (depth < kSpareTeams && state.spare[depth] == nullptr) {
    state.spare[depth] = team;
    return;
  }
  keep_for_anybody(team);
}

void Team::keep_for_anybody(Team* team) {
  const Locked locked(g_teams_lock);
  team->next_spare_ = g_spare;
  g_spare = team;
}

void Team::keep_for_others(ThreadState& state) {
  for (Team*& team : state.spare) {
    if (team != nullptr) keep_for_anybody(team);
    team = nullptr;
  }
}

Member* Team::join(unsigned size, unsigned thread, PassReason& reason) {
  if (size_.load(std::memory_order_acquire) != size) prepare(size);
  if (is_replaced() && thread < size) [[likely]] {
    Member& member = members_[thread];
    WaitMeter* const meter = wait_meter_of(t_thread_state);
    if (member.stats.meter != meter) member.stats.meter = meter;
    return &member;
  }
  reason = reason_;
  return nullptr;
}

// The first thread of a region with another size than the last one installs the state of that size; the others wait
// for it here. No thread of an earlier region is left that could read the old state.
void Team::prepare(unsigned size) {
  const Locked locked(preparing_);
  const unsigned before = size_.load(std::memory_order_relaxed);
  if (before == size) return;
  if (is_replaced()) process_load_sensor().teams_shrank(before);
  TeamState& state = state_for(size);
  state.last_use = ++size_changes_;
  use(state.ops, state.barrier);
  members_ = state.members;
  sampling_.last_episode = kNoEpisode;  // these have counted others
  reason_ = state.reason;
  if (is_replaced()) process_load_sensor().teams_grew(size);
  size_.store(size, std::memory_order_release);
}

// The kept state of that size, or a new one in place of the least recently used.
TeamState& Team::state_for(unsigned size) {
  TeamState* oldest = &states_[0];
  for (TeamState& state : states_) {
    if (state.size.load(std::memory_order_relaxed) == size) return state;
    if (state.last_use < oldest->last_use) oldest = &state;
  }
  credit_runtime(*oldest);
  retire(*oldest);
  make(*oldest, size);
  return *oldest;
}

void Team::make(TeamState& state, unsigned size) {
  state.kind = settings().barrier;
  const unsigned bound = bound_cpus(runtime_->real);
  if (state.kind == BarrierKind::kAuto) {
    state.kind = choose_barrier(size, bound != 0 ? bound : allowed_cpus());
  }
  if (size <= 1) {
    state.reason = PassReason::kTeamOfOne;
  } else if (size > kMaxTeam) {
    state.reason = PassReason::kTooManyThreads;
  } else if (state.kind == BarrierKind::kNative) {
    state.reason = PassReason::kNative;
  } else {
    const auto* ops = settings().wait.kind == WaitKind::kAuto
                          ? auto_barrier_ops(state.kind)
                          : barrier_ops<NativeMemory>(state.kind);
    const Layout layout = layout_of(state.kind, size);
    const Calibration* costs = calibration_if_done();
    const WaitParameters wait{
        .wait = settings().wait.kind,
        .team_size = size,
        .bound_cpus = bound,
        .settings = settings(),
        .load_sensor = &process_load_sensor(),
        .turns = settings().turns ? &process_turns() : nullptr,
        .context_switch_ns = costs != nullptr ? costs->context_switch.ns : kDefaultContextSwitchNs,
        .wake_ns = costs != nullptr ? costs->wake.ns : kDefaultWakeNs,
        .fixed_ns = settings().wait.fixed_ns};
    const std::size_t bytes = ops->bytes(size, layout) + PaddedArray<Member>::bytes(size, layout) +
                              2 * layout.stride + 2 * sizeof(Member);
    state.barrier =
        state.arena.reserve(bytes) ? ops->create(state.arena, size, layout, wait) : nullptr;
    state.reason = PassReason::kNoMemory;
    if (state.barrier != nullptr) {
      state.members = PaddedArray<Member>(state.arena, size, layout);
      state.ops = ops;
    }
  }
  state.size.store(size, std::memory_order_release);  // the report may look
}

// Adds its arrivals to the runtime whose regions used it until now.
void Team::credit_runtime(TeamState& state) {
  const std::uint64_t arrivals = uncredited_arrivals(state);
  if (arrivals == 0) return;
  std::atomic_ref(runtime_->credited_arrivals).fetch_add(arrivals, std::memory_order_relaxed);
  state.credited_arrivals += arrivals;
}

void Team::retire(TeamState& state) {
  const unsigned size = state.size.load(std::memory_order_relaxed);
  const Locked locked(g_teams_lock);
  if (state.ops != nullptr) {
    for (unsigned i = 0; i < size; ++i)
      retired_totals().add_member(state.kind, size, i, state.members[i].stats);
  }
  state.size.store(0, std::memory_order_relaxed);
  state.ops = nullptr;
  state.credited_arrivals = 0;
}

void teams_after_fork() {
  g_teams_lock.unlock();
  g_spare = nullptr;
  g_newest.store(nullptr, std::memory_order_relaxed);
  g_made.store(0, std::memory_order_relaxed);
  retired_totals().clear();
  Runtime* const* runtimes = nullptr;
  const unsigned count = known_runtimes(&runtimes);
  for (unsigned i = 0; i < count; ++i) runtimes[i]->credited_arrivals = 0;
}

}  // namespace muster
