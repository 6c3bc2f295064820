// When a fold may be opened: what a runtime allows, a region and the place where it begins.
#include "runtime-hooks/folding/environment.h"
#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/folding/task_queries.h"
#include "runtime-hooks/runtimes/runtime_call.h"
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
bool can_be_folded(Runtime& runtime, Unfolded& why) {
  const std::atomic_ref<Foldable> known(runtime.foldable);
  Foldable foldable = known.load(std::memory_order_relaxed);
  if (foldable == Foldable::kNotJudged) {
    foldable = judge(runtime);
    known.store(foldable, std::memory_order_relaxed);
  }
  why = foldable == Foldable::kNoStart ? Unfolded::kNoStart : Unfolded::kUnknownEntries;
  if (foldable != Foldable::kYes) return false;
  why = Unfolded::kTargetTasks;
  if (std::atomic_ref(runtime.has_target_tasks).load(std::memory_order_relaxed)) return false;
  why = Unfolded::kDisplay;
  if (g_affinity_is_displayed) return false;
  why = Unfolded::kNotReplaced;
  return barrier_choice().barrier != BarrierKind::kNative;
}

}  // namespace

bool Fold::may_open(const RegionCall& call, unsigned asked, bool clause, Unfolded& why) {
  const RealFunctions& real = call.runtime.real;
  why = Unfolded::kInsideRegion;
  if (state_->top != nullptr) return false;
  why = Unfolded::kInRuntimeCall;
  if (t_runtime_calls != 0) return false;
  why = Unfolded::kEnding;
  if (is_ending_) return false;
  why = Unfolded::kClause;
  if (clause) {
    note(name_of(why), /*closed=*/false, call.site);
    return false;
  }
  // First, because it is what most regions of a program that always closes early end at.
  const bool is_patient = fork_join() == ForkJoin::kAuto;
  const bool closes_often = is_patient && rhythm_.was_closed_often();
  why = Unfolded::kClosedOften;
  if (closes_often && !rhythm_.time_to_open()) return false;
  why = Unfolded::kTeamOfOne;
  if (asked == 1) return false;
  unsigned wanted = asked;
  if (asked == 0 && real.omp_get_max_threads != nullptr) {
    wanted = static_cast<unsigned>(real.omp_get_max_threads());
    if (wanted == 1) return false;
  }
  why = Unfolded::kNotReplaced;
  if (wanted > kMaxTeam) return false;
  why = Unfolded::kTooFew;
  if (is_patient && !closes_often && !rhythm_.time_to_open()) return false;
  if (!can_be_folded(call.runtime, why)) return false;
  why = Unfolded::kInsideRegion;  // a serialized one, or one that began unseen
  if (real.omp_get_level() != 0) return false;
  why = Unfolded::kInRuntimeCall;
  if (in_explicit_task(real)) return false;
  why = Unfolded::kDynamic;
  return real.omp_get_dynamic() == 0;
}

}  // namespace muster
