#include "runtime-hooks/folding/fold.h"

#include <pthread.h>
#include <unistd.h>

#include "platform/fences.h"
#include "platform/given_back.h"
#include "runtime-hooks/folding/inherited_fp.h"
#include "runtime-hooks/folding/thread_end.h"
#include "runtime-hooks/unknown_entries.h"

namespace muster {
namespace {

Fold g_fold;
ForkJoin g_choice = ForkJoin::kOff;

// The child has none of the threads that a fold keeps. Handlers are called latest first, and the
// runtime's own takes the locks that a join needs: so ours is registered once the runtime's is, which
// it is before its first region.
bool watch_fork(Runtime& runtime) {
  if (runtime.fork_is_watched) return true;
  const auto before_fork = [] {
    if ((t_muster_watches & kInSerialPart) != 0) g_fold.close(Closed::kFork, {});
  };
  runtime.fork_is_watched = pthread_atfork(before_fork, nullptr, nullptr) == 0;
  return runtime.fork_is_watched;
}

// What cannot change as long as the runtime is loaded.
bool can_be_folded(const Runtime& runtime, Unfolded& why) {
  const RealFunctions& real = runtime.real;
  if (real.GOMP_parallel_start == nullptr || real.GOMP_parallel_end == nullptr ||
      real.GOMP_barrier == nullptr || real.__kmpc_global_thread_num == nullptr ||
      real.__kmpc_push_num_threads == nullptr || real.omp_get_max_threads == nullptr ||
      real.omp_set_num_threads == nullptr || real.omp_get_dynamic == nullptr ||
      real.omp_get_level == nullptr) {
    why = Unfolded::kNoStart;
  } else if (unknown_entry_point(runtime) != nullptr) {
    why = Unfolded::kUnknownEntries;
  } else if (barrier_choice().barrier == BarrierKind::kNative) {
    why = Unfolded::kNotReplaced;
  } else {
    return true;
  }
  return false;
}

}  // namespace

Fold& the_fold() { return g_fold; }

void set_fork_join(ForkJoin choice) {
  g_choice = choice;
  g_fold.set_patience(choice == ForkJoin::kAuto);
}
ForkJoin fork_join() { return g_choice; }

bool Fold::run(const RegionCall& call, Unfolded& why) {
  if (g_choice == ForkJoin::kOff) {
    why = Unfolded::kOff;
    return false;
  }
  const std::uint8_t watches = t_muster_watches;
  if ((watches & (kInSerialPart | kMayFold)) == 0) [[unlikely]] {
    const ThreadState* state = t_thread_state;
    const bool inside = watches != 0 || (state != nullptr && state->top != nullptr);
    why = inside ? Unfolded::kInsideRegion : Unfolded::kOtherThread;
    return false;
  }
  const unsigned asked = next_.size != 0 ? static_cast<unsigned>(next_.size) : call.asked_size;
  const bool clause = next_.clause || call.has_clause;
  if ((watches & kInSerialPart) == 0 || closed_for(call, asked, clause)) {
    next_ = {};
    if (!may_open(call, asked, clause, why) || !open(call, asked, why)) return false;
  }
  next_ = {};
  run_open(call.body);
  return true;
}

// Closes the fold if the region does not fit in.
bool Fold::closed_for(const RegionCall& call, unsigned asked, bool clause) {
  const unsigned wanted = asked != 0 ? asked : static_cast<unsigned>(serial_max_);
  if (&call.runtime != runtime_) {
    close(Closed::kOtherRuntime, call.site);
  } else if (clause) {
    close(Closed::kClause, call.site);
  } else if (wanted != wanted_size_) {
    close(Closed::kSize, call.site);
  } else if (const int inner = runtime_->real.omp_get_max_threads(); inner != inner_max_) {
    close(Closed::kSetting, call.site);
    runtime_->real.omp_set_num_threads(inner);
  } else {
    return false;
  }
  return true;
}

bool Fold::may_open(const RegionCall& call, unsigned asked, bool clause, Unfolded& why) {
  const RealFunctions& real = call.runtime.real;
  state_ = thread_state();
  why = Unfolded::kNotReplaced;
  if (state_ == nullptr) return false;
  why = Unfolded::kInsideRegion;
  if (state_->top != nullptr) return false;
  why = Unfolded::kNotReplaced;
  if (!call.runtime.replaced) return false;
  why = Unfolded::kClause;
  if (clause) {
    note(name_of(why), /*closed=*/false, call.site);
    return false;
  }
  // First, because it is what most regions of a program that always closes early end at.
  const bool closes_often = rhythm_.was_closed_often();
  why = Unfolded::kClosedOften;
  if (closes_often && !rhythm_.time_to_open()) return false;
  why = Unfolded::kTeamOfOne;
  if (asked == 1) return false;
  if (asked == 0 && real.omp_get_max_threads != nullptr && real.omp_get_max_threads() == 1) {
    return false;
  }
  why = Unfolded::kTooFew;
  if (!closes_often && !rhythm_.time_to_open()) return false;
  if (judged_ != &call.runtime) {  // reading a symbol table takes some 300 us
    judged_ = &call.runtime;
    can_be_folded_ = can_be_folded(call.runtime, why_not_);
  }
  why = why_not_;
  if (!can_be_folded_) return false;
  why = Unfolded::kInsideRegion;  // a serialized one, or one that began unseen
  if (real.omp_get_level() != 0) return false;
  why = Unfolded::kDynamic;
  return real.omp_get_dynamic() == 0;
}

bool Fold::open(const RegionCall& call, unsigned asked, Unfolded& why) {
  const RealFunctions& real = call.runtime.real;
  give_everything_back();  // the region's threads inherit it
  if (!end_is_watched_) end_is_watched_ = watch_thread_end();
  why = Unfolded::kEnding;
  if (!end_is_watched_) return false;
  why = Unfolded::kNotReplaced;
  runtime_ = &call.runtime;
  team_ = Team::acquire(call.runtime, *state_);
  if (team_ == nullptr) return false;
  serial_max_ = real.omp_get_max_threads();
  wanted_size_ = asked != 0 ? asked : static_cast<unsigned>(serial_max_);
  order_.leave = false;
  order_.announced.store(kNoEpisode, std::memory_order_relaxed);  // another team may count anew
  setting_.store(false, std::memory_order_relaxed);
  regions_ = 0;
  t_muster_watches = 0;
  real.GOMP_parallel_start(&work, this, asked);
  const bool fork_is_watched = watch_fork(call.runtime);
  frame_ = {};
  frame_.runtime = runtime_;
  frame_.team = team_;
  state_->top = &frame_;  // tells whose calls come back from the runtime by a jump
  const int size = runtime_->team_size();
  PassReason reason = PassReason::kNoMemory;
  frame_.me = team_->join(static_cast<unsigned>(size), 0, reason);
  global_ = real.__kmpc_global_thread_num(nullptr);
  inner_max_ = real.omp_get_max_threads();
  state_->top = nullptr;
  if (frame_.me == nullptr) {  // the workers see that, too, and leave at once
    why = size == 1 ? Unfolded::kTeamOfOne : Unfolded::kNotReplaced;
    join_for_real();
    return false;
  }
  if (!fork_is_watched) {
    dismiss();
    return false;
  }
  open_ = true;
  ++opened_;
  return true;
}

void Fold::run_open(const RegionBody& body) {
  drain_non_temporal_stores();  // before the line is touched, which a reader may then take only once
  order_.body = body;
  const FpControl fp = FpControl::current();
  order_.fp = fp;
  Member& me = *frame_.me;
  t_muster_watches = kInFoldedRegion;
  team_->begin_region(me, order_.announced);
  // The rest is done while the others learn of it.
  ++regions_;
  state_->regions.add();
  state_->folded.add();
  frame_.serialized = 0;
  state_->top = &frame_;
  abi::GlobalThread global = global_;
  std::int32_t bound = 0;
  body(&global, &bound);
  if (ended_) [[unlikely]] {  // this is a child process by now, without the team
    state_->top = nullptr;
    return;
  }
  // What need not wait for the others.
  const bool set_by_address = runtime_->real.omp_get_max_threads() != inner_max_;
  if (fp_is_inherited()) fp.put_in_force();
  const bool called_off = !team_->end_region(me, 0);
  if (called_off) [[unlikely]] {
    finish_tasks(frame_);
    if (fp_is_inherited()) fp.put_in_force();
  }
  state_->top = nullptr;
  give_place_back();  // a slice stays until the fold is closed, or something could inherit it
  t_muster_watches = kInSerialPart;
  if (setting_.load(std::memory_order_relaxed) || set_by_address) [[unlikely]] {
    close(Closed::kSetting, {});
  } else if (called_off && team_->why_called_off(me.episode) == PassReason::kLastingTask) {
    close(Closed::kLastingTask, {});
  }
}

void Fold::close(Closed reason, CallSite site) {
  ++closed_[static_cast<unsigned>(reason)];
  note(name_of(reason), /*closed=*/true, site);
  {
    const KeptFpEnvironment kept;  // the real join sets the control words of the real fork
    dismiss();
  }
  if (!next_.runtime_knows) {
    runtime_->real.__kmpc_push_num_threads(next_.where, global_, next_.size);
    next_.runtime_knows = true;
  }
}

void Fold::dismiss() {
  order_.leave = true;
  team_->begin_region(*frame_.me, order_.announced);
  join_for_real();
}

void Fold::join_for_real() {
  t_muster_watches = 0;
  runtime_->real.GOMP_parallel_end();
  give_everything_back();
  Team::release(team_, *state_);
  open_ = false;
  rhythm_.closed_after(regions_);
  t_muster_watches = ended_ ? 0 : kMayFold;
}

bool Fold::keeps_size(const Runtime& runtime, abi::Ident* where, int size, CallSite site) {
  const std::uint8_t watches = t_muster_watches;
  if ((watches & (kInSerialPart | kMayFold)) == 0 || !runtime.replaced) return false;
  if (size < 1) {
    if ((watches & kInSerialPart) != 0) close(Closed::kClause, site);
    next_.clause = true;
    return false;
  }
  const bool keeps = (watches & kInSerialPart) != 0 && &runtime == runtime_;
  next_.size = size;
  next_.where = where;
  next_.runtime_knows = !keeps;
  return keeps;
}

void Fold::begin() {
  if (gettid() == getpid()) t_muster_watches = kMayFold;
  reserve_thread_end([] { g_fold.end(); });
}

void Fold::end() {
  if ((t_muster_watches & kInSerialPart) != 0) {
    ended_ = true;
    close(Closed::kEnd, {});
  } else if ((t_muster_watches & kMayFold) != 0) {
    ended_ = true;
    t_muster_watches = 0;
  }
}

void Fold::after_fork_in_child() {
  // In a region's middle the fold had to stay open. Its threads are no more, and what the runtime
  // makes of the region is its own business.
  if (open_) ended_ = (t_muster_watches & kInFoldedRegion) != 0;
  open_ = false;
  end_is_watched_ = end_is_watched_ && t_muster_watches != 0;
  t_muster_watches = ended_ ? 0 : kMayFold;  // the caller is the initial thread now
  rhythm_ = Rhythm(g_choice == ForkJoin::kAuto);
  next_ = {};
  opened_ = 0;
  for (std::uint64_t& count : closed_) count = 0;
  site_count_ = 0;
}

void Fold::note(const char* reason, bool closed, CallSite site) {
  if (site.symbol == nullptr) return;
  for (unsigned i = 0; i < site_count_; ++i) {
    FoldSite& known = sites_[i];
    if (known.caller == site.caller && known.reason == reason && known.symbol == site.symbol) {
      ++known.count;
      return;
    }
  }
  if (site_count_ < kMaxFoldSites) {
    sites_[site_count_++] = {site.symbol, site.caller, reason, closed, 1};
  }
}

void Fold::count(FoldCounts& sum) const {
  sum.opened = opened_;
  for (unsigned i = 0; i < kClosedReasons; ++i) sum.closed[i] = closed_[i];
  for (unsigned i = 0; i < site_count_; ++i) sum.sites[i] = sites_[i];
  sum.site_count = site_count_;
}

}  // namespace muster
