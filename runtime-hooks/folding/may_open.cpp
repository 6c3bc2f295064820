// Whether a fold may be opened: conditions on the runtime, the region and the place where it begins.
#include "options/settings.h"
#include "runtime-hooks/folding/environment.h"
#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/folding/task_queries.h"
#include "runtime-hooks/runtimes/runtime_call.h"
#include "runtime-hooks/runtimes/thunk_banks.h"
#include "runtime-hooks/runtimes/unknown_entries.h"

namespace muster {
namespace {

Foldable judge(const Runtime& runtime) {
  const RealFunctions& real = runtime.real;
  if (!has_all(real.GOMP_parallel_start, real.GOMP_parallel_end, real.GOMP_barrier,
               real.omp_get_max_threads, real.omp_set_num_threads, real.omp_get_dynamic,
               real.omp_get_level)) {
    return Foldable::kNoStart;
  }
  if (runtime.kind != RuntimeKind::kLibgomp &&
      !has_all(real.__kmpc_global_thread_num, real.__kmpc_push_num_threads)) {
    return Foldable::kNoStart;
  }
  return unknown_entry_point(runtime) != nullptr ? Foldable::kUnknownEntries : Foldable::kYes;
}

// What cannot change as long as the runtime is loaded. Reading a symbol table takes some 300 us.
Foldable judged(Runtime& runtime) {
  const std::atomic_ref<Foldable> known(runtime.foldable);
  Foldable foldable = known.load(std::memory_order_relaxed);
  if (foldable == Foldable::kNotJudged) {
    foldable = judge(runtime);
    known.store(foldable, std::memory_order_relaxed);
  }
  return foldable;
}

Unfolded can_be_folded(Runtime& runtime) {
  const Foldable foldable = judged(runtime);
  if (foldable == Foldable::kNoStart) return Unfolded::kNoStart;
  if (foldable != Foldable::kYes) return Unfolded::kUnknownEntries;
  const std::atomic_ref has_target_tasks(runtime.has_target_tasks);
  if (has_target_tasks.load(std::memory_order_relaxed)) return Unfolded::kTargetTasks;
  if (g_affinity_is_displayed) return Unfolded::kDisplay;
  if (settings().barrier == BarrierKind::kNative) return Unfolded::kNotReplaced;
  return Unfolded::kFolded;
}

}  // namespace

Unfolded Fold::may_open(const RegionCall& call, unsigned asked, bool clause) {
  const RealFunctions& real = call.runtime.real;
  if (state_->top != nullptr) return Unfolded::kInsideRegion;
  if (t_runtime_calls != 0) return Unfolded::kInRuntimeCall;
  if (is_ending_) return Unfolded::kEnding;
  if (clause) {
    note(name_of(Unfolded::kClause), /*closed=*/false, call.site);
    return Unfolded::kClause;
  }
  // First, because most regions of a program that always closes folds early end here.
  const bool is_patient = settings().fork_join == ForkJoin::kAuto;
  const bool closes_often = is_patient && budget_.was_closed_often();
  if (closes_often && !budget_.allows_opening()) return Unfolded::kClosedOften;
  if (asked == 1) return Unfolded::kTeamOfOne;
  unsigned wanted = asked;
  if (asked == 0 && real.omp_get_max_threads != nullptr) {
    wanted = static_cast<unsigned>(real.omp_get_max_threads());
    if (wanted == 1) return Unfolded::kTeamOfOne;
  }
  if (wanted > kMaxTeam) return Unfolded::kNotReplaced;
  if (is_patient && !closes_often && !budget_.allows_opening()) return Unfolded::kTooFew;
  if (const Unfolded why = can_be_folded(call.runtime); why != Unfolded::kFolded) return why;
  // A serialized region, or one that Muster did not see begin.
  if (real.omp_get_level() != 0) return Unfolded::kInsideRegion;
  if (in_explicit_task(real)) return Unfolded::kInRuntimeCall;
  if (real.omp_get_dynamic() != 0) return Unfolded::kDynamic;
  if (!are_objects_bound()) return Unfolded::kPastMuster;
  return Unfolded::kFolded;
}

}  // namespace muster
