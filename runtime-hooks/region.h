// Parallel regions: the wrapper around a region's function that pushes the team's frame.
#pragma once

#include "platform/given_back.h"
#include "runtime-hooks/abi.h"
#include "runtime-hooks/counted_region.h"
#include "runtime-hooks/folding/region_body.h"
#include "runtime-hooks/team.h"
#include "runtime-hooks/thread_state.h"

namespace muster {

// Whose barriers a region uses: a team's, or for a null team the real runtime's, because of
// `reason`.
struct RegionTeam {
  Runtime* runtime = nullptr;
  Team* team = nullptr;
  PassReason reason = PassReason::kUnknownFrame;
};

// Pushes a frame for as long as it lives.
class FrameScope {
 public:
  explicit FrameScope(const RegionTeam& whose) : state_(thread_state()) {
    if (state_ == nullptr) return;  // nobody has one (has_thread_states())
    frame_.outer = state_->top;
    frame_.runtime = whose.runtime;
    frame_.team = whose.team;
    frame_.unknown_because = whose.reason;
    state_->top = &frame_;
    if (frame_.team != nullptr) counted_region_begins(*state_, frame_);
  }
  ~FrameScope() {
    if (state_ != nullptr) {
      counted_region_ends(*state_, frame_);
      state_->top = frame_.outer;
    }
    if (frame_.met_barrier) frame_.team->note_barrier_met();
    give_everything_back();
  }
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

 private:
  ThreadState* const state_;
  Frame frame_;
};

// Whether barriers of a region inside that frame can be replaced.
inline bool is_known(const Frame* around) {
  return around == nullptr || around->team != nullptr || around->between_regions;
}

// The forking thread's side of a region: holds the team while the region runs. Without a team (a
// runtime that is not replaced, an unknown region around this one, no memory) the region is
// unknown, and so are its barriers, to all its threads. `why` the region is not folded is counted.
//
// Before the region's function begins, and when it has ended, the thread is in none of the program's
// code but tasks that the real join finishes. They are the region's: a frame without a team keeps
// them from the region around it, where the thread has another number.
//
// A region that is expected to meet no barrier has no team either, if there is no frame around it that
// its threads could take for theirs (quiet_regions.h). `function` is the region's.
class ForkScope {
 public:
  ForkScope(Runtime& runtime, Unfolded why, const void* function)
      : state_(thread_state()), function_(function) {
    give_everything_back();  // the region's threads inherit it
    whose_.runtime = &runtime;
    if (!runtime.replaced) {
      whose_.reason = runtime.reason;
    } else if (state_ != nullptr && is_known(state_->top)) {
      state_->regions.add();
      state_->unfolded[static_cast<unsigned>(why)].add();
      quiet_ = state_->top == nullptr && !counting() && state_->quiet.is_quiet(function);
      if (quiet_) {
        missed_before_ = g_frames_missed.load(std::memory_order_relaxed);
      } else {
        whose_.team = Team::acquire(runtime, *state_);
        asks_ = state_->top == nullptr && !state_->quiet.has_barriers(function);
        if (whose_.team != nullptr) whose_.team->ask_for_barriers(asks_);
      }
    }
    if (state_ == nullptr || state_->top == nullptr) return;
    around_ = state_->top;
    outside_.outer = around_;
    outside_.runtime = &runtime;
    outside_.between_regions = is_known(around_);
    state_->top = &outside_;
  }
  ~ForkScope() {
    if (around_ != nullptr) state_->top = around_;
    if (whose_.team != nullptr) {
      if (asks_) state_->quiet.ran(function_, whose_.team->barrier_met());
      Team::release(whose_.team, *state_);
    } else if (quiet_ && g_frames_missed.load(std::memory_order_relaxed) != missed_before_) {
      state_->quiet.was_not_quiet(function_);
    }
  }
  ForkScope(const ForkScope&) = delete;
  ForkScope& operator=(const ForkScope&) = delete;

  const RegionTeam& whose() const { return whose_; }

  // Whether the region's function must be wrapped: there is a frame to push, or one to hide. A
  // region of an unreplaced runtime outside any other reaches its runtime untouched.
  bool wraps() const { return state_ != nullptr && (whose_.team != nullptr || around_ != nullptr); }

 private:
  ThreadState* const state_;
  const void* const function_;
  bool quiet_ = false;
  bool asks_ = false;
  std::uint32_t missed_before_ = 0;
  RegionTeam whose_;
  Frame* around_ = nullptr;
  Frame outside_;
};

// What the threads of a region need, on the primary thread's stack. Each of them fetches it once a
// region, so it is one cache line, also with the few arguments that most regions have.

// A region of clang's.
struct alignas(64) KmpcRegion {
  RegionRecord body;
  RegionTeam whose;

  // In place of the function, with the region as the one argument.
  static void run(abi::GlobalThread* global, std::int32_t* bound, void* region) {
    const KmpcRegion& self = *static_cast<const KmpcRegion*>(region);
    with_state([&] {
      const FrameScope frame(self.whose);
      self.body(global, bound);
    });
  }

  static abi::Microtask wrapper() { return reinterpret_cast<abi::Microtask>(&run); }
};

static_assert(sizeof(KmpcRegion) == 64);

// A region of clang's with a team and few arguments needs no record: function and team travel among
// the runtime's own arguments, and a thread has one line less to fetch.
inline constexpr int kDirectArguments = 4;

template <class... Arguments>
void run_directly(abi::GlobalThread* global, std::int32_t* bound, void* function, void* team,
                  Arguments... arguments) {
  Team& its_team = *static_cast<Team*>(team);
  with_state([&] {
    const FrameScope frame({.runtime = &its_team.runtime(), .team = &its_team});
    reinterpret_cast<abi::Microtask>(function)(global, bound, arguments...);
  });
}

// A region of gcc's.
struct alignas(64) GompRegion {
  abi::GompRegion function;
  void* data;
  RegionTeam whose;

  static void run(void* region) {
    const GompRegion& self = *static_cast<const GompRegion*>(region);
    with_state([&] {
      const FrameScope frame(self.whose);
      self.function(self.data);
    });
  }
};

static_assert(sizeof(GompRegion) == 64);

// One with task reductions, which the runtime finds through the first word of the data.
struct ReducingRegion {
  void* reductions;
  GompRegion region;

  static void run(void* self) { GompRegion::run(&static_cast<ReducingRegion*>(self)->region); }
};

}  // namespace muster
