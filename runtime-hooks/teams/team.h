// A team's barrier state. It is made for the first region that a thread forks and used again for
// its next ones: episodes go on counting, so nothing is reset between regions. Nobody can be inside
// when a region begins or ends, because the runtime's own join barrier lies between. A team whose size
// changes to and fro keeps the state of the last few sizes.
#pragma once

#include <atomic>

#include "barriers/native_registry.h"
#include "platform/lock.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/team_instances.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Before main, where a runtime is there already: what a team of that choice needs and a thread may not ask for
// later, when somebody could hold the loader's lock.
void prepare_for_choice(BarrierKind barrier);

// What a team has of one size.
struct TeamState {
  const BarrierOps<NativeMemory>* ops = nullptr;  // null: not replaced, because of `reason`
  void* barrier = nullptr;
  PaddedArray<Member> members;
  BarrierKind kind = BarrierKind::kNative;
  PassReason reason = PassReason::kNoMemory;
  std::atomic<unsigned> size{0};  // 0: this one is free
  std::uint64_t handed_over =
      0;  // of its members' arrivals, those that a runtime has been credited with
  std::uint64_t last_use = 0;  // in regions of another size than the one before
  Arena arena;
};

std::uint64_t arrivals_since_handing_over(const TeamState& state);

class Team : public TeamInstances<NativeMemory> {
 public:
  // For the forking thread. acquire() is null when there is no memory.
  static Team* acquire(Runtime& runtime, ThreadState& state);
  static void release(Team* team, ThreadState& state);
  // Without its team, whose threads are never heard of again.
  static void leave(ThreadState& state) {
    if (state.fork_depth != 0) --state.fork_depth;
  }

  // Those that the thread keeps for itself.
  static void keep_for_others(ThreadState& state);

  Runtime& runtime() const { return *runtime_; }
  bool is_of(const Runtime& runtime) const { return runtime_ == &runtime; }
  unsigned size() const { return size_.load(std::memory_order_acquire); }

  // Whether a region's threads met a barrier (barrier_free_regions.h). The forking thread begins to ask before
  // the region, the threads answer as they leave it, and it learns of that after the real join.
  void ask_for_barriers(bool asks) {
    if (asks_for_barriers_ != asks) asks_for_barriers_ = asks;  // all threads read that line
    if (barrier_met_.load(std::memory_order_relaxed)) {
      barrier_met_.store(false, std::memory_order_relaxed);
    }
  }
  void note_barrier_met() {
    if (asks_for_barriers_ && !barrier_met_.load(std::memory_order_relaxed)) {
      barrier_met_.store(true, std::memory_order_relaxed);
    }
  }
  bool barrier_met() const { return barrier_met_.load(std::memory_order_relaxed); }

  // For each thread of the region before its first barrier, with the region's size. Null, with the
  // reason, when this team's barriers cannot be replaced: for all threads alike.
  Member* join(unsigned size, unsigned thread, PassReason& reason);

  using TeamInstances::release;  // of a barrier in halves

  // What one thread hands on to the others at an instance (copyprivate): stored before it, fetched
  // after it. A thread that fetches late is not overtaken: the next instance has another place.
  void hand_on(Episode instance, void* data) { handed_on_[instance % 2] = data; }
  void* handed_on(Episode instance) const { return handed_on_[instance % 2]; }

  // Reductions: the threads' data, and how many of them one thread combines (reduction.h). Set by
  // thread 0 between a gather and its release.
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

  // For the report.
  Team* next_made() const { return next_made_; }
  static constexpr unsigned kSizesKept = 4;
  const TeamState& state(unsigned i) const { return states_[i]; }

 private:
  friend void teams_after_fork();

  void prepare(unsigned size);
  TeamState& state_for(unsigned size);
  void make(TeamState& state, unsigned size);
  void hand_over(TeamState& state);
  static void retire(TeamState& state);
  static void keep_for_anybody(Team* team);

  // Of the present size, as in its TeamState. On the line of the base's last members.
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
};

// All teams ever made, newest first.
Team* newest_team();
unsigned teams_made();

void teams_after_fork();

}  // namespace muster
