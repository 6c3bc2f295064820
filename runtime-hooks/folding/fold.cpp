#include "runtime-hooks/folding/fold.h"

#include <pthread.h>
#include <unistd.h>

#include "platform/fences.h"
#include "platform/given_back.h"
#include "runtime-hooks/folding/contract.h"
#include "runtime-hooks/folding/environment.h"
#include "runtime-hooks/folding/task_queries.h"
#include "runtime-hooks/folding/thread_end.h"
#include "runtime-hooks/objects/deferred_dlclose.h"
#include "runtime-hooks/runtimes/runtime_call.h"
#include "runtime-hooks/teams/call_sites.h"
#include "runtime-hooks/teams/counted_region.h"
#include "runtime-hooks/teams/lost_threads.h"

namespace muster {
namespace {

// The child of a fork has none of the fold's threads, so the fold is closed before. Handlers run in reverse order of
// registration, and the runtime's handler takes locks that a join needs: Muster's must be registered after the
// runtime's, which is registered before the runtime's first region. If two threads register it at once, it runs
// twice, which is harmless.
bool register_fork_handler(Runtime& runtime) {
  const std::atomic_ref<bool> is_registered(runtime.handles_fork);
  if (is_registered.load(std::memory_order_acquire)) return true;
  const auto before_fork = [] {
    if (in_serial_part()) t_thread_state->fold->close(Closed::kFork, {});
    if (in_inactive_region()) t_thread_state->fold->begin_in_runtime(Closed::kFork, {});
    ++t_runtime_calls;  // the program's handlers may run after this one
  };
  const auto after_fork = [] { --t_runtime_calls; };
  if (pthread_atfork(before_fork, after_fork, after_fork) != 0) return false;
  is_registered.store(true, std::memory_order_release);
  return true;
}

}  // namespace

void Fold::begin(ThreadState& state) {
  state_ = &state;
  next_ = {};
  end_is_registered_ = false;  // it was another thread's
  is_ending_ = false;
}

Unfolded Fold::run(const RegionCall& call) {
  const bool was_open = in_serial_part();
  const unsigned asked = next_.size != 0 ? static_cast<unsigned>(next_.size) : call.asked_size;
  const bool clause = next_.clause || call.has_clause;
  if (was_open && is_lost()) [[unlikely]] {
    close(Closed::kOtherRuntime, call.site);
    return Unfolded::kOtherKind;
  }
  if (was_open && is_inactive(call, asked, clause)) {
    next_ = {};
    run_inactive(call.body);
    return Unfolded::kFolded;
  }
  if (!was_open || closed_for(call, asked, clause)) {
    const Next next = std::exchange(next_, {});
    if (const Unfolded why = may_open(call, asked, clause); why != Unfolded::kFolded) return why;
    if (const Unfolded why = open(call, asked); why != Unfolded::kFolded) {
      // The requested size was used for the real region that was opened.
      if (next.size != 0) push_size(call.runtime.real, next);
      return why;
    }
  }
  MUSTER_CHECK(kSerial, t_muster_fold_state == FoldState::kNoFold || is_in_serial_part());
  next_ = {};
  run_open(call);
  return Unfolded::kFolded;
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

Unfolded Fold::open(const RegionCall& call, unsigned asked) {
  const RealFunctions& real = call.runtime.real;
  MUSTER_CHECK(kRoot,
               state_ == t_thread_state && state_->top == nullptr && real.omp_get_level() == 0);
  MUSTER_CHECK(kInitialTask, t_muster_fold_state == FoldState::kMayFold && t_runtime_calls == 0 &&
                                 !in_explicit_task(real) && !says_explicit_task(real));
  MUSTER_CHECK(kPlain,
               asked <= kMaxTeam && asked != 1 && !is_ending_ && real.omp_get_dynamic() == 0);
  give_everything_back();  // the region's threads inherit it
  if (!end_is_registered_) end_is_registered_ = register_thread_end();
  if (!end_is_registered_) return Unfolded::kEnding;
  runtime_ = &call.runtime;
  runtime_load_ = call.runtime.load;
  team_ = Team::acquire(call.runtime, *state_);
  if (team_ == nullptr) return Unfolded::kNotReplaced;
  serial_max_ = real.omp_get_max_threads();
  wanted_size_ = asked != 0 ? asked : static_cast<unsigned>(serial_max_);
  job_.leave = false;
  // Another team may be at an earlier episode than the last one.
  job_.announced.store(kNoEpisode, std::memory_order_relaxed);
  setting_.store(false, std::memory_order_relaxed);
  regions_ = 0;
  gone_ = false;
  t_muster_fold_state = FoldState::kNoFold;
  opened_by_ = &t_muster_fold_state;
  opened_in_ = task_of(real);
  real.GOMP_parallel_start(&work, this, asked);
  const bool handles_fork = register_fork_handler(call.runtime);
  frame_ = {};
  frame_.runtime = runtime_;
  frame_.team = team_;
  state_->top = &frame_;  // for runtime_of_region()
  const int size = runtime_->team_size();
  if (size > 1) note_pool(*state_, *runtime_);
  PassReason reason = PassReason::kNoMemory;
  frame_.me = team_->join(static_cast<unsigned>(size), 0, reason);
  global_ = global_thread_number(real);
  inner_max_ = real.omp_get_max_threads();
  implicit_task_ = task_of(real);
  state_->top = nullptr;
  if (frame_.me == nullptr) {  // the workers see the same, and leave at once
    join_for_real();
    return size == 1 ? Unfolded::kTeamOfOne : Unfolded::kNotReplaced;
  }
  if (!handles_fork) {
    dismiss();
    return Unfolded::kNotReplaced;
  }
  opened_.add();
  return Unfolded::kFolded;
}

void Fold::run_open(const RegionCall& call) {
  RegionSite site(state_->sites, call.site.caller, call.site.symbol);
  drain_non_temporal_stores();  // before the line is written, so that readers fetch it only once
  job_.body = call.body;
  const FpControl fp = FpControl::current();
  job_.fp = fp;
  Member& me = *frame_.me;
  t_muster_fold_state = FoldState::kFoldedRegion;
  team_->begin_region(me, job_.announced);
  // The rest is done while the others receive it.
  ++regions_;
  state_->regions.add();
  state_->folded.add();
  frame_.serialized = 0;
  state_->top = &frame_;
  counted_region_begins(*state_, frame_);
  MUSTER_CHECK(kMember, is_member(*state_, frame_));
  abi::GlobalThread global = global_;
  std::int32_t bound = 0;
  if (state_->sites != nullptr) [[unlikely]] {
    frame_.function = call.body.address();
    phase_begins(*team_, me);
  }
  call.body(&global, &bound);
  if (gone_) [[unlikely]] {
    state_->top = nullptr;
    return;
  }
  MUSTER_CHECK(kBalanced, is_member(*state_, frame_) && frame_.serialized == 0 &&
                              task_of(runtime_->real) == implicit_task_);
  // What need not wait for the other threads.
  const bool set_by_address = runtime_->real.omp_get_max_threads() != inner_max_;
  if (fp_is_inherited(*runtime_)) fp.put_in_force();
  const bool sampled = state_->sites != nullptr && phase_ends(me);
  const bool called_off = !team_->end_region(me, 0);
  if (state_->sites != nullptr) [[unlikely]]
    site.end(*team_, me, sampled && !called_off);
  if (called_off) [[unlikely]] {
    finish_tasks(frame_);
    if (fp_is_inherited(*runtime_)) fp.put_in_force();
  }
  counted_region_ends(*state_, frame_);
  state_->top = nullptr;
  t_muster_fold_state = FoldState::kSerialPart;
  if (setting_.load(std::memory_order_relaxed) || set_by_address) [[unlikely]] {
    close(Closed::kSetting, {});
  } else if (called_off && team_->why_called_off(me.episode) == PassReason::kLastingTask) {
    close(Closed::kLastingTask, {});
  }
}

void Fold::close(Closed reason, CallSite site) {
  closed_[static_cast<unsigned>(reason)].add();
  note(name_of(reason), /*closed=*/true, site);
  if (is_lost()) [[unlikely]] {
    give_up();
    return;
  }
  MUSTER_CHECK(kSerial, is_in_serial_part());
  {
    const KeptFpEnvironment kept;  // the real join sets the control words of the real fork
    dismiss();
  }
  MUSTER_CHECK(kClosed, t_muster_fold_state == FoldState::kMayFold &&
                            runtime_->real.omp_get_level() == 0 &&
                            task_of(runtime_->real) == opened_in_);
  if (!next_.runtime_knows) {
    push_size(runtime_->real, next_);
    next_.runtime_knows = true;
  }
}

void Fold::push_size(const RealFunctions& real, const Next& next) {
  real.__kmpc_push_num_threads(next.where, global_thread_number(real), next.size);
}

void Fold::keep_runtime() {
  if (!is_open() || runtime_->stays || kept_runtime_.load(std::memory_order_relaxed) != nullptr) {
    return;
  }
  void* none = nullptr;
  void* handle = handle_of(runtime_->object);
  if (!kept_runtime_.compare_exchange_strong(none, handle)) close_later(handle);
}

void Fold::give_up() {
  Team::leave(*state_);
  is_given_up_ = true;
  state_->fold = nullptr;
  t_muster_fold_state = FoldState::kNew;
}

void Fold::dismiss() {
  job_.leave = true;
  team_->begin_region(*frame_.me, job_.announced);
  join_for_real();
}

void Fold::join_for_real() {
  t_muster_fold_state = FoldState::kNoFold;
  runtime_->real.GOMP_parallel_end();
  give_everything_back();
  Team::release(team_, *state_);
  if (kept_runtime_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
    close_later(kept_runtime_.exchange(nullptr));
  }
  budget_.closed_after(regions_);
  t_muster_fold_state = FoldState::kMayFold;
}

bool Fold::keeps_size(const Runtime& runtime, abi::Ident* where, int size, CallSite site) {
  const bool was_open = in_serial_part();
  if (size < 1) {
    if (was_open) close(Closed::kClause, site);
    next_.clause = true;
    return false;
  }
  const bool keeps = was_open && &runtime == runtime_ && !is_lost();
  next_.size = size;
  next_.where = where;
  next_.runtime_knows = !keeps;
  return keeps;
}

void Fold::end() { close(Closed::kEnd, {}); }

void Fold::forget() {
  gone_ = true;
  budget_ = {};
  next_ = {};
  opened_.clear();
  for (Tally& count : closed_) count.clear();
  site_count_.store(0, std::memory_order_relaxed);
}

void Fold::note(const char* reason, bool closed, CallSite site) {
  if (site.symbol == nullptr) return;
  const unsigned count = site_count_.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < count; ++i) {
    FoldSite& known = sites_[i];
    if (known.caller == site.caller && known.reason == reason) {  // one place calls one symbol
      std::atomic_ref(known.count).fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  if (count == kMaxFoldSites) return;
  sites_[count] = {site.symbol, site.caller, reason, closed, 1};
  site_count_.store(count + 1, std::memory_order_release);
}

bool Fold::is_open() const {
  unsigned long closed = 0;
  for (const Tally& count : closed_) closed += count.read();
  return opened_.read() > closed;
}

void Fold::add_to(FoldCounts& sum) const {
  sum.opened += opened_.read();
  for (unsigned i = 0; i < kClosedReasons; ++i) sum.closed[i] += closed_[i].read();
  const unsigned count = site_count_.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) sum.add(sites_[i]);
  if (lost_ != nullptr) lost_->add_to(sum);
}

}  // namespace muster
