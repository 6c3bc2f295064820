// Parallel regions: the wrapper around a region's function, which pushes the team's frame.
#pragma once

#include "platform/given_back.h"
#include "runtime-hooks/runtimes/abi.h"
#include "runtime-hooks/runtimes/region_body.h"
#include "runtime-hooks/teams/call_sites.h"
#include "runtime-hooks/teams/counted_region.h"
#include "runtime-hooks/teams/lost_threads.h"
#include "runtime-hooks/teams/team.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Which barriers a region uses: those of a team or, with a null team, the runtime's, because of `reason`.
struct RegionTeam {
  Runtime* runtime = nullptr;
  Team* team = nullptr;
  PassReason reason = PassReason::kUnknownFrame;
  bool is_alone = false;       // the region must have one thread (lost_threads.h)
  bool may_make_pool = false;  // its threads call note_pool()
};

// Pushes a frame for as long as it lives.
class FrameScope {
 public:
  FrameScope(ThreadState& state, const RegionTeam& whose, const void* function) : state_(&state) {
    frame_.outer = state_->top;
    frame_.runtime = whose.runtime;
    frame_.team = whose.team;
    frame_.unknown_because = whose.reason;
    frame_.is_alone = whose.is_alone;
    frame_.function = function;
    state_->top = &frame_;
    if (frame_.team != nullptr) counted_region_begins(*state_, frame_);
  }
  ~FrameScope() {
    counted_region_ends(*state_, frame_);
    state_->top = frame_.outer;
    if (frame_.met_barrier) {
      frame_.team->note_barrier_met();
    } else if (frame_.team != nullptr && frame_.team->asks_for_barriers()) [[unlikely]] {
      note_size(static_cast<unsigned>(frame_.runtime->team_size()));
    }
    give_everything_back();
  }
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

 private:
  void note_size(unsigned size) {
    if (size > state_->largest_region.load(std::memory_order_relaxed))
      state_->largest_region.store(size, std::memory_order_relaxed);
  }

  ThreadState* const state_;
  Frame frame_;
};

// Whether barriers of a region that is nested in that frame can be replaced.
inline bool is_known(const Frame* around) {
  return around == nullptr || around->team != nullptr || around->between_regions;
}

// A frame without a team, for the time in which a thread forks or joins a nested region but is not in the region's
// function. The runtime may run tasks then. They belong to the nested region, so they must not find the frame of the
// enclosing region, in which the thread has another number.
class BetweenRegions {
 public:
  BetweenRegions(ThreadState& state, Runtime& runtime) : state_(&state) {
    frame_.outer = state_->top;
    frame_.runtime = &runtime;
    frame_.between_regions = is_known(state_->top);
    state_->top = &frame_;
  }
  ~BetweenRegions() { state_->top = frame_.outer; }
  BetweenRegions(const BetweenRegions&) = delete;
  BetweenRegions& operator=(const BetweenRegions&) = delete;

 private:
  ThreadState* const state_;
  Frame frame_;
};

// The forking thread's side of a region: holds the team while the region runs. Without a team (a runtime that is not
// replaced, an unknown enclosing region, no memory) the region and its barriers are unknown to all its threads. Counts
// `why` the region is not folded.
//
// A region that is expected to execute no barrier has no team either, unless there is an enclosing frame that its
// threads could take for its frame (barrier_free_regions.h). `function` is the region's.
class ForkScope {
 public:
  ForkScope(Runtime& runtime, Unfolded why, const void* function, CallSite place)
      : state_(thread_state()), function_(function) {
    give_everything_back();  // the region's threads inherit it
    whose_.runtime = &runtime;
    if (runtime.replaced && state_ != nullptr) {
      whose_.is_alone = why == Unfolded::kThreadsLost;
      const bool may_be_outermost = state_->top == nullptr || !is_known(state_->top);
      whose_.may_make_pool = may_be_outermost && may_make_pool(*state_, runtime);
    }
    if (!runtime.replaced) {
      whose_.reason = runtime.reason;
    } else if (state_ != nullptr && is_known(state_->top)) {
      state_->regions.add();
      state_->unfolded[static_cast<unsigned>(why)].add();
      site_.begin(state_->sites, place_of(place, state_->top), state_->top != nullptr);
      takes_no_team_ = state_->top == nullptr && !observing() && !whose_.is_alone &&
                       !whose_.may_make_pool && state_->barrier_free.is_barrier_free(function);
      if (takes_no_team_) {
        missed_before_ = g_frames_missed.load(std::memory_order_relaxed);
      } else {
        whose_.team = Team::acquire(runtime, *state_);
        observes_barriers_ = state_->top == nullptr && !state_->barrier_free.has_barriers(function);
        if (whose_.team != nullptr) whose_.team->ask_for_barriers(observes_barriers_);
      }
    }
  }
  ~ForkScope() {
    site_.end();
    if (whose_.team != nullptr) {
      if (observes_barriers_) state_->barrier_free.ran(function_, whose_.team->barrier_met());
      Team::release(whose_.team, *state_);
    } else if (takes_no_team_ &&
               g_frames_missed.load(std::memory_order_relaxed) != missed_before_) {
      state_->barrier_free.met_barrier(function_);
    }
  }
  ForkScope(const ForkScope&) = delete;
  ForkScope& operator=(const ForkScope&) = delete;

  const RegionTeam& whose() const { return whose_; }

  // Whether the region's function must be wrapped: there is a frame to push, or one to hide. A region of a runtime
  // that is not replaced, outside any other, is passed on unchanged.
  bool wraps() const { return state_ != nullptr && (whose_.team != nullptr || is_nested()); }

  // Calls fork(arguments...), the real call.
  template <class Fork, class... Arguments>
  void call(const Fork& fork, Arguments... arguments) const {
    if (is_nested()) [[unlikely]] {
      call_between_regions(fork, arguments...);
    } else {
      fork(arguments...);
    }
  }

 private:
  bool is_nested() const { return state_ != nullptr && state_->top != nullptr; }

  // Not inlined: other forks have no such frame on their stack.
  template <class Fork, class... Arguments>
  __attribute__((noinline)) void call_between_regions(const Fork& fork,
                                                      Arguments... arguments) const {
    const BetweenRegions between(*state_, *whose_.runtime);
    fork(arguments...);
  }

  ThreadState* const state_;
  const void* const function_;
  bool takes_no_team_ = false;
  bool observes_barriers_ = false;
  std::uint32_t missed_before_ = 0;
  RegionTeam whose_;
  UnfoldedSite site_;
};

// What a region's threads need, on the primary thread's stack. Each thread fetches it once per region, so it is one
// cache line, including the few arguments that most regions have.

// A region of code from clang.
struct alignas(64) KmpcRegion {
  RegionRecord body;
  RegionTeam whose;

  // The wrapper, with the region as its one argument.
  static void run(abi::GlobalThread* global, std::int32_t* bound, void* region) {
    if (thread_state() == nullptr) [[unlikely]]
      return again_with_spare_state<&KmpcRegion::run>(global, bound, region);
    const KmpcRegion& self = *static_cast<const KmpcRegion*>(region);
    const FrameScope frame(*t_thread_state, self.whose, self.body.address());
    self.body(global, bound);
  }

  static abi::Microtask wrapper() { return reinterpret_cast<abi::Microtask>(&run); }
};

static_assert(sizeof(KmpcRegion) == 64);

// A region of clang with a team and few arguments needs no record: function and team are passed as arguments of the
// wrapper, and a thread fetches one line less.
inline constexpr int kDirectArguments = 4;

template <class... Arguments>
void run_directly(abi::GlobalThread* global, std::int32_t* bound, void* function, void* team,
                  Arguments... arguments) {
  if (thread_state() == nullptr) [[unlikely]]
    return again_with_spare_state<&run_directly<Arguments...>>(global, bound, function, team,
                                                               arguments...);
  Team& its_team = *static_cast<Team*>(team);
  const FrameScope frame(*t_thread_state, {.runtime = &its_team.runtime(), .team = &its_team},
                         function);
  reinterpret_cast<abi::Microtask>(function)(global, bound, arguments...);
}

// A region of code from gcc.
struct alignas(64) GompRegion {
  abi::GompRegion function;
  void* data;
  RegionTeam whose;

  static void run(void* region) {
    if (thread_state() == nullptr) [[unlikely]]
      return again_with_spare_state<&GompRegion::run>(region);
    const GompRegion& self = *static_cast<const GompRegion*>(region);
    const FrameScope frame(*t_thread_state, self.whose,
                           reinterpret_cast<const void*>(self.function));
    if (self.whose.may_make_pool) [[unlikely]]
      note_pool(*self.whose.runtime);
    self.function(self.data);
  }
};

static_assert(sizeof(GompRegion) == 64);

// One with task reductions, which the runtime finds by the first word of the data.
struct ReducingRegion {
  void* reductions;
  GompRegion region;

  static void run(void* self) { GompRegion::run(&static_cast<ReducingRegion*>(self)->region); }
};

}  // namespace muster
