// A team's barrier state. It is made for the first region that a thread forks and used again for the next ones:
// episodes keep counting, so nothing is reset between regions. No thread can be inside when a region begins or ends,
// because the runtime's join barrier is between them. A team whose size alternates keeps the state of the last few
// sizes.
#pragma once

#include <atomic>

#include "barriers/native_registry.h"
#include "platform/lock.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/team_instances.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Before main, if a runtime is loaded already: reads what a team with that barrier needs and what cannot be read later,
// when another thread may hold the loader's lock.
void prepare_for_choice(BarrierKind barrier);

// A team's state for one size.
struct TeamState {
  const BarrierOps<NativeMemory>* ops = nullptr;  // null: not replaced, because of `reason`
  void* barrier = nullptr;
  PaddedArray<Member> members;
  BarrierKind kind = BarrierKind::kNative;
  PassReason reason = PassReason::kNoMemory;
  std::atomic<unsigned> size{0};  // 0: unused
  // Arrivals of its members that were added to a runtime's count.
  std::uint64_t credited_arrivals = 0;
  std::uint64_t last_use = 0;  // counted in changes of the team's size
  Arena arena;
};

std::uint64_t uncredited_arrivals(const TeamState& state);

class Team : public TeamInstances<NativeMemory> {
 public:
  // For the forking thread. acquire() is null without memory.
  static Team* acquire(Runtime& runtime, ThreadState& state);
  static void release(Team* team, ThreadState& state);
  // For a team whose threads will never return.
  static void leave(ThreadState& state) {
    if (state.fork_depth != 0) --state.fork_depth;
  }

  // Gives the thread's spare teams to other threads.
  static void keep_for_others(ThreadState& state);

  Runtime& runtime() const { return *runtime_; }
  bool is_of(const Runtime& runtime) const { return runtime_ == &runtime; }
  unsigned size() const { return size_.load(std::memory_order_acquire); }

  // Whether a region's threads executed a barrier (barrier_free_regions.h). The forking thread asks before the
  // region, its threads answer as they leave it, and the forking thread reads the answer after the real join.
  void ask_for_barriers(bool asks) {
    if (asks_for_barriers_ != asks) asks_for_barriers_ = asks;  // all threads read this line
    if (barrier_met_.load(std::memory_order_relaxed)) {
      barrier_met_.store(false, std::memory_order_relaxed);
    }
  }
  bool asks_for_barriers() const { return asks_for_barriers_; }
  void note_barrier_met() {
    if (asks_for_barriers_ && !barrier_met_.load(std::memory_order_relaxed)) {
      barrier_met_.store(true, std::memory_order_relaxed);
    }
  }
  bool barrier_met() const { return barrier_met_.load(std::memory_order_relaxed); }

  // For each thread of the region before its first barrier, with the region's size. Null, with the reason, if this
  // team's barriers cannot be replaced; it is the same for all threads.
  Member* join(unsigned size, unsigned thread, PassReason& reason);

  using TeamInstances::release;  // of a barrier in halves

  // What one thread passes to the others at an instance (copyprivate): stored before it, fetched after it. The next
  // instance uses another slot, so a thread that fetches late still finds its value.
  void hand_on(Episode instance, void* data) { handed_on_[instance % 2] = data; }
  void* handed_on(Episode instance) const { return handed_on_[instance % 2]; }

  // Reductions: the threads' data, and the size of the groups in which they are combined (reduction.h), which thread
  // 0 sets between a gather and its release.
  void* reduce_data(unsigned thread) const { return members_[thread].reduce_data; }
  unsigned combined_by_one() const { return combined_by_one_; }
  void combine_by_one(unsigned threads) { combined_by_one_ = threads; }

  // The real barrier must finish what the calling thread has just created: this frame's next
  // instance, or with `lasting` all the rest of the region.
  void call_off(const Frame& frame, bool lasting) {
    TeamInstances::call_off(*frame.me, frame.at_real_barrier, lasting);
  }

  PassReason why_called_off(Episode episode) const {
    return is_called_off_for_long(episode) ? PassReason::kLastingTask : PassReason::kTasks;
  }

  // With MUSTER_SITES.
  Member& member(unsigned thread) { return members_[thread]; }
  Sampling& sampling() { return sampling_; }

  // For the report.
  Team* next_made() const { return next_made_; }
  static constexpr unsigned kSizesKept = 4;
  const TeamState& state(unsigned i) const { return states_[i]; }

 private:
  friend void teams_after_fork();

  void prepare(unsigned size);
  TeamState& state_for(unsigned size);
  void make(TeamState& state, unsigned size);
  void credit_runtime(TeamState& state);
  static void retire(TeamState& state);
  static void keep_for_anybody(Team* team);

  // Of the current size, as in its TeamState. On the cache line of the base's last members.
  Runtime* runtime_ = nullptr;
  std::atomic<unsigned> size_{0};
  PassReason reason_ = PassReason::kNoMemory;
  bool asks_for_barriers_ = false;
  std::atomic<bool> barrier_met_{false};
  unsigned combined_by_one_ = kManyCombinedByOne;
  PaddedArray<Member> members_;
  Lock preparing_;
  TeamState states_[kSizesKept];
  std::uint64_t size_changes_ = 0;
  Team* next_made_ = nullptr;
  Team* next_spare_ = nullptr;
  alignas(kCoherenceGranule) void* handed_on_[2] = {};
  alignas(kCoherenceGranule) Sampling sampling_;
};

// All teams ever made, newest first.
Team* newest_team();
unsigned teams_made();

void teams_after_fork();

}  // namespace muster
