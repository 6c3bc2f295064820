#include "runtime-hooks/teams/observed_barrier.h"

#include <atomic>
#include <cstdint>

#include "platform/lock.h"
#include "runtime-hooks/runtimes/ompt_tool.h"
#include "runtime-hooks/teams/barrier_gate.h"

namespace muster {
namespace {

// Muster's teams by the address of the runtime's. Entries are added under the lock and never removed, so that all
// threads of a team find the same; without a free one the barriers of further teams are the runtime's.
struct KnownTeam {
  std::atomic<const void*> region{nullptr};
  Team* team = nullptr;  // null: no memory
};
constexpr unsigned kKnownTeams = 1024;
KnownTeam g_known[kKnownTeams];
Lock g_lock;

unsigned place_of(const void* region) {
  return static_cast<unsigned>(
      (reinterpret_cast<std::uintptr_t>(region) * 0x9e37'79b9'7f4a'7c15U) >> 54);
}

// The entry of that region, or the free one where it belongs; null if there is neither.
KnownTeam* entry_of(const void* region) {
  unsigned place = place_of(region);
  for (unsigned i = 0; i < kKnownTeams; ++i, place = (place + 1) % kKnownTeams) {
    const void* its = g_known[place].region.load(std::memory_order_acquire);
    if (its == region || its == nullptr) return &g_known[place];
  }
  return nullptr;
}

Team* team_of(const void* region, Runtime& runtime, ThreadState& state) {
  KnownTeam* entry = entry_of(region);
  if (entry == nullptr) return nullptr;
  if (entry->region.load(std::memory_order_acquire) == region) return entry->team;
  const Locked locked(g_lock);
  entry = entry_of(region);
  if (entry == nullptr || entry->region.load(std::memory_order_relaxed) == region)
    return entry != nullptr ? entry->team : nullptr;
  entry->team = Team::acquire(runtime, state);
  if (entry->team != nullptr) Team::leave(state);
  entry->region.store(region, std::memory_order_release);
  return entry->team;
}

// The calling thread's place in its team, as a frame that lives as long as the call.
class TeamPlace {
 public:
  TeamPlace(Runtime& runtime, ThreadState& state, const ompt::Task& task) : state_(state) {
    frame_.outer = state.top;
    frame_.runtime = &runtime;
    frame_.caller_end = ~std::uintptr_t{0};
    frame_.thread = static_cast<unsigned>(task.thread);
    frame_.team = team_of(task.region, runtime, state);
    if (frame_.team == nullptr) return;
    frame_.me = frame_.team->join(static_cast<unsigned>(task.team_size), frame_.thread, reason_);
    if (frame_.me != nullptr)
      frame_.me->stamps.begun_for = kNoEpisode;  // perhaps of another region
    state.top = &frame_;
  }
  ~TeamPlace() { state_.top = frame_.outer; }
  TeamPlace(const TeamPlace&) = delete;
  TeamPlace& operator=(const TeamPlace&) = delete;

  bool is_known() const { return frame_.me != nullptr; }
  PassReason reason() const { return reason_; }
  void call_off(bool lasting) { frame_.team->call_off(frame_, lasting); }

 private:
  ThreadState& state_;
  Frame frame_;
  PassReason reason_ = PassReason::kNoMemory;
};

bool pass(ThreadState& state, PassReason reason) {
  state.passed[static_cast<unsigned>(Entry::kKmpcBarrier)].add();
  state.reasons[static_cast<unsigned>(reason)].add();
  return false;
}

bool serve(Runtime& runtime, const abi::Ident* where, const void* caller, void* enter_frame) {
  ThreadState& state = *t_thread_state;
  ompt::Task task;
  if (!ompt::current_task(task) || !task.is_implicit()) return pass(state, PassReason::kNoFrame);
  if (task.team_size <= 1) return pass(state, PassReason::kSerialized);
  TeamPlace place(runtime, state, task);
  if (!place.is_known()) return pass(state, place.reason());
  const unsigned barrier_class = ompt::class_of(where);
  const bool learns = !ompt::is_learned(barrier_class);
  // The runtime's own call, as in GOMP_barrier, or a region's function that ends with the call: it left no return
  // address. Its teammates may come from elsewhere in the program.
  const bool is_runtimes = runtime.contains(caller);
  const bool is_unknown_event = tool_event_not_served() != 0;
  if (learns || is_runtimes || is_unknown_event) place.call_off(/*lasting=*/is_unknown_event);
  Arrival arrival(Entry::kKmpcBarrier, caller);
  if (!arrival.replaceable()) return false;
  if (learns || is_runtimes) {
    arrival.wait();  // called off, so it returns at once
    if (learns) ompt::learn(barrier_class);
    return false;
  }
  ompt::BarrierEvents events(task, barrier_class, caller, enter_frame);
  const bool released = arrival.wait();
  released ? events.end() : events.leave_to_runtime();
  return released;
}

}  // namespace

bool observed_barrier(Runtime& runtime, const abi::Ident* where, const void* caller,
                      void* enter_frame) {
  if (thread_state() != nullptr) [[likely]]
    return serve(runtime, where, caller, enter_frame);
  bool released = false;
  auto again = [&] { released = serve(runtime, where, caller, enter_frame); };
  with_spare_state([](void* data) { (*static_cast<decltype(again)*>(data))(); }, &again);
  return released;
}

// A task's own tasks are finished with it, at the barrier that its parent has called off (team_instances.h).
void note_observed_task(Runtime& runtime, bool lasting) {
  note_task_seen();
  ompt::Task task;
  if (!ompt::current_task(task) || task.team_size <= 1) return;
  if (!task.is_implicit() && !lasting) return;
  auto note = [&] {
    TeamPlace place(runtime, *t_thread_state, task);
    if (place.is_known()) place.call_off(lasting);
  };
  if (thread_state() != nullptr) [[likely]]
    return note();
  with_spare_state([](void* data) { (*static_cast<decltype(note)*>(data))(); }, &note);
}

void forget_observed_teams(const Gone& gone) {
  for (KnownTeam& entry : g_known) {
    if (entry.region.load(std::memory_order_relaxed) == nullptr || entry.team == nullptr) continue;
    if (!gone(entry.team->runtime().object.begin)) return;
    entry.region.store(nullptr, std::memory_order_relaxed);
  }
}

void observed_teams_after_fork() {
  g_lock.unlock();
  for (KnownTeam& entry : g_known) entry.region.store(nullptr, std::memory_order_relaxed);
}

}  // namespace muster
