// Decides for each arrival whether Muster's barrier or the runtime's is used. All threads of a team must decide alike
// at the same instance: each rule below depends only on what they have in common.
#pragma once

#include "platform/thread_place.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/runtimes/runtime_call.h"
#include "runtime-hooks/teams/call_sites.h"
#include "runtime-hooks/teams/tasks_seen.h"
#include "runtime-hooks/teams/team.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Whether `frame` has joined its team. Size and thread number are queried from the runtime at first use.
inline bool joined(Frame& frame, PassReason& reason) {
  if (frame.me != nullptr) [[likely]]
    return true;
  const RealFunctions& real = frame.team->runtime().real;
  const int size = frame.team->runtime().team_size();
  frame.thread = static_cast<unsigned>(real.omp_get_thread_num());
  frame.me = frame.team->join(static_cast<unsigned>(size), frame.thread, reason);
  if (frame.me != nullptr) frame.me->stamps.begun_for = kNoEpisode;  // another region's
  return frame.me != nullptr;
}

// Whether an arrival that may not be replaced is counted as passed on. Not if it was counted at an earlier call, or
// if there is no barrier.
enum class Refusals { kCounted, kUncounted };

// One arrival, identified by the entry point's return address. replaceable() is called once; if it is true, the thread
// arrives at Muster's barrier.
class Arrival {
 public:
  Arrival(Entry entry, const void* caller, Refusals refusals = Refusals::kCounted)
      : entry_(entry), caller_(caller), refusals_(refusals), state_(thread_state()) {}

  // Whether this barrier may be replaced. Counts it as passed through if not.
  bool replaceable() {
    Frame* frame = state_ != nullptr ? state_->top : nullptr;
    if (frame == nullptr) return pass(PassReason::kNoFrame);
    if (frame->team == nullptr) {
      if (frame->runtime->contains(caller_)) return false;  // called by the runtime itself
      return pass(frame->unknown_because);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(caller_);
    if (address - frame->caller_begin >= frame->caller_end - frame->caller_begin) [[unlikely]] {
      if (!calls_the_teams_runtime(*frame)) return false;
    }
    if (frame->serialized != 0) return pass(PassReason::kSerialized);
    // A task runs here, perhaps a target region, which libgomp runs as if it were in no region.
    if (frame->at_real_barrier) [[unlikely]]
      return pass(PassReason::kUnknownFrame);
    PassReason reason = PassReason::kNoMemory;
    if (!joined(*frame, reason)) return pass(reason);
    frame_ = frame;
    return true;
  }

  // Only after replaceable(): waits for the team. False: the whole team has to use the real barrier.
  bool wait() {
    return at_site([&] { return frame_->team->arrive_and_wait(*frame_->me, frame_->thread); });
  }

  // What follows is for constructs with barriers inside them, only after replaceable(). If an instance is called off,
  // the real barrier replaces it and the construct continues.

  Frame& frame() const { return *frame_; }
  Team& team() const { return *frame_->team; }
  unsigned thread() const { return frame_->thread; }
  bool is_primary() const { return frame_->thread == 0; }

  // Waits for the team, at Muster's barrier or at the real one.
  void meet() {
    if (!wait()) [[unlikely]]
      stand_in();
  }

  // The same in halves: thread 0 waits for the others' arrival, then they wait for its release. A thread other than 0
  // may find only at the release that the gather was called off.
  void gather() {
    const bool gathered = at_site([&] { return team().gather(*frame_->me, thread()); });
    frame_->gathered_otherwise = !gathered;
    if (!gathered) [[unlikely]]
      gather_at_real_barrier();
  }
  void release() {
    const bool told = is_primary() || frame_->gathered_otherwise;
    if (at_site([&] { return team().release(*frame_->me, thread(), told); })) [[likely]]
      return;
    gather_at_real_barrier();
    count(team().release(*frame_->me, thread(), /*told=*/true));
  }

  // The runtime executes the whole construct, by settings that Muster does not implement.
  void leave_to_runtime(PassReason reason) {
    if (refusals_ == Refusals::kCounted) pass(reason);
  }

  // The runtime whose barrier the caller would have reached without Muster.
  Runtime& runtime() const {
    return frame_ != nullptr ? frame_->team->runtime() : runtime_of(caller_, symbol());
  }

  // Calls the real barrier. Tasks that run in it may create tasks, which this instance finishes, too. Tasks may be
  // long, so threads are not kept on their CPUs meanwhile.
  template <class Barrier>
  auto at_real_barrier(Barrier&& barrier) {
    struct Mark {
      Frame* frame;
      explicit Mark(Frame* marked) : frame(marked) {
        if (frame != nullptr) frame->at_real_barrier = true;
      }
      ~Mark() {
        if (frame != nullptr) frame->at_real_barrier = false;
      }
      Mark(const Mark&) = delete;
      Mark& operator=(const Mark&) = delete;
    } const mark(frame_);
    const RuntimeCall call;
    return barrier();
  }

 private:
  const char* symbol() const { return kEntryNames[static_cast<unsigned>(entry_)]; }

  // False for the runtime's own calls through its procedure linkage table, and for code that is bound to a runtime
  // other than the one whose region this thread is in.
  bool calls_the_teams_runtime(Frame& frame) {
    if (frame.team->runtime().contains(caller_)) return false;
    const Binding binding = binding_of(caller_, symbol());
    if (binding.runtime != &frame.team->runtime()) return pass(PassReason::kNoFrame);
    frame.met_barrier = true;
    frame.caller_begin = binding.begin;
    frame.caller_end = binding.end;
    return true;
  }

  template <class Meet>
  bool at_site(Meet meet) {
    if (state_->sites != nullptr) [[unlikely]]
      return recorded(meet);
    return count(meet());
  }

  template <class Meet>
  [[gnu::noinline]] bool recorded(Meet meet) {
    SiteVisit visit(*state_->sites, place_of(caller_, *frame_), symbol(), *frame_->me);
    const bool released = meet();
    visit.leave(team(), thread(), released);
    return count(released);
  }

  bool count(bool released) {
    if (!released) [[unlikely]]
      return pass(frame_->team->why_called_off(frame_->me->episode));
    state_->replaced[static_cast<unsigned>(entry_)].add();
    return true;
  }

  void stand_in() {
    at_real_barrier([&] { runtime().real.GOMP_barrier(0); });
  }

  void gather_at_real_barrier() {
    stand_in();
    team().gathered_otherwise(*frame_->me);
  }

  bool pass(PassReason reason) {
    if (state_ == nullptr || (frame_ == nullptr && refusals_ == Refusals::kUncounted)) return false;
    if (reason == PassReason::kNoFrame) {
      const Runtime& bound_to = runtime();
      if (bound_to.contains(caller_)) return false;
      if (bound_to.replaced) {
        g_frames_missed.fetch_add(1, std::memory_order_relaxed);
      } else {
        reason = bound_to.reason;
      }
    }
    state_->passed[static_cast<unsigned>(entry_)].add();
    state_->reasons[static_cast<unsigned>(reason)].add();
    return false;
  }

  const Entry entry_;
  const void* const caller_;
  const Refusals refusals_;
  ThreadState* const state_;
  Frame* frame_ = nullptr;
};

// The calling thread creates a task, or something else that only the real barrier can finish. Tasks of a serialized
// region are finished at its end, before any barrier of the enclosing team.
inline void note_task(bool lasting) {
  note_task_seen();
  const ThreadState* state = t_thread_state;
  Frame* frame = state != nullptr ? state->top : nullptr;
  if (frame == nullptr || frame->team == nullptr || frame->serialized != 0) return;
  PassReason reason = PassReason::kNoMemory;
  if (joined(*frame, reason)) frame->team->call_off(*frame, lasting);
}

// The same for a task that the runtime may run in any of its threads, outside of any region.
inline void note_target_task(Runtime& runtime) {
  std::atomic_ref(runtime.has_target_tasks).store(true, std::memory_order_relaxed);
  note_task(/*lasting=*/true);
}

}  // namespace muster
