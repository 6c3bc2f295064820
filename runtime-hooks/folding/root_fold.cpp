#include "runtime-hooks/folding/root_fold.h"

#include <new>

#include "options/settings.h"
#include "platform/pages.h"
#include "runtime-hooks/folding/contract.h"
#include "runtime-hooks/folding/thread_end.h"

namespace muster {
namespace {

// The threads of a region without a team have no frame (barrier_free_regions.h).
bool is_inside(const ThreadState& state, const Runtime* runtime) {
  if (state.top != nullptr) return true;
  if (runtime == nullptr || runtime->real.omp_get_level == nullptr) return false;
  return runtime->real.omp_get_level() != 0;
}

Unfolded why_without_fold() {
  if (t_muster_fold_state == FoldState::kNoFold) return Unfolded::kEnding;
  return t_thread_state != nullptr ? Unfolded::kInsideRegion : Unfolded::kNotReplaced;
}

// The open folds of other threads.
template <class Visit>
void for_each_other(Visit visit) {
  for (const ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    Fold* fold = state->root_fold.load(std::memory_order_acquire);
    if (state != t_thread_state && fold != nullptr && fold->is_open()) visit(*fold);
  }
}

bool another_is_open() {
  bool found = false;
  for_each_other([&](const Fold&) { found = true; });
  return found;
}

bool has_open_fold() {
  const ThreadState* state = t_thread_state;
  const Fold* fold = state != nullptr ? state->root_fold.load(std::memory_order_relaxed) : nullptr;
  return fold != nullptr && fold->is_open();
}

// The calling thread ends. At the end of the process libomp waits for its threads before it frees what they read, but
// not while any of its regions is open. So if another thread's fold is open, this one stays open, too: its threads
// read nothing of the runtime there. libgomp frees nothing at exit; and when only the thread ends, libgomp's
// destructor for it runs before kOnlyThread if libgomp has made its key first.
void end_root_fold(ThreadEnd how) {
  if (how == ThreadEnd::kMayBeExit && (in_serial_part() || in_inactive_region()) &&
      t_thread_state->fold->runtime().kind != RuntimeKind::kLibgomp && another_is_open()) {
    t_thread_state->fold->open_no_more();
    return;
  }
  if (in_serial_part()) t_thread_state->fold->end();
  if (in_inactive_region()) t_thread_state->fold->begin_in_runtime(Closed::kEnd, {});
  if (!in_folded_region()) t_muster_fold_state = FoldState::kNoFold;
  if (how == ThreadEnd::kOnlyThread) MUSTER_CHECK(kEnded, !has_open_fold());
}

}  // namespace

Fold* make_root_fold(const Runtime* runtime) {
  ThreadState* state = thread_state();
  if (state == nullptr || is_inside(*state, runtime)) return nullptr;
  Fold* fold = state->root_fold.load(std::memory_order_relaxed);
  if (fold == nullptr || fold->is_given_up()) {
    void* pages = map_pages(sizeof(Fold));
    if (pages == nullptr) return nullptr;
    auto* lost = fold;
    fold = ::new (pages) Fold();
    fold->counts_on_from(lost);
    state->root_fold.store(fold, std::memory_order_release);  // the report reads it
  }
  fold->begin(*state);
  state->fold = fold;
  t_muster_fold_state = FoldState::kMayFold;
  return fold;
}

Unfolded run_folded(const RegionCall& call) {
  if (settings().fork_join == ForkJoin::kOff) return Unfolded::kOff;
  if (Fold* fold = root_fold(&call.runtime); fold != nullptr) [[likely]]
    return fold->run(call);
  return why_without_fold();
}

void keep_runtimes_of_other_folds() {
  for_each_other([](Fold& fold) { fold.keep_runtime(); });
}

BeforeUnloading::BeforeUnloading(CallSite site) {
  if (in_serial_part() && !t_thread_state->fold->runtime().stays) {
    t_thread_state->fold->close(Closed::kCall, site);
  }
  if (in_inactive_region()) t_thread_state->fold->begin_in_runtime(Closed::kCall, site);
  if (in_serial_part() || t_muster_fold_state == FoldState::kMayFold) {
    fold_ = t_thread_state->fold;
    was_ending_ = fold_->open_no_more();
  } else if (t_muster_fold_state == FoldState::kNew) {
    t_muster_fold_state = FoldState::kNoFold;
    was_new_ = true;
  }
}

BeforeUnloading::~BeforeUnloading() {
  if (was_new_) t_muster_fold_state = FoldState::kNew;
  if (fold_ != nullptr && t_thread_state->fold == fold_) fold_->open_no_more(was_ending_);
}

void reserve_fold_ends() { reserve_thread_end(end_root_fold); }

void end_fold_of_thread() { end_root_fold(ThreadEnd::kOnlyThread); }

void folds_after_fork() {
  MUSTER_CHECK(kForked, !in_serial_part() && !in_inactive_region());
  const bool was_in_folded_region = in_folded_region();
  for (ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    state->fold = nullptr;
    Fold* fold = state->root_fold.load(std::memory_order_relaxed);
    if (fold != nullptr) fold->forget();
  }
  // A fork inside a region leaves the fold open, as it would leave the runtime's region.
  if (was_in_folded_region) {
    t_muster_fold_state = FoldState::kNoFold;
  } else if (t_muster_fold_state != FoldState::kNoFold) {
    t_muster_fold_state = FoldState::kNew;
  }
}

}  // namespace muster
